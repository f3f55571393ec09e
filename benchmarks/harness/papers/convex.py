"""The problem of FGM and its dual, written down for CVXPY, and by every choice of B columns."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

Array = np.ndarray


def _solve(problem: Any) -> float:
    import cvxpy as cp

    return float(problem.solve(solver=cp.CLARABEL, use_quad_obj=False))


def _loss(y: Array, z: Any, C: float) -> Any:
    import cvxpy as cp

    return 0.5 * C * cp.sum_squares(cp.pos(1 - cp.multiply(y, z)))


def shares(m: int, B: float) -> tuple[Any, Any, list[Any]]:
    """``1/2 sum w_j^2 / d_j`` for shares d between 0 and 1 that sum to B at most: w, the value, and the limits."""
    import cvxpy as cp

    w, d, t = cp.Variable(m), cp.Variable(m, nonneg=True), cp.Variable(m)
    limits = [cp.quad_over_lin(w[j], d[j]) <= t[j] for j in range(m)]
    return w, 0.5 * cp.sum(t), [*limits, d <= 1, cp.sum(d) <= B]


def relaxed(X: Array, y: Array, B: int, C: float) -> float:
    """``min over w and 0 <= d <= 1, sum d <= B of 1/2 sum w_j^2 / d_j + C/2 sum of squared hinges``."""
    import cvxpy as cp

    w, value, limits = shares(X.shape[1], B)
    return _solve(cp.Problem(cp.Minimize(value + _loss(y, X @ w, C)), limits))


def dual(X: Array, y: Array, B: int, C: float, *, linear: bool = True) -> tuple[float, Array]:
    """``max over alpha >= 0 of [sum alpha] - 1/2 (the B largest c_j^2) - |alpha|^2 / (2C)``, and its alpha.

    Without the linear term it is what the paper prints.
    """
    import cvxpy as cp

    alpha = cp.Variable(len(y), nonneg=True)
    scores = cp.square((X * y[:, None]).T @ alpha)
    value = -0.5 * cp.sum_largest(scores, B) - cp.sum_squares(alpha) / (2 * C)
    problem = cp.Problem(cp.Maximize(value + cp.sum(alpha) if linear else value))
    return _solve(problem), np.asarray(alpha.value)


def with_shares(X: Array, y: Array, shares: Array, C: float) -> tuple[float, float]:
    """Minimum and maximum of the two sides of the duality for fixed d."""
    import cvxpy as cp

    scaled = X * np.sqrt(shares)
    w, alpha = cp.Variable(X.shape[1]), cp.Variable(len(y), nonneg=True)
    primal = 0.5 * cp.sum_squares(w) + _loss(y, scaled @ w, C)
    mixed = (scaled * y[:, None]).T @ alpha
    value = cp.sum(alpha) - 0.5 * cp.sum_squares(mixed) - cp.sum_squares(alpha) / (2 * C)
    return _solve(cp.Problem(cp.Minimize(primal))), _solve(cp.Problem(cp.Maximize(value)))


def best_subset(X: Array, y: Array, B: int, C: float) -> float:
    """The least value over all choices of B whole columns."""
    chosen = (np.isin(np.arange(X.shape[1]), ids) for ids in combinations(range(X.shape[1]), B))
    return min(with_shares(X, y, ids.astype(float), C)[0] for ids in chosen)


def together(g: Array, tau: float) -> Array:
    """``argmin over o of tau/2 |o - g|^2 + 1/2 (sum of |o|)^2`` for lengths g, by CVXPY."""
    import cvxpy as cp

    o = cp.Variable(len(g), nonneg=True)
    value = 0.5 * tau * cp.sum_squares(o - g) + 0.5 * cp.square(cp.sum(o))
    cp.Problem(cp.Minimize(value)).solve(solver=cp.CLARABEL)
    return np.asarray(o.value)

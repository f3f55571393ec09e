"""The convex problem of FGM, written down for CVXPY."""

import cvxpy as cp
import numpy as np


def loss_term(name, y, z, weight):
    """Weighted sum of a loss at an affine expression z of shape (n_samples, n_outputs)."""
    weights = np.broadcast_to(weight, y.shape)
    if name == "squared":
        return 0.5 * cp.sum(cp.multiply(weights, cp.square(y - z)))
    margin = cp.multiply(y, z)
    if name == "squared_hinge":
        return 0.5 * cp.sum(cp.multiply(weights, cp.square(cp.pos(1 - margin))))
    if name == "logistic":
        return cp.sum(cp.multiply(weights, cp.logistic(-margin)))
    raise KeyError(f"write the loss {name!r} down here for CVXPY")


def optimum(X, y, weight, loss, budget, *, intercept, include=(), exclude=()):
    """Minimum of ``1/2 sum_j |w_j|^2 / d_j + sum_i weight_i loss(y_i, X_i W + b)``.

    Over ``0 <= d_j <= 1`` with ``sum d_j <= budget`` outside ``include``, whose ``d_j`` are 1. The
    columns of y are outputs that share d.
    """
    used = np.setdiff1d(np.arange(X.shape[1]), exclude)
    kept = np.isin(used, include)
    W, d = cp.Variable((len(used), y.shape[1])), cp.Variable(len(used), nonneg=True)
    b = cp.Variable((1, y.shape[1])) if intercept else np.zeros((1, y.shape[1]))
    z = X[:, used] @ W + np.ones((len(y), 1)) @ b
    penalty, limits = squares_over_shares(W, d)
    value = 0.5 * penalty + loss_term(loss, y, z, weight.reshape(-1, 1))
    return solve(value, [*limits, d <= 1, cp.sum(d[~kept]) <= budget])


def squares_over_shares(W, d):
    """``sum_j |w_j|^2 / d_j`` as a sum of bounds: at its optimum it has a value even where d_j = 0."""
    bounds = cp.Variable(d.shape)
    return cp.sum(bounds), [cp.quad_over_lin(W[j], d[j]) <= bounds[j] for j in range(d.size)]


def solve(value, limits):
    """Minimise; Clarabel is more accurate here when the quadratic terms are cones too."""
    return cp.Problem(cp.Minimize(value), limits).solve(solver=cp.CLARABEL, use_quad_obj=False)

"""The multi-task lasso with the l1/l-infinity penalty, by block coordinate descent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.kernels.clipped_blocks import sweep
from handful.methods.moments import Moments
from handful.spaces.base import NO_IDS, Array
from handful.status import Status

FEWEST_NEW = 10  # columns that join the working set at a time
SWEEPS_AT_ONCE = 6  # between two looks at the gap; as many iterates are extrapolated from
RIDGE = 1e-12  # relative, where those iterates are nearly dependent
INNER_SHARE = 0.3  # of the gap allowed, for the working set alone
# Weights this small beside the largest are what the last sweep had no time to remove.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class RowSolution:
    """Rows of weights at one alpha.

    Attributes
    ----------
    alpha : float
    ids : ndarray of int64
        Features with weights, ascending.
    weights : ndarray of shape (len(ids), n_outputs)
    objective, bound : float
        Of the whole problem, not of these features alone.
    n_sweeps : int
    status : Status
        CONVERGED, MAX_STEPS, or STALLED where sweeps bring nothing more: what is left is rounding, or the price of ``only``.
    """

    alpha: float
    ids: Array
    weights: Array
    objective: float
    bound: float
    n_sweeps: int
    status: Status

    @property
    def heights(self) -> Array:
        """The largest weight of each feature."""
        return np.abs(self.weights).max(axis=1, initial=0.0)


def at_zero(moments: Moments) -> RowSolution:
    """Return the least alpha without any feature, and the solution there."""
    nothing = np.empty((0, moments.n_outputs))
    alpha = float(moments.gradient_norms(NO_IDS, nothing).max(initial=0.0))
    value = 0.5 * moments.y_square
    return RowSolution(alpha, NO_IDS, nothing, value, value, 0, Status.CONVERGED)


def solve(
    moments: Moments,
    alpha: float,
    start: RowSolution,
    *,
    tol: float,
    max_sweeps: int,
    only: Array | None = None,
) -> RowSolution:
    """Minimise ``1/2 mean |XW + b - Y|^2 + alpha * sum_i max_k |W_ik|``.

    A working set of features is swept until its own gap is small; then all features are looked at, and
    those that violate the optimality condition ``sum_k |gradient_ik| <= alpha`` most join it.

    Parameters
    ----------
    moments : Moments
    alpha : float
    start : RowSolution
        Where to begin.
    tol : float
        Gap to reach, as a share of the objective.
    max_sweeps : int
    only : ndarray of int64, optional
        Features that may have weights; the bound is that of the whole problem all the same.
    """
    ids, weights = start.ids, start.weights
    n_sweeps, n_last = 0, 1
    while True:
        part = _Part.of(moments, moments.add(ids), alpha)
        norms = moments.gradient_norms(part.positions, weights)
        objective, bound = part.values(weights, float(norms.max(initial=0.0)))
        new = _violators(norms, ids, alpha, only)
        is_done = objective - bound <= tol * objective or n_sweeps >= max_sweeps
        settled = n_last == 0 or (only is not None and n_sweeps > 0)
        if is_done or (settled and not len(new)):
            break
        ids = np.concatenate([ids, new])
        weights = np.concatenate([weights, np.zeros((len(new), moments.n_outputs))])
        part = _Part.of(moments, moments.add(ids), alpha)
        n_last = part.sweep(weights, INNER_SHARE * tol, max_sweeps - n_sweeps)
        n_sweeps += n_last
    heights = np.abs(weights).max(axis=1, initial=0.0)
    kept = np.flatnonzero(heights > NEGLIGIBLE * heights.max(initial=0.0))
    kept = kept[np.argsort(ids[kept])]
    status = Status.MAX_STEPS if n_sweeps >= max_sweeps else Status.STALLED
    if objective - bound <= tol * objective:
        status = Status.CONVERGED
    return RowSolution(alpha, ids[kept], weights[kept], objective, bound, n_sweeps, status)


@dataclass(frozen=True)
class _Part:
    """The problem on a working set: its moments, and what they say about weights."""

    positions: Array
    gram: Array
    products: Array
    y_square: float
    alpha: float

    @classmethod
    def of(cls, moments: Moments, positions: Array, alpha: float) -> _Part:
        gram = np.ascontiguousarray(moments.gram[np.ix_(positions, positions)])
        return cls(positions, gram, moments.products[positions], moments.y_square, alpha)

    def sweep(self, weights: Array, tol: float, max_sweeps: int) -> int:
        """Improve the weights in place until the gap of this part is small; return the sweeps."""
        n_sweeps = 0
        while n_sweeps < max_sweeps:
            gradient = self.products - self.gram @ weights  # afresh: rounding does not add up
            norm = float(np.abs(gradient).sum(axis=1).max(initial=0.0))
            objective, bound = self.values(weights, norm)
            if objective - bound <= tol * objective:
                break
            iterates = []
            rows = np.arange(len(weights))
            for _ in range(min(SWEEPS_AT_ONCE, max_sweeps - n_sweeps)):
                sweep(self.gram, gradient, weights, self.alpha, rows)
                iterates.append(weights.copy())
                rows = np.flatnonzero(weights.any(axis=1))  # the first sweep was over all
            n_sweeps += len(iterates)
            guess = _extrapolated(iterates)
            if self.values(guess, norm)[0] < self.values(weights, norm)[0]:
                weights[:] = guess
        return n_sweeps

    def values(self, weights: Array, norm: float) -> tuple[float, float]:
        """Return the objective, and the dual value of the residual, scaled as well as it may be.

        ``norm`` is the largest sum of a feature's gradient; the dual asks for at most alpha.
        """
        fitted = float(np.vdot(self.products, weights))
        square = float(np.vdot(weights, self.gram @ weights))
        residual = max(self.y_square - 2.0 * fitted + square, 0.0)
        with_y = max(self.y_square - fitted, 0.0)
        penalty = self.alpha * float(np.abs(weights).max(axis=1, initial=0.0).sum())
        scale = min(
            self.alpha / norm if norm > 0 else np.inf, with_y / residual if residual > 0 else np.inf
        )
        bound = 0.0 if scale == np.inf else scale * with_y - 0.5 * scale**2 * residual
        return 0.5 * residual + penalty, bound


def _extrapolated(iterates: list[Array]) -> Array:
    """Return the mixture of the last iterates whose step would be smallest (Anderson)."""
    steps = np.diff([iterate.ravel() for iterate in iterates], axis=0)
    if not steps.any():
        return iterates[-1]
    squares = steps @ steps.T
    squares += RIDGE * np.trace(squares) * np.eye(len(squares))
    shares = np.linalg.solve(squares, np.ones(len(squares)))
    return np.tensordot(shares / shares.sum(), iterates[1:], axes=1)


def _violators(norms: Array, ids: Array, alpha: float, only: Array | None) -> Array:
    """Return the features outside the working set that most want a weight."""
    excess = norms - alpha
    excess[ids] = 0.0
    if only is not None:
        allowed = np.zeros(len(excess), dtype=bool)
        allowed[only] = True
        excess[~allowed] = 0.0
    n_new = min(max(FEWEST_NEW, len(ids)), int(np.count_nonzero(excess > 0)))
    return np.argsort(-excess, kind="stable")[:n_new].astype(np.int64)

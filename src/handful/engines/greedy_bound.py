"""How low the objective of greedy regularised least squares can be, whatever the features.

For any A of shape (n_samples, n_outputs), with columns that add up to zero beside an intercept, all models of
k features have

``sum_i s_i |x_i W + b - y_i|^2 + alpha |W|^2  >=  2 <A, Y> - sum_i |A_i|^2 / s_i - L / alpha,``

L the sum of the k largest ``|x_j' A|^2``: a square is the maximum of linear functions, and each W_j then has
its best value. Weighted residuals of a model attain its objective if its features are those k. Where alpha is small,
features outside the model have large products with its residuals, and the residuals of all features prove more.
"""

from __future__ import annotations

import numpy as np

from handful.engines.candidates import dense_rows
from handful.engines.compact import CompactData, Ridge
from handful.engines.greedy_rls import Problem
from handful.engines.memory import usable_bytes
from handful.spaces.base import Array

#: The model of all features is made if these and the outputs together are no more than so many for each step: it
#: then costs about what the selection did.
AFFORDABLE = 8
#: Copies of its columns that are held at the same time.
COPIES = 4


def lower_bound(problem: Problem, ids: Array, ridge: Ridge, alpha: float) -> float:
    """Return a bound for all choices of as many units.

    Costs are not looked at: what is too dear counts too.

    Parameters
    ----------
    problem : Problem
    ids : ndarray of int64
        Features of the model that was found.
    ridge : Ridge
        That model.
    alpha : float
    """
    bound = _bound_of(problem, ids, ridge, alpha)
    n_features, n_outputs = problem.space.n_features, problem.Y.shape[1]
    n_numbers = COPIES * n_features * problem.space.n_samples
    is_quick = n_features + n_outputs <= AFFORDABLE * problem.n_units
    if is_quick and 8 * n_numbers <= usable_bytes():
        every = np.arange(n_features)
        whole = CompactData.make(
            problem.space, every, problem.Y, problem.weight, problem.fit_intercept
        )
        bound = max(bound, _bound_of(problem, every, whole.ridge(every, alpha), alpha))
    return bound


def _bound_of(problem: Problem, ids: Array, ridge: Ridge, alpha: float) -> float:
    """Return what the residuals of one model prove."""
    weight = problem.weight[:, None]
    residuals = dense_rows(problem.space, ids).T @ ridge.weights.T
    residuals += ridge.intercept
    np.subtract(problem.Y, residuals, out=residuals)  # these are as large as Y: no copies
    if problem.fit_intercept:
        residuals -= problem.weight @ residuals / weight.sum()
    A = weight * residuals
    linear = float(np.vdot(A, problem.Y))
    square = float(np.vdot(A, residuals)) + _largest_gain(problem, A) / alpha
    return linear**2 / square if square > 0 else 0.0  # of all multiples of A the best


def _largest_gain(problem: Problem, A: Array) -> float:
    """Return the largest ``sum_j |x_j' A|^2`` of as many units as are selected, with those of include."""
    ids, found = problem.space.top(A, problem.space.n_features)
    scores = np.zeros(problem.space.n_features)
    scores[ids] = found
    gains = problem.units.sums(scores)
    include, n_free = problem.include, problem.n_units - len(problem.include)
    free = np.sort(gains[problem.may_enter])[::-1][: max(n_free, 0)]
    return float(gains[include].sum() + free.sum())

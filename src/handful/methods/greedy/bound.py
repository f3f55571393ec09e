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

from handful.methods.greedy.search import Search
from handful.methods.memory import usable_bytes
from handful.methods.problem import Problem
from handful.methods.reweighted.margins import solve_positive
from handful.spaces.base import Array, dense_rows

#: The model of all features is made if these and the outputs are no more than so many for each step: it then costs
#: a small share of the selection.
AFFORDABLE = 2
#: Copies of its columns that are held at the same time.
COPIES = 3


def lower_bound(search: Search, ids: Array, weights: Array, alpha: float) -> float:
    """Return a bound for all choices of as many units.

    Costs are not looked at: what is too dear counts too.

    Parameters
    ----------
    search : Search
    ids : ndarray of int64
        Features of the model that was found.
    weights : ndarray of shape (n_outputs, n_ids)
    alpha : float
    """
    space = search.problem.space
    bound = _bound_of(search, dense_rows(space, ids).T @ weights.T, alpha)
    n_numbers = COPIES * space.n_features * space.n_samples
    is_quick = space.n_features + search.problem.y.shape[1] <= AFFORDABLE * search.n_units
    if is_quick and 8 * n_numbers <= usable_bytes():
        bound = max(bound, _bound_of(search, _of_all_features(search.problem, alpha), alpha))
    return bound


def _of_all_features(problem: Problem, alpha: float) -> Array:
    """Predict by ridge regression on all features, but for the intercept."""
    rows = dense_rows(problem.space, np.arange(problem.space.n_features))
    if problem.fit_intercept:
        rows -= (rows @ problem.weight / problem.weight.sum())[:, None]
    weighted = rows * problem.weight
    inner = weighted @ rows.T
    inner[np.diag_indices_from(inner)] += alpha
    return np.asarray(rows.T @ solve_positive(inner, weighted @ problem.y))


def _bound_of(search: Search, predictions: Array, alpha: float) -> float:
    """Return what the residuals of one model prove; its predictions are overwritten by them."""
    problem = search.problem
    residuals = np.subtract(problem.y, predictions, out=predictions)
    if problem.fit_intercept:
        residuals -= problem.weight @ residuals / problem.weight.sum()
    A = problem.weight[:, None] * residuals
    linear = float(np.vdot(A, problem.y))
    square = float(np.vdot(A, residuals)) + _largest_gain(search, A) / alpha
    return linear**2 / square if square > 0 else 0.0  # of all multiples of A the best


def _largest_gain(search: Search, A: Array) -> float:
    """Return the largest ``sum_j |x_j' A|^2`` of as many units as are selected, with those of include."""
    space, include = search.problem.space, search.problem.include
    ids, found = space.top(A, space.n_features)
    scores = np.zeros(space.n_features)
    scores[ids] = found
    gains = search.units.sums(scores)
    n_free = search.n_units - len(include)
    free = np.sort(gains[search.may_enter])[::-1][: max(n_free, 0)]
    return float(gains[include].sum() + free.sum())

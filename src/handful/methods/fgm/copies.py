"""Of candidates that are nearly multiples of each other one goes on into the elimination.

With shrinkage two copies of a strong column cost less than one: each has half of the weight, and a quarter of its square. So
the objective with k features may prefer a copy to a further column that says something new. No prediction does. Under a measure, whose
elimination goes by the weights alone, copies that share a weight would look weak together.
"""

from __future__ import annotations

import numpy as np

from handful.methods.fgm.solvers.hessians import weighted_gram
from handful.methods.fgm.state import State
from handful.methods.near_copies import Copies
from handful.spaces.base import Array, Columns

#: Candidates are compared up to so many, all pairs of them: above, even their Hessian is not made.
MOST_COMPARED = 600
#: Of dense columns so many rows are looked at first, with less asked of a correlation.
FIRST_ROWS, FIRST_LIMIT = 1000, 0.97
SAME = 1e-9  # relative difference of what rounding makes of equal scores


def drop_copies(state: State, n_keep: int) -> bool:
    """Drop active features that are copies of others, but never below ``n_keep``; True if there were any.

    What must be kept stands for its copies, else the one with the highest score of all weights at zero does, of equal ones that
    with the lowest id. It takes over their weights.
    """
    active = state.active
    if not n_keep < len(active) <= MOST_COMPARED or (active.widths != 1).any():
        return False
    if not _may_have_copies(active.matrix, state.target.fit_intercept):
        return False
    moments = _moments(active.matrix, active.row_weight, state.target.fit_intercept)
    deviations = np.sqrt(np.maximum(np.diagonal(moments), 0.0))
    order = _falling(state, deviations)
    ranked, sizes = moments[np.ix_(order, order)], deviations[order]
    copies = Copies.among([ranked], sizes, state.target.loss.alike).unless(
        np.arange(state.penalty.n_always)
    )
    if copies.n_different == len(active):
        return False
    # Where too few are different, the best copies stay.
    best = copies.best(-np.arange(len(order), dtype=float), max(copies.n_different, n_keep))
    carried = copies.unless(best)
    weights = np.empty_like(state.solution.weights)
    weights[order] = carried.together(state.solution.weights[order])
    stay = np.sort(order[best])
    state.keep(stay, weights[stay])
    state.grams = None
    return True


def _falling(state: State, deviations: Array) -> Array:
    """The order in which features stand for others: must-keep ones, then by score, then by id."""
    dots = np.asarray(state.active.matrix.T @ state.target.at_zero.a)
    scores = (dots**2).sum(axis=1) / np.maximum(deviations**2, 1e-300)
    scores[deviations == 0] = 0.0
    scores[: state.penalty.n_always] = np.inf
    largest = float(scores[np.isfinite(scores)].max(initial=0.0))
    rounded = np.where(np.isfinite(scores), np.rint(scores / (SAME * max(largest, 1e-300))), np.inf)
    return np.lexsort((state.active.ids, -rounded))


def _may_have_copies(columns: Columns, centred: bool) -> bool:
    """Whether some of the rows show columns that are nearly multiples of each other."""
    if not isinstance(columns, np.ndarray) or len(columns) <= 2 * FIRST_ROWS:
        return True
    some = columns[:: len(columns) // FIRST_ROWS]
    moments = _moments(some, np.ones(len(some)), centred)
    deviations = np.sqrt(np.maximum(np.diagonal(moments), 0.0))
    alike = np.abs(moments) >= FIRST_LIMIT * np.outer(deviations, deviations)
    return bool(np.count_nonzero(alike) > len(deviations))


def _moments(columns: Columns, weight: Array, centred: bool) -> Array:
    """The covariances of columns, or their products where there is no intercept."""
    gram, sums = weighted_gram(columns, weight)
    return gram - np.outer(sums, sums) / weight.sum() if centred else gram

"""From rows of weights to the columns that are selected, and a model of these."""

from __future__ import annotations

import numpy as np

from handful.methods.near_copies import Copies, covariances, depth
from handful.methods.reweighted.data import Data
from handful.methods.reweighted.remaining_columns import RemainingColumns
from handful.methods.reweighted.step import Step
from handful.spaces.base import Array


def best_different(
    data: Data, columns: RemainingColumns, step: Step, scores: Array, k: int
) -> tuple[Array, Array, Array]:
    """Return k ids, best first of columns that are no copies, their weights and the intercept.

    Copies count as one column with all their weights: those that share them would look weak one by one.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0].astype(np.int64)
    n_looked = min(depth(data.space.n_samples, k), len(order)) if len(order) > k else 0
    while True:
        ids = order[:n_looked]
        means, deviations = data.means[ids], data.deviations[ids]
        copies = Copies.among(covariances(data.space, ids, means, data.weight), deviations)
        if copies.n_different >= k or n_looked in (0, len(order)):
            break
        n_looked = min(2 * n_looked, len(order))
    if copies.n_different == n_looked:  # no copies: the ranking as it is
        ids = np.sort(order[:k])
        return ids, *of_columns(columns, step, ids)
    weights, intercept = of_columns(columns, step, ids)
    norms = np.linalg.norm(copies.together(weights.T), axis=1) / data.factors[ids]
    shared = copies.leaders[~copies.is_leader & np.isin(ids, columns.ids)]
    ranks = scores[ids]
    ranks[shared] = norms[shared]
    best = copies.best(ranks, k)
    best = best[np.argsort(ids[best])]
    carried = copies.unless(best)
    gone = weights * np.where(carried.is_leader, 0.0, 1.0)
    intercept = intercept + gone @ (means - carried.slopes * means[carried.leaders])
    return ids[best], np.ascontiguousarray(carried.together(weights.T)[best].T), intercept


def of_columns(columns: RemainingColumns, step: Step, ids: Array) -> tuple[Array, Array]:
    """Return weights of ids, (n_outputs, n_ids), and the intercept, for the columns as X has them."""
    n_remaining = len(columns.ids)
    weights = np.zeros((len(ids), step.weights.shape[1]))
    if n_remaining:
        where = np.minimum(np.searchsorted(columns.ids, ids), n_remaining - 1)
        found = columns.ids[where] == ids
        weights[found] = (columns.factors[columns.ids, None] * step.weights[:n_remaining])[
            where[found]
        ]
    intercept = step.intercept - columns.shift(step.weights)
    if columns.constant:
        intercept = intercept + step.weights[-1]
    return np.ascontiguousarray(weights.T), intercept

"""The k features that many fits agree on, where near-copies vote for each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.model_selection._samples import as_matrix
from handful.model_selection._wrapped import is_of_space, selector_in, takes_bags
from handful.model_selection.refit import check_columns_are_kept
from handful.spaces.resolve import columns_of
from handful.validation import resampling as checks

Array = np.ndarray
#: Power of a correlation that says how much of the votes for one feature another may stand for.
POWER = 4
#: Features, the most often chosen ones, that are compared with each other.
MOST_COMPARED = 1000
#: What the votes of a feature that others stand for are still worth.
REST = 1e-6


def check_can_agree(estimator: Any) -> None:
    """Raise where features cannot be counted one by one, or are not those of X."""
    if takes_bags(estimator):
        raise checks.nothing_to_count(selector_in(estimator))
    if getattr(selector_in(estimator), "groups", None) is not None:
        raise checks.groups_cannot_agree()
    check_columns_are_kept(estimator)


def columns_for(estimator: Any, X: Any) -> Callable[[Array], Any]:
    """Return what gives the columns of ids: those of X, or of the features that are made from it."""
    X = as_matrix(X)
    if not is_of_space(estimator):
        return lambda ids: columns_of(X, ids)
    made: Callable[[Array], Any] = selector_in(estimator).space.on(X).columns
    return made


def agreed_ids(ids: Array, votes: Array, k: int, columns: Callable[[Array], Any]) -> Array:
    """Return the k features that stand for the most votes, ascending.

    ``max over S of  sum_i v_i max_{j in S} |r_ij|^4``  with k features in S, where ``v_i`` is how often
    feature i was chosen and ``r_ij`` the correlation of two columns.

    Without correlations these are the k most often chosen. Of columns that are nearly copies each fit
    chooses another one, so that all have few votes: here one of them is chosen and has the votes of
    all, and then the others are worth nothing. The sum is submodular, and taking the best feature
    again and again reaches at least 63 % of its maximum.

    Parameters
    ----------
    ids : ndarray of int64
        Features that were ever chosen, ascending.
    votes : ndarray
        How often each was.
    k : int
        Fewer are returned only if fewer were ever chosen.
    columns : callable
        Gives the columns of ids, dense or sparse.
    """
    order = np.sort(np.argsort(-votes, kind="stable")[: max(2 * k, MOST_COMPARED)])
    stands_for = _correlations(columns(ids[order]), len(order)) ** POWER
    chosen = _best_covering(votes[order], stands_for, min(k, len(order)))
    found: Array = np.sort(ids[order[chosen]])
    return found


def _best_covering(worth: Array, stands_for: Array, k: int) -> list[int]:
    """Take what adds most to the votes that are stood for, k times; of equal ones the first."""
    covered = np.zeros(len(worth))
    chosen: list[int] = []
    for _ in range(k):
        gains = worth @ np.maximum(stands_for - covered[:, None], 0.0)
        gains += REST * worth  # what is covered entirely still ranks by its own votes
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        covered = np.maximum(covered, stands_for[:, best])
    return chosen


def _correlations(columns: Any, n_features: int) -> Array:
    """Return the sizes of the correlations; of features that have several columns each, none."""
    if columns.shape[1] != n_features:
        return np.eye(n_features)
    n_samples = columns.shape[0]
    means = np.asarray(columns.mean(axis=0)).ravel()
    if sp.issparse(columns):
        products = (columns.T @ columns).toarray() / n_samples - np.outer(means, means)
    else:
        centred = np.asarray(columns, dtype=np.float64) - means
        products = centred.T @ centred / n_samples
    deviations = np.sqrt(np.maximum(np.diag(products), 0.0))
    scale = np.outer(deviations, deviations)
    found = np.divide(np.abs(products), scale, out=np.zeros_like(products), where=scale > 0)
    np.fill_diagonal(found, 1.0)
    return np.minimum(found, 1.0)

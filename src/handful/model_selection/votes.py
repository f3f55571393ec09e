"""What each of many fits chose, and how often each feature was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.model_selection._steps import steps_before
from handful.model_selection._wrapped import chosen_ids, n_candidates, selector_in
from handful.model_selection.agreement import table_of
from handful.validation.resampling import nothing_to_count

Array = np.ndarray
#: What the largest possible weight is worth in votes: it decides between features chosen equally often.
TIE = 1e-6


@dataclass(frozen=True)
class Vote:
    """What one fit chose.

    Attributes
    ----------
    ids : ndarray of int64
        The first chosen first: in the order in which features were added, or the heaviest first.
    sizes : ndarray
        How heavily each counts: the length of its weights times the deviation of its column, relative to the
        length of all; equal where the selector has no weights.
    n_features : int
        Features there were to choose from.
    """

    ids: Array
    sizes: Array
    n_features: int


def vote_of(fitted: Any, X: Any) -> Vote:
    """Return what a fitted selector, or a Pipeline with one, chose on its rows X."""
    ids, n_features = chosen_ids(fitted), n_candidates(fitted)
    if ids is None or n_features is None:
        raise nothing_to_count(selector_in(fitted))
    selector = selector_in(fitted)
    sizes = _sizes(selector, fitted, X, len(ids))
    order = getattr(selector, "selection_order_", None)
    if order is not None and len(order) == len(ids) and getattr(selector, "groups", None) is None:
        place = np.searchsorted(np.sort(order), order)
    else:
        place = np.argsort(-sizes, kind="stable")
    return Vote(ids[place], sizes[place], n_features)


def _sizes(selector: Any, fitted: Any, X: Any, n_chosen: int) -> Array:
    """Return how heavily each of the chosen counts, in the order of their ids."""
    weights = getattr(selector, "weights_", None)
    if weights is None:  # RFE keeps the model of what is left
        weights = getattr(getattr(selector, "estimator_", None), "coef_", None)
    even = np.full(n_chosen, 1 / np.sqrt(max(n_chosen, 1)))
    if weights is None or not n_chosen or np.size(weights) % n_chosen:
        return even
    for step in steps_before(fitted, selector):
        X = step.transform(X)
    lengths = np.atleast_2d(weights) * _deviations(selector.transform(X))
    sizes: Array = np.linalg.norm(lengths.reshape(len(lengths), n_chosen, -1), axis=(0, 2))
    total = np.linalg.norm(sizes)
    return sizes / total if 0 < total < np.inf else even


def _deviations(columns: Any) -> Array:
    """Return the standard deviation of every column of a small matrix."""
    if not sp.issparse(columns):
        return np.asarray(columns, dtype=np.float64).std(axis=0)
    means = np.asarray(columns.mean(axis=0)).ravel()
    squares = np.asarray(columns.multiply(columns).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(squares - means**2, 0))


@dataclass(frozen=True)
class Votes:
    """All fits together.

    Attributes
    ----------
    each : sequence of Vote
    """

    each: Sequence[Vote]

    @property
    def n_features(self) -> int:
        """Features there were to choose from."""
        return self.each[0].n_features

    @property
    def mean_count(self) -> float:
        """Features that were chosen, on average."""
        return float(np.mean([len(vote.ids) for vote in self.each]))

    def table(self, first: int | None = None) -> sp.csr_array:
        """Return a row of 0 and 1 for each fit; of the ``first`` so many that it chose."""
        return table_of([vote.ids[:first] for vote in self.each], self.n_features)

    def shares(self, first: int | None = None) -> tuple[Array, Array]:
        """Return the ids that were ever chosen, ascending, and in which share of the fits each was."""
        ids, counts = np.unique(self.table(first).indices, return_counts=True)
        return ids.astype(np.int64), counts / len(self.each)

    def counted(self) -> tuple[Array, Array]:
        """Return the ids that were ever chosen, ascending, and their shares; of equal ones the heavier has more."""
        ids, place = np.unique(np.concatenate([v.ids for v in self.each]), return_inverse=True)
        sizes = np.concatenate([v.sizes for v in self.each])
        votes = np.bincount(place, 1 + TIE * sizes, len(ids)) / len(self.each)
        return ids.astype(np.int64), votes

"""What a search for the best products of two columns must provide, and what it fills."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from handful.spaces.base import NO_IDS, Array, best_of
from handful.spaces.pairs.numbering import PairNumbering


class Best:
    """The k best of all features it was shown, best first, ties to the lower id.

    Parameters
    ----------
    k : int
    exclude : ndarray of int64, optional
        Ids to pass over.

    Attributes
    ----------
    ids, scores : ndarray
    exclude : ndarray of int64, ascending
    """

    def __init__(self, k: int, exclude: Array | None = None) -> None:
        self.k = k
        self.exclude = NO_IDS if exclude is None else np.unique(np.asarray(exclude, dtype=np.int64))
        self.ids = NO_IDS
        self.scores = np.empty(0)

    @property
    def floor(self) -> float:
        """A score below this is of no interest any more."""
        return float(self.scores[-1]) if len(self.ids) == self.k else 0.0

    def add(self, ids: Array, scores: Array) -> None:
        """Take in features that were not shown before."""
        self.ids, self.scores = best_of(
            np.concatenate([self.ids, ids]),
            np.concatenate([self.scores, scores]),
            self.k,
            self.exclude,
        )


class PairSearch(ABC):
    """The products of two columns of a matrix, searched in the way that suits its storage."""

    @abstractmethod
    def column_sums(self, a: Array, n_threads: int) -> Array:
        """Return three rows: linear score, square score and reach of each column.

        No pair of two columns scores more than ``(reach_i reach_j)^2``.
        """

    @abstractmethod
    def add_best(
        self,
        best: Best,
        a: Array,
        reach: Array,
        factor: float,
        numbering: PairNumbering,
        n_threads: int,
    ) -> None:
        """Show ``best`` the pairs of two columns that it may want, with ``factor`` times their score."""

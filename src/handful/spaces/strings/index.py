"""The index of all substrings: their columns, each once, as short lists on a tree.

:mod:`~handful.spaces.strings.building` makes it, once; a search is then one sweep over the lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.kernels import substring_sums as sums
from handful.spaces.strings.symbols import Alphabet

Array = np.ndarray
WEIGHTS = {"presence": sums.PRESENCE, "count": sums.COUNT, "log": sums.LOG}
LONGEST = 2**31 - 1  # where nothing limits the length
SEED = 20090  # of the numbers that tell columns apart


@dataclass(frozen=True)
class Limits:
    """Which substrings are features.

    Attributes
    ----------
    min_df, max_df : int
        In how many documents they may occur.
    min_length, max_length : int
        In symbols.
    """

    min_df: int
    max_df: int
    min_length: int
    max_length: int

    def __str__(self) -> str:
        longest = "" if self.max_length == LONGEST else f", max_length={self.max_length}"
        return f"min_df={self.min_df}, max_df={self.max_df}, min_length={self.min_length}{longest}"


@dataclass
class SubstringIndex:
    """The different columns that substrings have, in the order of the strings that they are called by.

    A column is called by the longest string that has it, of several by the first.

    Attributes
    ----------
    text : ndarray
        Symbols of all segments, with zeros between.
    alphabet : Alphabet
    n_documents : int
    weight : int
        What a column has for a document, one of :data:`WEIGHTS`.
    levels : ndarray of int32
        In how many other features of the tree each one lies.
    starts, documents, values : ndarray
        For each feature the documents whose value is not that of the features right below it together, and the
        difference.
    counts : ndarray of int32
        The values before any logarithm.
    frequency : ndarray
        In how many documents each one occurs.
    place, length : ndarray
        Where in the text its longest string begins, and how long it is.
    short_place, short_length : ndarray
        The same for the shortest string that has the column.
    squares : ndarray
        Sums of squares of the columns.
    """

    text: Array
    alphabet: Alphabet
    n_documents: int
    weight: int
    levels: Array
    starts: Array
    documents: Array
    values: Array
    counts: Array
    frequency: Array
    place: Array
    length: Array
    short_place: Array
    short_length: Array
    squares: Array

    def __post_init__(self) -> None:
        self.n_levels = int(self.levels.max(initial=0)) + 1
        self.ends = sums.ends_of_subtrees(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def scores(self, a: Array) -> Array:
        """Return ``sum over outputs of (column' a)^2`` of all features, a of shape (n_documents, n_outputs)."""
        if a.shape[1] == 1:
            return np.square(self._sums(self.values, np.ascontiguousarray(a[:, 0])))
        scores, tree_of = np.empty(len(self)), (self.levels, self.n_levels)
        sums.sweep(self.starts, self.documents, self.values, *tree_of, a, scores)
        return scores

    def _sums(self, values: Array, a: Array) -> Array:
        """Return ``column' a`` of all features, for columns with these values; a of shape (n_documents,)."""
        found = np.empty(len(self), dtype=a.dtype)
        sums.sums_of(self.starts, self.documents, values, self.levels, self.n_levels, a, found)
        return found

    def columns(self, ids: Array) -> tuple[Array, Array, Array]:
        """Return data, indices and indptr of some columns by columns."""
        indptr, indices, data = sums.pick_columns(
            self.starts,
            self.documents,
            self.values,
            self.ends,
            ids,
            self.frequency,
            self.n_documents,
        )
        return data, indices, indptr

    def string(self, feature: int) -> Any:
        """Return the longest string of a feature."""
        return self._string(self.place[feature], self.length[feature])

    def shortest(self, feature: int) -> Any:
        """Return the shortest string of a feature."""
        return self._string(self.short_place[feature], self.short_length[feature])

    def _string(self, place: int, length: int) -> Any:
        return self.alphabet.decode(self.text[place : place + length])

    def find(self, column: Array) -> int | None:
        """Return the feature that has a column of occurrences (or of counts), None if there is none."""
        codes = document_codes(self.n_documents)[:, 0]
        # Modulo 2^64, as which less than nothing counts too.
        hashes = self._sums(self.counts.astype(np.int64).view(np.uint64), codes)
        wanted = (column.astype(np.uint64) * codes).sum(dtype=np.uint64)
        found = np.flatnonzero(hashes == wanted)
        return int(found[0]) if len(found) else None


def document_codes(n_documents: int) -> Array:
    """Return two random numbers for each document, by whose sums columns are told apart.

    That two different columns have the same pair of sums has a chance of 2^-128.
    """
    rng = np.random.default_rng(SEED)
    return rng.integers(0, 2**64, size=(n_documents, 2), dtype=np.uint64)

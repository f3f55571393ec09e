"""Spaces with one feature for each column of X, each made of several columns."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np
import scipy.sparse as sp

from handful.registry import Configured
from handful.spaces.base import Array, Columns, ExplicitSpace, FeatureSpace, input_names, sum_runs
from handful.spaces.resolve import as_csc, is_sparse, source_of
from handful.spaces.sparse import map_ranges
from handful.validation import spaces as checks
from handful.validation.sources import only_in_memory


class ColumnMap(Protocol):
    """How the entries of one column of X become the columns of its feature."""

    @property
    def width(self) -> int:
        """How many columns there are; at least one."""

    def names(self, name: str) -> list[str]:
        """Return a name for each column, from that of the column of X."""

    def block(self, rows: Array, values: Array, n_samples: int) -> Columns:
        """Return the columns for stored entries: CSC where zero maps to zero, else an ndarray."""


class ColumnwiseSpace(Configured, ExplicitSpace):
    """One feature for each column of X (its id is the column), of several columns.

    What is learned from a column is its :class:`ColumnMap`, made when the feature is first asked
    for. An instance is in one of three states: a configuration; put on training data by :meth:`on`;
    or, made by :meth:`remembering`, a configuration with the maps of a few features, which has no
    others.
    """

    #: what a search takes for a stored entry, in those of a dense product
    work_of_entry: float = 8.0
    scale: Array | None = None
    _remembered: dict[int, ColumnMap] | None = None
    _stored: sp.csc_array | None = None
    _maps: dict[int, ColumnMap]
    _from_sparse: bool

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise when a parameter has no meaning."""

    @property
    @abstractmethod
    def keeps_zeros(self) -> bool:
        """Whether zero maps to zero, so that columns of sparse data are sparse."""

    @abstractmethod
    def prepare(self, X: sp.csc_array, ids: Array) -> sp.csc_array:
        """Return the entries that maps are made for; X holds the columns ids and is not changed."""

    @abstractmethod
    def learn(self, X: sp.csc_array, stored: sp.csc_array) -> None:
        """Take from the training data, as given and as prepared, what scores and maps need."""

    @abstractmethod
    def score(self, a: Array, start: int, stop: int, scores: Array) -> None:
        """Fill in the scores of the features start..stop-1."""

    @abstractmethod
    def make_map(self, feature: int) -> ColumnMap:
        """Return how a feature's columns are made."""

    @abstractmethod
    def pack(self, maps: Sequence[Any]) -> dict[str, Array]:
        """Return maps as a few plain arrays."""

    @abstractmethod
    def unpack(self, arrays: Mapping[str, Array]) -> list[Any]:
        """Return the maps that were packed; ValueError when they could not be used."""

    def on(self, X: Any) -> FeatureSpace:
        self.check_parameters()
        if source_of(X) is not None:
            raise only_in_memory(self)
        bound = copy.copy(self)
        bound.n_samples, bound.n_features = X.shape
        bound.dtype = X.dtype
        bound._from_sparse = is_sparse(X)
        if self._remembered is None:
            bound._maps = {}
            ids = np.arange(bound.n_features, dtype=np.int64)
            by_column = as_csc(X)
            bound._stored = bound.prepare(by_column, ids)
            bound.learn(by_column, bound._stored)
        else:
            bound._maps = self._remembered
            ids = bound._remembered_ids()
            bound._stored = bound.prepare(as_csc(X[:, ids]), ids)
        return bound

    def sized(self, n_columns: int) -> FeatureSpace:
        if self._remembered is None:
            return super().sized(n_columns)
        self.check_parameters()
        bound, ids = copy.copy(self), self._remembered_ids()
        if len(ids) and ids[-1] >= n_columns:
            raise ValueError(f"feature {ids[-1]} is remembered of only {n_columns} columns")
        bound.n_samples, bound.n_features, bound._maps = 0, n_columns, self._remembered
        bound._stored = sp.csc_array((0, len(ids)))
        return bound

    def remembering(self, bound: FeatureSpace, ids: Array) -> FeatureSpace:
        trained = cast(ColumnwiseSpace, bound)
        space = self._anew()
        space._remembered = {int(j): trained._map(int(j)) for j in ids}
        return space

    def state(self) -> dict[str, Array]:
        if self._remembered is None:
            return {}
        ids = self._remembered_ids()
        return {"ids": ids, **self.pack([self._remembered[j] for j in ids.tolist()])}

    def restore(self, state: Mapping[str, Array]) -> FeatureSpace:
        self.check_parameters()
        ids = state["ids"]
        if ids.dtype != np.int64 or ids.ndim != 1 or (np.diff(ids, prepend=-1) <= 0).any():
            raise ValueError("the ids of remembered features are not in order")
        space = self._anew()
        space._remembered = dict(zip(ids.tolist(), self.unpack(state), strict=True))
        return space

    def inputs(self, ids: Array) -> Array:
        return np.unique(ids)

    def narrowed(self, ids: Array, inputs: Array) -> tuple[FeatureSpace, Array]:
        space, places = self._anew(), np.searchsorted(inputs, ids)
        space._remembered = {
            int(place): self._map(int(j)) for place, j in zip(places, ids, strict=True)
        }
        return space, places

    @property
    def search_work(self) -> float:
        return self.work_of_entry * float(self.n_entries)

    def squared_scores(self, a: Array) -> Array:
        stored = self._data()
        if self._remembered is None:
            scores = np.empty(self.n_features)
            map_ranges(
                lambda start, stop: self.score(a, start, stop, scores),
                stored.indptr,
                self.n_threads,
            )
            return scores
        scores, ids = np.zeros(self.n_features), self._remembered_ids()
        dots = np.asarray(self.columns(ids).T @ a)
        scores[ids] = sum_runs(np.einsum("jk,jk->j", dots, dots), self.widths(ids))
        return scores

    def gather(self, ids: Array) -> Columns:
        self._data()
        blocks = (self._map(int(j)).block(*self._entries(int(j)), self.n_samples) for j in ids)
        if self._from_sparse and self.keeps_zeros:
            none = sp.csc_array((self.n_samples, 0))
            return sp.hstack([none, *blocks], format="csc")
        widths = self.widths(ids)
        columns = np.empty((self.n_samples, int(widths.sum())), order="F")
        for block, width, end in zip(blocks, widths, np.cumsum(widths), strict=True):
            place = columns[:, end - width : end]
            if self.keeps_zeros:
                block.toarray(out=place)
            else:
                place[:] = block
        return columns

    def widths(self, ids: Array) -> Array:
        return np.array([self._map(int(j)).width for j in ids], dtype=np.int64)

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        inputs = input_names(ids, feature_names_in)
        maps = (self._map(int(j)) for j in ids)
        return [name for x, one in zip(inputs, maps, strict=True) for name in one.names(x)]

    def find(self, name: str, columns: Callable[[str], list[int]]) -> list[int]:
        """Return the features of columns: each has that of its column."""
        return columns(name)

    def stored(self) -> Iterator[Array]:
        stored = self._data()
        yield np.frombuffer(repr(self).encode(), dtype=np.uint8)
        yield from (stored.indptr, stored.indices, stored.data)

    def _data(self) -> sp.csc_array:
        return self._there(self._stored)

    def _remembered_ids(self) -> Array:
        return np.array(sorted(self._remembered or ()), dtype=np.int64)

    def _map(self, feature: int) -> ColumnMap:
        self._data()
        if feature not in self._maps:
            if self._remembered is not None:
                raise checks.not_remembered(self, feature)
            self._maps[feature] = self.make_map(feature)
        return self._maps[feature]

    def _entries(self, feature: int) -> tuple[Array, Array]:
        """Return the rows, ascending, and prepared values of what is stored of a column."""
        stored, place = self._data(), feature
        if self._remembered is not None:
            place = int(np.searchsorted(self._remembered_ids(), feature))
        part = slice(stored.indptr[place], stored.indptr[place + 1])
        rows, values = stored.indices[part], stored.data[part]
        order = np.argsort(rows, kind="stable")
        return rows[order], values[order]


def split_runs(values: Array, sizes: Array) -> list[Array]:
    """Take arrays apart that lie end to end; ValueError when the sizes do not add up."""
    fits = values.ndim == sizes.ndim == 1 and sizes.dtype == np.int64
    if not fits or sizes.min(initial=0) < 0 or sizes.sum() != len(values):
        raise ValueError("sizes that do not add up")
    return np.split(values, np.cumsum(sizes)[:-1]) if len(sizes) else []

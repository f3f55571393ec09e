"""Dask arrays: chunks stay with the workers that have them, dense or sparse, cut by rows or both ways."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from handful.sources.dask import chunks as work
from handful.sources.dask.grid import ChunkGrid
from handful.sources.dask.pairs import DaskPairs
from handful.spaces.base import Array, Columns, ExplicitSpace, Unit, as_columns, ascending
from handful.spaces.pairs.search import PairSearch
from handful.spaces.resolve import resolve_space
from handful.spaces.source import AwaySpace, Source
from handful.validation import sources as checks


class DaskMatrix(Source):
    """A dask array as X.

    A fit loads and checks the chunks once and has them stay on the workers; to predict, only the
    columns of the model are computed.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features)
        Chunks are arrays or SciPy's sparse matrices, of known sizes.
    """

    def __init__(self, X: Any) -> None:
        self.dtype = checks.array_dtype(X)
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self._X = X
        self._grid: ChunkGrid | None = None

    def check(self) -> None:
        self.grid()

    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        return DaskSpace(self, unit, sample_weight)

    def pair_search(self) -> PairSearch:
        grid = self.grid()
        if len(grid.columns) > 2:
            # Products of columns need both: from here on chunks have whole rows.
            self._grid = grid = ChunkGrid(grid.array.rechunk({1: -1}), self.dtype)
        return DaskPairs(grid)

    def grid(self) -> ChunkGrid:
        """Return the loaded chunks."""
        if self._grid is None:
            self._grid = ChunkGrid(self._X, self.dtype)
        return self._grid

    def few_columns(self, ids: Array) -> Columns:
        """Return columns, float64, computed from X if its chunks are not loaded."""
        if self._grid is not None:
            return self._grid.gather(ids)
        used, where = np.unique(ids, return_inverse=True)
        chunks = work.on_chunks(work.readable, self._X, self.dtype)
        return resolve_space(work.readable(chunks[:, used].compute(), self.dtype)).columns(where)


class DaskSpace(AwaySpace):
    """Columns of a dask array; the best are found where the chunks are.

    Every thread of every worker multiplies its chunks with its rows of a. The products are added up by
    a tree of workers, a block of columns as soon as all of its rows are in is reduced to its best,
    and only these come here.

    Parameters
    ----------
    matrix : DaskMatrix
    unit : {None, "norm", "std"}
        What is made one of every column, without copying X: its length, or its standard deviation.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in that.

    Examples
    --------
    >>> import dask.array, numpy as np
    >>> from handful.spaces.resolve import source_of, resolve_space
    >>> X = dask.array.from_array(np.eye(4), chunks=(2, 3))
    >>> resolve_space(source_of(X)).top(np.array([0.0, 2.0, 1.0, 0.0]), k=2)
    (array([1, 2]), array([4., 1.]))
    """

    def __init__(
        self, matrix: DaskMatrix, unit: Unit | None = None, sample_weight: Array | None = None
    ) -> None:
        super().__init__(*matrix.shape, matrix.dtype, None)
        self._matrix = matrix
        self._scale_there: Any = None
        self.measure_in(unit, sample_weight)

    def _set_factors(self, unit: Unit, weight: Array) -> None:
        grid = self._matrix.grid()
        total = float(weight.sum())
        factors = grid.finished(work.sums_and_squares_of, weight, work.unit_factors_of, total, unit)
        self._scale_there = grid.scheduler.kept(factors)
        (self.scale,) = grid.scheduler.results([self._scale_there])

    @cached_property
    def n_entries(self) -> int:
        return int(sum(self._matrix.grid().of_chunks(work.entry_count).values()))

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        k = min(k, self.n_features)
        return self._matrix.grid().best(as_columns(a), k, ascending(exclude), self._scale_there)

    def squared_scores(self, a: Array) -> Array:
        return self._brought(work.dots_of, a, work.squared_totals)

    def dots(self, a: Array) -> Array:
        return self._brought(work.dots_of, a, work.totals)

    def sums_and_squares(self, weight: Array) -> Array:
        return self._brought(work.sums_and_squares_of, weight, work.totals)

    def gather(self, ids: Array) -> Columns:
        return self._matrix.few_columns(np.asarray(ids, dtype=np.int64))

    def stored(self) -> Iterator[Array]:
        grid = self._matrix.grid()
        yield from (grid.rows, grid.columns)
        for _, digest in sorted(grid.of_chunks(work.digest).items()):
            yield np.frombuffer(digest.encode(), dtype=np.uint8)

    def _brought(self, *question: Any) -> Array:
        grid = self._matrix.grid()
        result: Array
        (result,) = grid.scheduler.results([grid.finished(*question)])
        return result

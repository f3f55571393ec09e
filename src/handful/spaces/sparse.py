"""Sparse matrices by column (CSC) or by row (CSR), used in place and never made dense."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from handful.kernels import sparse as kernels
from handful.sizes import current_sizes, slices
from handful.spaces.base import Array, ExplicitSpace, Unit
from handful.threads import map_in_threads

Result = TypeVar("Result")

# Outputs whose sums are scattered together: many if those sums stay in the cache, else as few as cost little memory.
MOST_AT_ONCE, LEAST_AT_ONCE, CACHED_SUMS = 32, 4, 50_000


class CompressedSpace(ExplicitSpace):
    """Columns of a compressed sparse matrix, by column or by row."""

    _add_squares: Callable[..., None]  # adds the sums of squares of all columns, rows weighted

    def __init__(
        self,
        X: sp.csc_array | sp.csr_array,
        unit: Unit | None = None,
        n_threads: int = 1,
        sample_weight: Array | None = None,
    ) -> None:
        super().__init__(X.shape[0], X.shape[1], X.dtype, None)
        self.X = X
        self.n_threads = self._useful_threads(n_threads)
        self.measure_in(unit, sample_weight)

    def _useful_threads(self, n_threads: int) -> int:
        return n_threads

    @property
    def n_entries(self) -> int:
        return int(self.X.nnz)

    def stored(self) -> tuple[Array, ...]:
        return self.X.indptr, self.X.indices, self.X.data

    def sums_and_squares(self, weight: Array) -> Array:
        X, squares = self.X, np.zeros(self.n_features)
        self._add_squares(X.indptr, X.indices, X.data, weight, squares)
        return np.column_stack([X.T @ weight, squares])


class CSCSpace(CompressedSpace):
    """Columns of a CSC matrix; each score is one walk down its column.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from handful.spaces import CSCSpace
    >>> CSCSpace(sp.csc_array(np.eye(3))).top(np.array([0.0, 2.0, 1.0]), k=1)
    (array([1]), array([4.]))
    """

    _add_squares = staticmethod(kernels.csc_squared_norms)

    def squared_scores(self, a: Array) -> Array:
        X = self.X
        scores = np.empty(self.n_features)

        def walk(start: int, stop: int) -> None:
            kernels.csc_scores(X.indptr, X.indices, X.data, a, start, stop, scores)

        map_ranges(walk, X.indptr, self.n_threads)
        return scores

    def dots(self, a: Array) -> Array:
        return np.asarray(self.X.T @ a)

    def gather(self, ids: Array) -> sp.csc_array:
        return sp.csc_array(self.X[:, ids], dtype=np.float64)


class CSRSpace(CompressedSpace):
    """Columns of a CSR matrix; scores are scattered row by row, columns picked in one pass.

    No transposed copy is made: the extra memory is a few numbers per feature and thread.
    """

    _add_squares = staticmethod(kernels.csr_squared_norms)

    def _useful_threads(self, n_threads: int) -> int:
        # Each thread has its own sums, one per feature; adding them up must stay cheap.
        return max(1, min(n_threads, self.X.nnz // (4 * max(self.n_features, 1))))

    def in_memory(self) -> CSCSpace:
        # Folds pick columns a hundred times, each time in a walk over all entries. By column that is nothing, and
        # what folds are made of is small: this copy is worth its memory.
        by_column = CSCSpace(sp.csc_array(self.X), n_threads=self.n_threads)
        by_column.scale, by_column.column_unit = self.scale, self.column_unit
        return by_column

    def squared_scores(self, a: Array) -> Array:
        scores = np.zeros(self.n_features)
        in_cache = CACHED_SUMS // max(self.n_features, 1)
        at_once = min(max(in_cache, LEAST_AT_ONCE), MOST_AT_ONCE)
        for some in slices(a.shape[1], at_once):
            kernels.add_squares(self.dots(np.ascontiguousarray(a[:, some])), scores)
        return scores

    def dots(self, a: Array) -> Array:
        def scatter(start: int, stop: int) -> Array:
            part = np.zeros((self.n_features, a.shape[1]))
            self._add_rows(a, start, stop, part)
            return part

        dots, *others = map_ranges(scatter, self.X.indptr, self.n_threads)
        for part in others:
            dots += part
        return dots

    def add_dots(self, a: Array, total: Array) -> None:
        self._add_rows(a, 0, self.n_samples, total)

    def _add_rows(self, a: Array, start: int, stop: int, total: Array) -> None:
        X = self.X
        kernels.csr_add_dots(X.indptr, X.indices, X.data, a, start, stop, total)

    def gather(self, ids: Array) -> sp.csc_array:
        X = self.X
        order = np.argsort(ids)
        indptr, indices, data = kernels.csr_pick_columns(
            X.indptr, X.indices, X.data, ids[order], self.n_features
        )
        picked = sp.csc_array((data, indices, indptr), shape=(self.n_samples, len(ids)))
        return picked[:, np.argsort(order)]


def map_ranges(work: Callable[[int, int], Result], indptr: Array, n_threads: int) -> list[Result]:
    """Call ``work(start, stop)`` on ranges of major axis with equal numbers of entries."""
    n_ranges = max(1, min(n_threads, int(indptr[-1]) // current_sizes().entries_per_thread))
    # Goals of the type of indptr: other types would make a converted copy of it.
    goals = np.linspace(0, indptr[-1], n_ranges + 1)[1:-1].astype(indptr.dtype)
    cuts = [0, *np.searchsorted(indptr, goals).tolist(), len(indptr) - 1]
    ranges = list(itertools.pairwise(cuts))
    return map_in_threads(lambda bounds: work(*bounds), ranges, n_ranges)

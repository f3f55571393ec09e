"""The best products of two columns of a sparse matrix, without looking at most of them."""

from __future__ import annotations

import copy

import numpy as np
import scipy.sparse as sp

from handful.kernels import pairs as kernels
from handful.sizes import current_sizes
from handful.spaces.base import Array
from handful.spaces.pairs.search import Best, PairQuery, PairSearch
from handful.spaces.sparse import map_ranges
from handful.threads import map_in_threads


class SparsePairs(PairSearch):
    """Pairs of columns of a CSC matrix with sorted indices and no duplicates.

    Columns are ranked by their reach and each is paired with those below it. The reach of a column
    tells how far down its partners can lie, so a few columns are scanned and short parts of their rows.
    """

    def __init__(self, X: sp.csc_array) -> None:
        self.X = X
        self._signed = bool(X.nnz and X.data.min() < 0)

    def column_sums(self, a: Array, n_threads: int) -> Array:
        X = self.X
        out = np.empty((3, X.shape[1]))

        def walk(start: int, stop: int) -> None:
            kernels.csc_column_sums(X.indptr, X.indices, X.data, a, self._signed, start, stop, out)

        map_ranges(walk, X.indptr, n_threads)
        return out

    def add_best(self, best: Best, query: PairQuery) -> None:
        reach, factor = query.reach, query.factor
        kept = _worth_pairing(reach, best.floor / factor)
        floor, sizes = best.floor, current_sizes()
        sample = sizes.sampled_columns
        if len(kept) > sizes.many_samples * sample:
            # What the strongest columns make among themselves shows which of the others are no use.
            strongest = kept[np.argpartition(-reach[kept], sample)[:sample]]
            trial = copy.copy(best)
            self._scan(trial, query, strongest, floor)
            floor = trial.floor
            kept = _worth_pairing(reach, floor / factor)
        self._scan(best, query, kept, floor)

    def _scan(self, best: Best, query: PairQuery, columns: Array, floor: float) -> None:
        """Show ``best`` what pairs of some columns score, unless that is certainly below floor."""
        X, a, factor, numbering = self.X, query.a, query.factor, query.numbering
        n_threads = query.n_threads
        order = columns[np.argsort(-query.reach[columns], kind="stable")]
        reach = query.reach[order]
        matrix = kernels.by_rank(X.indptr, X.indices, X.data, order, a.any(axis=1))
        scheme = (numbering.n_columns, numbering.apart, numbering.n_linear)
        sums = [np.zeros((len(order), a.shape[1])) for _ in range(n_threads)]

        def scan(thread: int) -> tuple[Array, Array]:
            span = (start + thread, stop, n_threads)
            return kernels.scan_pairs(
                span, matrix, order, reach, a, factor, floor, best.k, scheme, best.exclude,
                sums[thread],
            )  # fmt: skip

        start, size = 0, current_sizes().first_scanned * n_threads
        while start + 1 < len(order) and (factor * (reach[start] * reach[start + 1]) ** 2 >= floor):
            stop = min(start + size, len(order))
            found = map_in_threads(scan, range(n_threads), n_threads)
            best.add(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
            floor = max(floor, best.floor)
            start, size = stop, 2 * size


def _worth_pairing(reach: Array, floor: float) -> Array:
    """Return the columns that may form a pair of a score not below floor."""
    furthest = reach.max(initial=0.0)
    return np.flatnonzero((reach > 0) & (reach * furthest >= np.sqrt(floor)))

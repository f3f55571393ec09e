"""The best products of two columns of a dense matrix, tile by tile of ``X' diag(a) X``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handful.kernels import pairs as kernels
from handful.kernels.sparse import add_squares
from handful.sizes import blocks, current_sizes, slices
from handful.spaces.base import Array
from handful.spaces.pairs.search import Best, PairQuery, Tile, TiledPairs


class DensePairs(TiledPairs):
    """Pairs of columns of a 2-D array.

    A tile tells roughly what its pairs score. The few that may be among the best are scored again in
    float64, row by row.
    """

    def __init__(self, X: Array) -> None:
        self.X = X
        self._signed = bool(X.min(initial=0.0) < 0)

    def column_sums(self, a: Array, n_threads: int) -> Array:
        dots, squares, weights = partial_sums(self.X, a)
        return kernels.summarize(dots, squares, weights, self._signed)

    def tile_sizes(self, n_outputs: int) -> tuple[int, int, int]:
        size = current_sizes().tile_columns
        return size, size, size

    def add_tile(self, best: Best, query: PairQuery, tile: Tile) -> None:
        upper, lower, reach = tile.upper, tile.lower, query.reach
        shares = self._shares(query.a, reach, upper, lower)
        if tile.is_first:
            shares[np.tril_indices(len(shares))] = 0.0
        i, j = _candidates(shares, reach[upper], reach[lower], best, query.factor)
        self._add_pairs(best, query, upper[i], lower[j])

    def _shares(self, a: Array, reach: Array, upper: Array, lower: Array) -> Array:
        """Roots of the scores of a tile of pairs as shares of their bounds, up to :func:`_error`.

        Entries are divided by the reach of their column and weighted by a root of a: whatever the
        scale of X and a, float32 holds them.
        """
        root = np.sqrt(np.abs(a))
        signed_root = np.copysign(root, a)
        sums = np.zeros((a.shape[1], len(upper), len(lower)))
        for rows in slices(len(a), current_sizes().tile_rows):
            left = self.X[rows][:, upper] / reach[upper]
            right = self.X[rows][:, lower] / reach[lower]
            for k in range(a.shape[1]):
                sums[k] += _weighted(left, signed_root[rows, k]).T @ _weighted(right, root[rows, k])
        return np.abs(sums[0]) if len(sums) == 1 else np.linalg.norm(sums, axis=0)

    def _add_pairs(self, best: Best, query: PairQuery, upper: Array, lower: Array) -> None:
        left, right = np.minimum(upper, lower), np.maximum(upper, lower)
        for some in blocks(len(left), len(query.a)):
            scores = query.factor * self._scores(query.a, left[some], right[some])
            best.add(query.numbering.encode(left[some], right[some]), scores)

    def _scores(self, a: Array, left: Array, right: Array) -> Array:
        sums = np.zeros((len(left), a.shape[1]))
        used, where = np.unique(np.concatenate([left, right]), return_inverse=True)
        for rows, block in _row_blocks(self.X, used):
            kernels.add_pair_sums(block, where[: len(left)], where[len(left) :], a[rows], sums)
        scores = np.zeros(len(left))
        add_squares(sums, scores)
        return scores


def partial_sums(X: Array, a: Array) -> list[Array]:
    """What some rows add to ``dots``, ``squares`` and ``weights`` of ``kernels.summarize``."""
    sums = [np.zeros((a.shape[1], X.shape[1])) for _ in range(3)]
    for rows, block in _row_blocks(X, slice(None)):
        kernels.add_column_sums(block, a[rows], *sums)
    return sums


def _row_blocks(X: Array, columns: Array | slice) -> Iterator[tuple[slice, Array]]:
    """Give a few rows at a time of some columns, row-major float64."""
    width = len(columns) if isinstance(columns, np.ndarray) else X.shape[1]
    for rows in blocks(len(X), max(width, current_sizes().tile_columns)):
        yield rows, np.ascontiguousarray(X[rows][:, columns], dtype=np.float64)


def _error() -> float:
    """What a tile may be off, as a share of the product of two reaches.

    Sums over some rows of products of two rounded numbers, whose absolute values add up to at most 2.
    """
    return 4 * (current_sizes().tile_rows + 8) * 2.0**-24


def _weighted(block: Array, weights: Array) -> Array:
    """Multiply rows by weights in float64 and round to float32."""
    out = np.empty_like(block, dtype=np.float32)
    return np.multiply(block, weights[:, None], out=out, casting="same_kind")


def _candidates(
    shares: Array, upper_reach: Array, lower_reach: Array, best: Best, factor: float
) -> tuple[Array, Array]:
    """Return the positions in a tile of the pairs that may be among the best."""
    bounds = np.outer(upper_reach, lower_reach)
    needed, error = np.sqrt(best.floor / factor), _error()
    certain = np.where(shares > 0, (shares - error) * bounds, -np.inf)
    wanted = best.k + len(best.exclude)
    if wanted < certain.size:
        needed = max(needed, np.partition(certain, certain.size - wanted, axis=None)[-wanted])
    i, j = np.nonzero((shares > 0) & ((shares + error) * bounds >= needed))
    return i, j

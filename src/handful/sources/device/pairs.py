"""The best products of two columns of a dense tensor, tile by tile of ``X' diag(a) X`` on its device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.kernels import pairs as kernels
from handful.sizes import current_sizes
from handful.sources.device.arrays import batches, exact_float32, free_bytes, put, room_for, take
from handful.spaces.base import Array
from handful.spaces.pairs.search import Best, PairQuery, Tile, TiledPairs

if TYPE_CHECKING:
    from handful.sources.device.matrix import DeviceSpace

BYTES_OF_PANEL = 64  # for each pair in two panels, when the best are looked for
# GPUs of these generations multiply matrices in float64 no slower than in float32.
FAST_DOUBLES = ((6, 0), (7, 0), (8, 0), (9, 0), (10, 0))


class DensePairsOnDevice(TiledPairs):
    """Pairs of columns of a dense tensor.

    A tile tells roughly what its pairs score: to 1e-9 of the product of their two reaches where it is
    multiplied in float64, to 5e-4 in float32. The few that may be among the best are scored again in float64,
    row by row.

    Parameters
    ----------
    space : DeviceSpace
        Of a dense tensor, without a scale.
    in_float64 : bool, optional
        Whether tiles are multiplied in float64; if not given, where that is no slower.
    """

    def __init__(self, space: DeviceSpace, in_float64: bool | None = None) -> None:
        self._space = space
        self._X = space.storage.values
        self._signed = bool((self._X.amin() < 0).item()) if self._X.numel() else False
        self._in_float64 = has_fast_doubles(self._X) if in_float64 is None else in_float64
        terms = space.n_samples if self._in_float64 else current_sizes().device_tile_rows
        #: How far a tile may be off, as a share of the product of two reaches: rounded sums of
        #: rounded products, whose absolute values add up to at most 2.
        self._error = 4 * (terms + 8) * (2.0**-53 if self._in_float64 else 2.0**-24)

    def column_sums(self, a: Array, n_threads: int) -> Array:
        storage, on_device = self._space.storage, put(a, self._X)
        dots = take(storage.dots(on_device, in_float64=True))
        self._space.refuse(dots.sum(axis=1))
        squares = take(storage.dots(on_device, in_float64=True, square=True))
        weights = take(storage.dots(on_device.abs(), in_float64=True, square=True))
        dots, squares, weights = (np.ascontiguousarray(part.T) for part in (dots, squares, weights))
        return kernels.summarize(dots, squares, weights, self._signed)

    def tile_sizes(self, n_outputs: int) -> tuple[int, int, int]:
        """Panels of many tiles, as large as the memory allows."""
        free, sizes = free_bytes(self._X), current_sizes()
        size, least = sizes.device_panel_columns, sizes.device_tile_columns
        while free is not None and size > least and 2 * BYTES_OF_PANEL * size**2 > free:
            size //= 2
        return size, size, size

    def add_tile(self, best: Best, query: PairQuery, tile: Tile) -> None:
        upper = np.sort(tile.upper)
        lower = upper if tile.is_first else np.sort(tile.lower)
        query = replace(query, a=put(query.a, self._X))
        with exact_float32():
            i, j = self._candidates(best, query, upper, lower)
            self._add_pairs(best, query, upper[i], lower[j])

    def _candidates(
        self, best: Best, query: PairQuery, upper: Array, lower: Array
    ) -> tuple[Array, Array]:
        """Return the positions in two panels of the pairs that may be among the best."""
        import torch

        a: Any = query.a
        reach, least_square = query.reach, best.floor / query.factor
        needed_bytes = BYTES_OF_PANEL * len(upper) * len(lower)
        with room_for("A tile of pairs", needed_bytes, self._X):
            in_reach = _tiles_in_reach(reach[upper], reach[lower], least_square)
            if upper is lower:
                in_reach = np.triu(in_reach)
            roots = self._roots(a, reach, upper, lower, in_reach)
            if upper is lower:
                roots = roots.triu_(diagonal=1)
            slack = torch.outer(put(reach[upper], a), put(reach[lower], a)).mul_(self._error)
            needed = torch.tensor(np.sqrt(least_square), dtype=a.dtype, device=a.device)
            wanted = best.k + len(best.exclude)
            if wanted < roots.numel():
                certain = torch.where(roots > 0, roots - slack, -torch.inf)
                needed = torch.maximum(needed, certain.flatten().topk(wanted).values[-1])
            found = take(torch.nonzero((roots > 0) & (roots + slack >= needed)))
        return found[:, 0], found[:, 1]

    def _roots(self, a: Any, reach: Array, upper: Array, lower: Array, in_reach: Array) -> Any:
        """Roots of the scores of the pairs of two panels; zero in tiles that are not wanted."""
        import torch

        squares = torch.zeros((len(upper), len(lower)), dtype=a.dtype, device=a.device)
        size = current_sizes().device_tile_columns
        for k in range(a.shape[1]):
            sums = torch.zeros_like(squares)
            for left, right in self._weighted_rows(a[:, k], reach, upper, lower):
                for i, j in zip(*np.nonzero(in_reach), strict=True):
                    above, beside = (slice(t * size, (t + 1) * size) for t in (i, j))
                    sums[above, beside] += left[:, above].T @ right[:, beside]
            if a.shape[1] == 1:
                squares = sums.abs_()
            else:
                squares += sums.square_()
        roots = squares if a.shape[1] == 1 else squares.sqrt_()
        if not self._in_float64:
            roots *= torch.outer(put(reach[upper], a), put(reach[lower], a))
        return roots

    def _weighted_rows(
        self, a: Any, reach: Array, upper: Array, lower: Array
    ) -> Iterator[tuple[Any, Any]]:
        """Give the columns of both panels a few rows at a time, times a root of a each.

        In float32 they are also divided by their reach: whatever the scale of X and a, it holds them.
        """
        root, sign = a.abs().sqrt()[:, None], a.sign()[:, None]
        most = None if self._in_float64 else current_sizes().device_tile_rows
        for rows in batches(self._space.n_samples, 16 * (len(upper) + len(lower)), most):
            left = self._block(rows, upper, root, reach)
            if upper is lower:
                yield left, left * sign[rows].to(left.dtype)
            else:
                yield left, self._block(rows, lower, root * sign, reach)

    def _block(self, rows: slice, columns: Array, factors: Any, reach: Array) -> Any:
        import torch

        block = self._X[rows]
        if len(columns) < self._space.n_features:
            block = block.index_select(1, put(columns, self._X))
        weighted = block * factors[rows]
        if self._in_float64:
            return weighted
        return (weighted / put(reach[columns], factors)).to(torch.float32)

    def _add_pairs(self, best: Best, query: PairQuery, upper: Array, lower: Array) -> None:
        """Score pairs in float64, every one in the same order of rows: equal pairs have equal scores."""
        a: Any = query.a
        left, right = np.minimum(upper, lower), np.maximum(upper, lower)
        for some in batches(len(left), 32 * self._space.n_samples):
            products = self._space.rows_of(left[some]).mul_(self._space.rows_of(right[some]))
            sums = [(products * a[:, k]).sum(dim=1).square_() for k in range(a.shape[1])]
            scores = query.factor * take(sum(sums))
            best.add(query.numbering.encode(left[some], right[some]), scores)


def has_fast_doubles(X: Any) -> bool:
    """Whether the device of X multiplies matrices of float64 about as fast as of float32."""
    if X.device.type != "cuda":
        return True
    import torch

    return torch.cuda.get_device_capability(X.device) in FAST_DOUBLES


def _tiles_in_reach(upper_reach: Array, lower_reach: Array, least_square: float) -> Array:
    """Tell which tiles of two panels may hold a pair that is wanted."""
    size = current_sizes().device_tile_columns
    tops, sides = (
        np.maximum.reduceat(reach, np.arange(0, len(reach), size))
        for reach in (upper_reach, lower_reach)
    )
    return np.asarray(np.outer(tops, sides) ** 2 >= least_square)

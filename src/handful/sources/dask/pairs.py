"""The best products of two columns of a dask array: strips of ``X' diag(a) X``, added up by a tree."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels import pairs as kernels
from handful.sources.dask.chunks import Place
from handful.sources.dask.grid import ChunkGrid
from handful.spaces.base import BLOCK_ENTRIES, Array, best_of
from handful.spaces.pairs.dense import partial_sums
from handful.spaces.pairs.numbering import PairNumbering
from handful.spaces.pairs.search import Best, PairSearch
from handful.spaces.resolve import is_sparse, resolve_space

HEIGHT = 256  # columns on the short side of a strip


class DaskPairs(PairSearch):
    """Pairs of columns of chunks with whole rows.

    Columns are ranked by their reach. A strip pairs HEIGHT of them with many below; every worker adds
    up the products of its rows, in float64, and the k best of the whole strip come here. A strip that cannot
    reach the best is not computed.

    Parameters
    ----------
    grid : ChunkGrid
        Of one column block.
    """

    def __init__(self, grid: ChunkGrid) -> None:
        self._grid = grid

    def column_sums(self, a: Array, n_threads: int) -> Array:
        grid = self._grid
        parts = [
            grid.scheduler.submit(sums_of, places, chunks, grid.rows_of(places, a))
            for places, chunks in grid.parts()
        ]
        root = grid.scheduler.submit(summaries, grid.tree(parts, added), grid.is_signed)
        out: Array
        (out,) = grid.scheduler.results([root])
        return out

    def add_best(
        self,
        best: Best,
        a: Array,
        reach: Array,
        factor: float,
        numbering: PairNumbering,
        n_threads: int,
    ) -> None:
        order = np.argsort(-reach, kind="stable")
        order = order[reach[order] > 0]
        # The first strips are short: what they find shows which of the others are no use.
        most = max(HEIGHT, BLOCK_ENTRIES // (HEIGHT * a.shape[1]))
        width = HEIGHT
        for top in range(0, len(order), HEIGHT):
            side = top
            while side < len(order):
                if factor * (reach[order[top]] * reach[order[side]]) ** 2 < best.floor:
                    break
                strip = Strip(order[top : top + HEIGHT], order[side : side + width], side == top)
                best.add(*self._best_in(strip, best, a, factor, numbering))
                side, width = side + width, min(2 * width, most)
            if side == top:
                return

    def _best_in(
        self, strip: Strip, best: Best, a: Array, factor: float, numbering: PairNumbering
    ) -> tuple[Array, Array]:
        grid = self._grid
        parts = [
            grid.scheduler.submit(products_of, places, chunks, grid.rows_of(places, a), strip)
            for places, chunks in grid.parts()
        ]
        wanted = (best.k, best.floor, best.exclude)
        root = grid.scheduler.submit(
            best_pairs, grid.tree(parts, added), strip, factor, numbering, *wanted
        )
        ((ids, scores),) = grid.scheduler.results([root])
        return ids, scores


@dataclass(frozen=True)
class Strip:
    """Some columns and those they are paired with.

    Attributes
    ----------
    upper, lower : ndarray of int64
    is_first : bool
        Whether lower begins with upper: of these every pair counts once.
    """

    upper: Array
    lower: Array
    is_first: bool


def sums_of(places: Sequence[Place], chunks: Sequence[Any], a: Mapping[int, Array]) -> list[Array]:
    """Sums over rows that tell what each column can do: three arrays (outputs, columns)."""
    of_chunk = (
        _sparse_sums(chunk, a[row]) if is_sparse(chunk) else partial_sums(chunk, a[row])
        for (row, _), chunk in zip(places, chunks, strict=True)
    )
    return functools.reduce(lambda first, second: added([first, second]), of_chunk)


def summaries(sums: list[Array], signed: bool) -> Array:
    """Linear score, square score and reach of each column."""
    dots, squares, weights = sums
    out: Array = kernels.summarize(dots, squares, weights, signed)
    return out


def products_of(
    places: Sequence[Place], chunks: Sequence[Any], a: Mapping[int, Array], strip: Strip
) -> list[Any]:
    """Sums over rows of the products of pairs, for each output (upper, lower): sparse for sparse chunks."""
    of_rows = (
        products
        for (row, _), chunk in zip(places, chunks, strict=True)
        for products in _products(chunk, a[row], strip)
    )
    return functools.reduce(lambda first, second: added([first, second]), of_rows)


def added(parts: Sequence[Sequence[Any]]) -> list[Any]:
    """Add up arrays of the same meaning."""
    return [sum(rest, start=first) for first, *rest in zip(*parts, strict=True)]


def best_pairs(
    products: Sequence[Any],
    strip: Strip,
    factor: float,
    numbering: PairNumbering,
    k: int,
    floor: float,
    exclude: Array,
) -> tuple[Array, Array]:
    """The k best pairs of a strip, and their scores."""
    scores = factor * sum(values * values for values in products)
    if is_sparse(scores):
        i, j = (scores := scores.tocoo()).coords
        scores = scores.data
    else:
        i, j = np.nonzero(scores >= max(floor, np.finfo(float).tiny))
        scores = scores[i, j]
    keep = scores >= floor
    if strip.is_first:
        keep &= i < j
    first, second = strip.upper[i[keep]], strip.lower[j[keep]]
    ids = numbering.encode(np.minimum(first, second), np.maximum(first, second))
    return best_of(ids, scores[keep], k, exclude)


def _sparse_sums(chunk: Any, a: Array) -> list[Array]:
    squared = chunk.astype(np.float64)  # a copy
    np.square(squared.data, out=squared.data)
    return [np.asarray(sums.T) for sums in (chunk.T @ a, squared.T @ a, squared.T @ np.abs(a))]


def _products(chunk: Any, a: Array, strip: Strip) -> Iterator[list[Any]]:
    """Give the products over a few rows at a time."""
    if is_sparse(chunk):
        space = resolve_space(chunk, n_jobs=1)
        upper, lower = space.gather(strip.upper), space.gather(strip.lower)
        yield [sp.csr_array((sp.diags_array(weight) @ upper).T @ lower) for weight in a.T]
        return
    step = max(1, BLOCK_ENTRIES // (len(strip.upper) + len(strip.lower)))
    for start in range(0, len(chunk), step):
        rows = slice(start, start + step)
        upper, lower = (
            chunk[rows][:, ids].astype(np.float64) for ids in (strip.upper, strip.lower)
        )
        yield [(upper * weight[:, None]).T @ lower for weight in a[rows].T]

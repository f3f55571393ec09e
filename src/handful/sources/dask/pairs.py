"""The best products of two columns of a dask array: strips of ``X' diag(a) X``, added up by a tree."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels import pairs as kernels
from handful.sizes import blocks, current_sizes
from handful.sources.dask.chunks import Place
from handful.sources.dask.grid import ChunkGrid
from handful.spaces.base import Array, best_of
from handful.spaces.pairs.dense import partial_sums
from handful.spaces.pairs.search import Best, PairNumbering, PairQuery, Tile, TiledPairs
from handful.spaces.resolve import is_sparse, resolve_space


class DaskPairs(TiledPairs):
    """Pairs of columns of chunks with whole rows.

    A tile is a strip that pairs some columns with many below; every worker adds up the products of its
    rows, in float64, and the k best of the whole strip come here.

    Parameters
    ----------
    grid : ChunkGrid
        Of one column block.
    """

    def __init__(self, grid: ChunkGrid) -> None:
        self._grid = grid

    def column_sums(self, a: Array, n_threads: int) -> Array:
        grid = self._grid
        sums = grid.tree(grid.with_rows(sums_of, a), added)
        root = grid.scheduler.submit(summaries, sums, grid.is_signed)
        out: Array
        (out,) = grid.scheduler.results([root])
        return out

    def tile_sizes(self, n_outputs: int) -> tuple[int, int, int]:
        # The first strips are short: what they find shows which of the others are no use.
        sizes = current_sizes()
        height = sizes.strip_columns
        return height, height, max(height, sizes.block_entries // (height * n_outputs))

    def add_tile(self, best: Best, query: PairQuery, tile: Tile) -> None:
        grid = self._grid
        products = grid.tree(grid.with_rows(products_of, query.a, tile), added)
        wanted = (best.k, best.floor, best.exclude)
        root = grid.scheduler.submit(
            best_pairs, products, tile, query.factor, query.numbering, *wanted
        )
        ((ids, scores),) = grid.scheduler.results([root])
        best.add(ids, scores)


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
    return kernels.summarize(dots, squares, weights, signed)


def products_of(
    places: Sequence[Place], chunks: Sequence[Any], a: Mapping[int, Array], tile: Tile
) -> list[Any]:
    """Sums over rows of the products of pairs, for each output (upper, lower): sparse for sparse chunks."""
    of_rows = (
        products
        for (row, _), chunk in zip(places, chunks, strict=True)
        for products in _products(chunk, a[row], tile)
    )
    return functools.reduce(lambda first, second: added([first, second]), of_rows)


def added(parts: Sequence[Sequence[Any]]) -> list[Any]:
    """Add up arrays of the same meaning."""
    return [sum(rest, start=first) for first, *rest in zip(*parts, strict=True)]


def best_pairs(
    products: Sequence[Any],
    tile: Tile,
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
    if tile.is_first:
        keep &= i < j
    first, second = tile.upper[i[keep]], tile.lower[j[keep]]
    ids = numbering.encode(np.minimum(first, second), np.maximum(first, second))
    return best_of(ids, scores[keep], k, exclude)


def _sparse_sums(chunk: Any, a: Array) -> list[Array]:
    squared = chunk.astype(np.float64)  # a copy
    np.square(squared.data, out=squared.data)
    return [np.asarray(sums.T) for sums in (chunk.T @ a, squared.T @ a, squared.T @ np.abs(a))]


def _products(chunk: Any, a: Array, tile: Tile) -> Iterator[list[Any]]:
    """Give the products over a few rows at a time."""
    if is_sparse(chunk):
        space = resolve_space(chunk, n_jobs=1)
        upper, lower = space.gather(tile.upper), space.gather(tile.lower)
        yield [sp.csr_array((sp.diags_array(weight) @ upper).T @ lower) for weight in a.T]
        return
    for rows in blocks(len(chunk), len(tile.upper) + len(tile.lower)):
        upper, lower = (chunk[rows][:, ids].astype(np.float64) for ids in (tile.upper, tile.lower))
        yield [(upper * weight[:, None]).T @ lower for weight in a[rows].T]

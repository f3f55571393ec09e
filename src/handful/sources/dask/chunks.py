"""What is done to chunks of a matrix where they lie: a worker gets chunks and sends small results.

A place is (row block, column block) of the grid that the matrix is cut into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful.kernels.sparse import add_squares
from handful.kernels.top import top_k
from handful.spaces.base import NO_IDS, Array, Columns, Unit, best_of
from handful.spaces.columns import unit_factors
from handful.spaces.resolve import is_sparse, resolve_space
from handful.validation.cells import check_finite
from handful.validation.indices import checked

Place = tuple[int, int]


def readable(chunk: Any, dtype: np.dtype[Any]) -> Any:
    """Return a chunk of which columns can be had: ndarray, CSR or CSC, not a copy where it is so."""
    if is_sparse(chunk):
        return _single_entries(checked(chunk)).astype(dtype, copy=False)
    return np.asarray(np.ma.filled(np.ma.asarray(chunk, dtype=dtype), np.nan))


def prepared(chunk: Any, dtype: np.dtype[Any], block_info: Any = None) -> Any:
    """Return a checked chunk in the form it is computed with; dask says where it lies."""
    chunk = readable(chunk, dtype)
    rows, columns = block_info[0]["array-location"]
    check_finite(chunk, first=(rows[0], columns[0]))
    return _space(chunk).X  # by columns where that is quicker


def on_chunks(function: Callable[..., Any], X: Any, dtype: np.dtype[Any]) -> Any:
    """Return the dask array of what a function makes of each chunk of X and dtype."""
    return X.map_blocks(function, dtype, dtype=dtype, meta=np.empty((0, 0), dtype=dtype))


def of_each(
    function: Callable[..., Any], places: Sequence[Place], chunks: Sequence[Any], *args: Any
) -> list[tuple[Place, Any]]:
    """What a function says of each chunk, and of its place."""
    pairs = zip(places, chunks, strict=True)
    return [(place, function(place, chunk, *args)) for place, chunk in pairs]


def described(place: Place, chunk: Any) -> tuple[tuple[int, int], bool, bool]:
    """Shape of a chunk, whether it is sparse, and whether it has negative numbers."""
    values = chunk.data if is_sparse(chunk) else chunk
    return chunk.shape, is_sparse(chunk), bool(values.min(initial=0.0) < 0)


def digest(place: Place, chunk: Any) -> str:
    """Text that differs for other numbers."""
    return str(_space(chunk).fingerprint())


def entry_count(place: Place, chunk: Any) -> int:
    """How many numbers a chunk stores."""
    return int(_space(chunk).n_entries)


def picked(place: Place, chunk: Any, wanted: Mapping[int, Array]) -> Columns:
    """Return the columns ``wanted`` of each column block, in the type of the data."""
    return _space(chunk).gather(wanted[place[1]]).astype(chunk.dtype, copy=False)


@dataclass(frozen=True)
class Question:
    """Which columns are wanted.

    Attributes
    ----------
    k : int
        How many.
    exclude : ndarray of int64, ascending
    starts : ndarray
        The first column of each column block.
    n_row_blocks : int
        Sums over this many chunks are complete.
    """

    k: int
    exclude: Array
    starts: Array
    n_row_blocks: int


@dataclass(frozen=True)
class Sums:
    """What travels up the tree: sums of some chunks, and the best columns of those that are complete.

    Attributes
    ----------
    blocks : dict
        For a column block: over how many chunks, and the sums (n_columns, n_outputs).
    ids, scores : ndarray
    """

    blocks: dict[int, tuple[int, Array]]
    ids: Array = field(default_factory=lambda: NO_IDS)
    scores: Array = field(default_factory=lambda: np.empty(0))


def dots_of(
    places: Sequence[Place],
    chunks: Sequence[Any],
    a: Mapping[int, Array],
    question: Question | None = None,
    scale: Array | None = None,
) -> Sums:
    """Multiply columns with the rows of a that belong to each row block."""
    blocks: dict[int, tuple[int, Array]] = {}
    for (row, column), chunk in zip(places, chunks, strict=True):
        if column not in blocks:
            blocks[column] = (0, np.zeros((chunk.shape[1], a[row].shape[1])))
        count, dots = blocks[column]
        _space(chunk).add_dots(a[row], dots)
        blocks[column] = (count + 1, dots)
    return _settled(Sums(blocks), question, scale)


def sums_and_squares_of(
    places: Sequence[Place], chunks: Sequence[Any], weight: Mapping[int, Array]
) -> Sums:
    """Sums of columns and of their squares, rows weighted."""
    blocks: dict[int, tuple[int, Array]] = {}
    for (row, column), chunk in zip(places, chunks, strict=True):
        _add(blocks, column, 1, _space(chunk).sums_and_squares(weight[row]))
    return Sums(blocks)


def added(
    parts: Sequence[Sums], question: Question | None = None, scale: Array | None = None
) -> Sums:
    """Add up sums of different chunks."""
    blocks: dict[int, tuple[int, Array]] = {}
    for part in parts:
        for column, (count, sums) in part.blocks.items():
            _add(blocks, column, count, sums)
    ids = np.concatenate([part.ids for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    return _settled(Sums(blocks, ids, scores), question, scale)


def totals(sums: Sums) -> Array:
    """The sums of all columns in order."""
    return np.concatenate([sums.blocks[column][1] for column in sorted(sums.blocks)])


def squared_totals(sums: Sums) -> Array:
    """The scores of all columns in order."""
    return _squared(totals(sums))


def unit_factors_of(sums: Sums, total_weight: float, unit: Unit) -> Array:
    """Factors of columns, from their sums and those of their squares."""
    return unit_factors(totals(sums), total_weight, unit)


def _add(blocks: dict[int, tuple[int, Array]], column: int, count: int, sums: Array) -> None:
    if column in blocks:
        count_before, sums_before = blocks[column]
        blocks[column] = (count_before + count, sums_before + sums)
    else:
        blocks[column] = (count, sums)


def _settled(sums: Sums, question: Question | None, scale: Array | None) -> Sums:
    """Keep only the best columns of the blocks whose sums are complete."""
    if question is None:
        return sums
    ids, scores, open_blocks = [sums.ids], [sums.scores], {}
    for column, (count, dots) in sums.blocks.items():
        if count < question.n_row_blocks:
            open_blocks[column] = (count, dots)
            continue
        start = question.starts[column]
        all_scores = _squared(dots)
        if scale is not None:
            all_scores *= np.square(scale[start : start + len(dots)])
        own = question.exclude[np.searchsorted(question.exclude, start) :] - start
        best, best_scores = top_k(all_scores, min(question.k, len(dots)), own)
        ids.append(best + start)
        scores.append(best_scores)
    return Sums(open_blocks, *best_of(np.concatenate(ids), np.concatenate(scores), question.k))


def _squared(dots: Array) -> Array:
    scores = np.zeros(len(dots))
    add_squares(np.ascontiguousarray(dots), scores)
    return scores


def _space(chunk: Any) -> Any:
    return resolve_space(chunk, n_jobs=1)


def _single_entries(chunk: Any) -> Any:
    """Return a sparse chunk by rows or columns, every entry once."""
    if chunk.format not in ("csr", "csc"):
        chunk = chunk.tocsr()
    if not chunk.has_canonical_format:
        chunk = chunk.copy()
        chunk.sum_duplicates()
    return chunk

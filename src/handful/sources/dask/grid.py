"""The chunks of a dask array, held where they are, and the tree that adds up what they give."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sources.dask import chunks as work
from handful.sources.dask.chunks import Place
from handful.sources.dask.schedulers import Handle, scheduler_of
from handful.spaces.base import Array, Columns
from handful.validation.sources import check_chunks, check_kinds

FAN_IN = 4  # sums that are added up in one step


class ChunkGrid:
    """A matrix cut into row blocks and column blocks, loaded and checked.

    Parameters
    ----------
    X : dask array of known chunk sizes
    dtype : dtype
        float32 or float64.

    Attributes
    ----------
    scheduler : Scheduler
    array : dask array
        The checked chunks, by which they can be cut anew.
    rows, columns : ndarray
        Where row blocks and column blocks begin, and at last the size.
    is_sparse, is_signed : bool
    """

    def __init__(self, X: Any, dtype: np.dtype[Any]) -> None:
        self.scheduler = scheduler_of(X)
        self.rows, self.columns = (np.cumsum([0, *sizes], dtype=np.int64) for sizes in X.chunks)
        self.array = work.on_chunks(work.prepared, X, dtype)
        self._grid = self.scheduler.load(self.array)
        self._places = [
            place
            for place in itertools.product(range(len(X.chunks[0])), range(len(X.chunks[1])))
            if all(self._shape(place))
        ]
        self._n_row_blocks = int(np.count_nonzero(np.diff(self.rows)))
        self._homes: list[Hashable] = []
        self._seen: Hashable = ()
        found = self.of_chunks(work.described)
        shapes, are_sparse, are_signed = zip(*(found[place] for place in self._places), strict=True)
        check_chunks(shapes, [self._shape(place) for place in self._places])
        check_kinds(are_sparse)
        self.is_sparse, self.is_signed = any(are_sparse), any(are_signed)

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        return int(self.rows[-1])

    def best(
        self, a: Array, k: int, exclude: Array, scale: Handle | None = None
    ) -> tuple[Array, Array]:
        """Return the k columns with the largest scores; only those come here."""
        question = work.Question(k, exclude, self.columns[:-1], self._n_row_blocks)
        (found,) = self.scheduler.results([self._sums(work.dots_of, a, question, scale)])
        return found.ids, found.scores

    def finished(
        self, sums: Callable[..., Any], a: Array, finish: Callable[..., Any], *args: Any
    ) -> Handle:
        """Have sums of all chunks made, and something of these."""
        return self.scheduler.submit(finish, self._sums(sums, a), *args)

    def gather(self, ids: Array) -> Columns:
        """Bring a few columns here; float64."""
        wanted, inverse = np.unique(ids, return_inverse=True)
        blocks = np.searchsorted(self.columns, wanted, side="right") - 1
        local = {int(c): wanted[blocks == c] - self.columns[c] for c in np.unique(blocks)}
        where = {c: np.flatnonzero(blocks == c) for c in local}
        pieces = self.of_chunks(work.picked, local, within=local)
        shape = (self.n_samples, len(wanted))
        assembled = _sparse_columns if self.is_sparse else _dense_columns
        columns = assembled(pieces, self.rows, where, shape)
        in_order = np.array_equal(inverse, np.arange(len(wanted)))
        return columns if in_order else columns[:, inverse]

    def of_chunks(
        self, function: Callable[..., Any], *args: Any, within: Container[int] | None = None
    ) -> dict[Place, Any]:
        """Bring what a function says of each chunk, or of those within some column blocks."""
        submit = self.scheduler.submit
        parts = [submit(work.of_each, function, *part, *args) for part in self.parts(within)]
        return dict(itertools.chain(*self.scheduler.results(parts)))

    def parts(
        self, within: Container[int] | None = None
    ) -> Iterator[tuple[list[Place], list[Handle]]]:
        """Give the chunks that one thread of one worker has, thread after thread.

        Where chunks are is asked again only when workers have come or gone.
        """
        workers = self.scheduler.workers()
        if workers != self._seen:
            self._homes = self.scheduler.homes([self._chunk(place) for place in self._places])
            self._seen = workers
        shares: dict[Hashable, list[Place]] = {}
        for place, home in zip(self._places, self._homes, strict=True):
            if within is None or place[1] in within:
                shares.setdefault(home, []).append(place)
        for places in shares.values():
            yield places, [self._chunk(place) for place in places]

    def tree(self, parts: Sequence[Handle], add: Callable[..., Any], *options: Any) -> Handle:
        """Add up results of parts, a few at a time."""
        level = list(parts)
        while len(level) > 1:
            level = [
                self.scheduler.submit(add, level[start : start + FAN_IN], *options)
                for start in range(0, len(level), FAN_IN)
            ]
        return level[0]

    def with_rows(self, function: Callable[..., Any], a: Array, *options: Any) -> list[Handle]:
        """Have a function work on the chunks of each thread and the rows of a that belong to them."""
        submit, rows = self.scheduler.submit, self.rows
        return [
            submit(
                function, places, chunks, {i: a[rows[i] : rows[i + 1]] for i, _ in places}, *options
            )
            for places, chunks in self.parts()
        ]

    def _sums(self, function: Callable[..., Any], a: Array, *options: Any) -> Handle:
        return self.tree(self.with_rows(function, a, *options), work.added, *options)

    def _chunk(self, place: Place) -> Handle:
        return self._grid[place[0]][place[1]]

    def _shape(self, place: Place) -> tuple[int, int]:
        row, column = place
        return int(np.diff(self.rows)[row]), int(np.diff(self.columns)[column])


def _dense_columns(
    pieces: dict[Place, Array], rows: Array, where: dict[int, Array], shape: tuple[int, int]
) -> Array:
    columns = np.empty(shape, order="F")
    for (row, column), piece in pieces.items():
        columns[rows[row] : rows[row + 1], where[column]] = piece
    return columns


def _sparse_columns(
    pieces: dict[Place, Any], rows: Array, where: dict[int, Array], shape: tuple[int, int]
) -> sp.csc_array:
    # Column blocks rise with the columns, so side by side they are in order.
    strips = [
        sp.hstack([pieces[row, column] for column in where], format="csc")
        for row in sorted({row for row, _ in pieces})
    ]
    if not strips:
        return sp.csc_array(shape)
    return sp.csc_array(sp.vstack(strips, format="csc"), dtype=np.float64)

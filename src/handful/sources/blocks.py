"""A matrix that is gone through block by block: of columns, several at a time, or of rows, each brought into memory for the while."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, Columns, ExplicitSpace, Unit
from handful.spaces.dense import DenseSpace
from handful.spaces.source import AwaySpace
from handful.spaces.sparse import CSRSpace
from handful.threads import map_apart

Result = TypeVar("Result")


def cut_by_entries(indptr: Array, first: int, most: int) -> Iterator[tuple[int, int]]:
    """Give lines from the first on, together as many as have no more entries, or one; ``indptr`` is where each begins, and the end."""
    n_lines = len(indptr) - 1
    while first < n_lines:
        stop = int(np.searchsorted(indptr, indptr[first] + most, side="right")) - 1
        stop = min(max(stop, first + 1), n_lines)
        yield first, stop
        first = stop


class Blocks(ABC):
    """Where the blocks of a matrix come from.

    Attributes
    ----------
    shape : tuple of two int
    dtype : dtype
    n_entries : int
        How many numbers are stored.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    n_entries: int

    @abstractmethod
    def fingerprint(self) -> str:
        """Return text that differs for other numbers."""


OfBlocks = TypeVar("OfBlocks", bound=Blocks)


class BlockedSpace(AwaySpace, Generic[OfBlocks]):
    """Columns of a matrix that is held in blocks.

    Parameters
    ----------
    blocks : Blocks
    unit, n_threads, sample_weight
        As of other spaces.
    """

    def __init__(
        self,
        blocks: OfBlocks,
        unit: Unit | None = None,
        n_threads: int = 1,
        sample_weight: Array | None = None,
    ) -> None:
        super().__init__(*blocks.shape, blocks.dtype, None)
        self.blocks = blocks
        self.n_threads = n_threads
        self.measure_in(unit, sample_weight)

    @property
    def n_entries(self) -> int:
        return self.blocks.n_entries

    def stored(self) -> Iterable[Array]:
        yield np.frombuffer(self.blocks.fingerprint().encode(), dtype=np.uint8)


class ColumnBlocks(Blocks):
    """Where the columns of a matrix come from.

    Attributes
    ----------
    starts : sequence of int
        The first column of each block, and the number of columns at the end.
    """

    starts: Sequence[int]

    @abstractmethod
    def block(self, number: int) -> ExplicitSpace:
        """Return the columns of a block, checked, as a space that uses one thread."""

    def prefetch(self, number: int) -> None:
        """Begin to bring in a block that will soon be wanted; its number may be too large."""


class ColumnBlockedSpace(BlockedSpace[ColumnBlocks]):
    """Columns of a matrix that is held as blocks of columns; threads take one block after the other."""

    def sums_and_squares(self, weight: Array) -> Array:
        parts = self._each(lambda block: block.sums_and_squares(weight))
        return np.concatenate([np.empty((0, 2)), *parts])

    def squared_scores(self, a: Array) -> Array:
        return np.concatenate([np.empty(0), *self._each(lambda block: block.squared_scores(a))])

    def dots(self, a: Array) -> Array:
        none = np.empty((0, a.shape[1]))
        return np.concatenate([none, *self._each(lambda block: block.dots(a))])

    def gather(self, ids: Array) -> Columns:
        ids = np.asarray(ids, dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        places = np.searchsorted(self.blocks.starts, ids[order], side="right") - 1
        parts: list[Columns] = []
        for number in np.unique(places):
            local = ids[order][places == number] - self.blocks.starts[number]
            parts.append(self.blocks.block(int(number)).gather(local))
        parts = parts or [self.blocks.block(0).gather(ids)]
        back = np.argsort(order)
        if sp.issparse(parts[0]):
            together = sp.hstack(parts, format="csc")
            return together if (back == np.arange(len(back))).all() else together[:, back]
        return np.asfortranarray(np.hstack(parts)[:, back])

    def _each(self, work: Callable[[ExplicitSpace], Result]) -> list[Result]:
        """Return what some work gives on each block, while the next blocks are brought in."""
        blocks = self.blocks
        n_blocks = len(blocks.starts) - 1
        ahead = 4 * self.n_threads + 4
        for number in range(ahead):
            blocks.prefetch(number)

        def on_block(number: int) -> Result:
            blocks.prefetch(number + ahead)
            return work(blocks.block(number))

        if self.n_threads == 1 or n_blocks == 1:
            return [on_block(number) for number in range(n_blocks)]
        return map_apart(on_block, range(n_blocks), self.n_threads)


class RowBlocks(Blocks):
    """Where the rows of a matrix come from."""

    @abstractmethod
    def row_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Give all rows from the first to the last, some at a time, as ndarray or CSR."""


class RowBlockedSpace(BlockedSpace[RowBlocks]):
    """Columns of a matrix that is held by rows: scores and columns take a pass over all of it."""

    def sums_and_squares(self, weight: Array) -> Array:
        total = np.zeros((self.n_features, 2))
        for rows, block in self._blocks():
            total += block.sums_and_squares(weight[rows])
        return total

    def squared_scores(self, a: Array) -> Array:
        dots = self.dots(a)
        return np.einsum("jk,jk->j", dots, dots)

    def dots(self, a: Array) -> Array:
        dots = np.zeros((self.n_features, a.shape[1]))
        for rows, block in self._blocks():
            dots += block.dots(np.ascontiguousarray(a[rows]))
        return dots

    def gather(self, ids: Array) -> Columns:
        parts = [block.gather(ids) for _, block in self._blocks()]
        if sp.issparse(parts[0]):
            return sp.vstack(parts, format="csc")
        return np.asfortranarray(np.vstack(parts))

    def _blocks(self) -> Iterator[tuple[slice, ExplicitSpace]]:
        for rows, X in self.blocks.row_blocks():
            yield rows, CSRSpace(X, None, self.n_threads) if sp.issparse(X) else DenseSpace(X)

"""A matrix that is gone through block by block of columns, several blocks at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from handful.sources.blocks import BlockedSpace, Blocks
from handful.spaces.base import Array, Columns, ExplicitSpace
from handful.threads import limited_threads, map_in_threads

Result = TypeVar("Result")


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

    @abstractmethod
    def prefetch(self, number: int) -> None:
        """Begin to bring in a block that will soon be wanted; its number may be too large."""


class ColumnBlockedSpace(BlockedSpace[ColumnBlocks]):
    """Columns of a matrix that is held as blocks of columns; threads take one block after the other."""

    def squared_norms(self, weight: Array) -> Array:
        squares = self._each(lambda block: block.squared_norms(weight))
        return np.concatenate([np.empty(0), *squares])

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
        # BLAS in each of our threads must not start its own.
        with limited_threads(1):
            return map_in_threads(on_block, range(n_blocks), self.n_threads)

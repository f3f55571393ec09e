"""A matrix that is gone through block by block of rows, each brought into memory for the while."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sources.blocks import BlockedSpace, Blocks
from handful.spaces.base import Array, Columns, ExplicitSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.sparse import CSRSpace


class RowBlocks(Blocks):
    """Where the rows of a matrix come from."""

    @abstractmethod
    def row_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Give all rows from the first to the last, some at a time, as ndarray or CSR."""


class RowBlockedSpace(BlockedSpace[RowBlocks]):
    """Columns of a matrix that is held by rows: scores and columns take a pass over all of it."""

    def squared_norms(self, weight: Array) -> Array:
        squares = np.zeros(self.n_features)
        for rows, block in self._blocks():
            squares += block.squared_norms(weight[rows])
        return squares

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
            yield rows, CSRSpace(X, False, self.n_threads) if sp.issparse(X) else DenseSpace(X)

"""A matrix that is gone through block by block of rows, each brought into memory for the while."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, Columns, ExplicitSpace, inverse_norms
from handful.spaces.dense import DenseSpace
from handful.spaces.in_memory import to_memory
from handful.spaces.sparse import CSRSpace


class RowBlocks(ABC):
    """Where the rows of a matrix come from.

    Attributes
    ----------
    shape : tuple of two int
    dtype : dtype
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @abstractmethod
    def row_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Give all rows from the first to the last, some at a time, as ndarray or CSR."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return text that differs for other numbers."""


class RowBlockedSpace(ExplicitSpace):
    """Columns of a matrix that is held by rows: scores and columns take a pass over all of it."""

    def __init__(
        self,
        matrix: RowBlocks,
        normalize: bool = False,
        n_threads: int = 1,
        sample_weight: Array | None = None,
    ) -> None:
        super().__init__(*matrix.shape, matrix.dtype, None)
        self.matrix = matrix
        self.n_threads = n_threads
        if normalize:
            weight = np.ones(self.n_samples) if sample_weight is None else sample_weight
            squares = np.zeros(self.n_features)
            for rows, block in self._blocks():
                squares += block.squared_norms(weight[rows])
            self.scale = inverse_norms(squares)

    @property
    def n_entries(self) -> int:
        return int(getattr(self.matrix, "n_entries", super().n_entries))

    def in_memory(self) -> ExplicitSpace:
        return to_memory(self)

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

    def stored(self) -> Iterable[Array]:
        yield np.frombuffer(self.matrix.fingerprint().encode(), dtype=np.uint8)

    def _blocks(self) -> Iterator[tuple[slice, ExplicitSpace]]:
        for rows, X in self.matrix.row_blocks():
            yield rows, CSRSpace(X, False, self.n_threads) if sp.issparse(X) else DenseSpace(X)

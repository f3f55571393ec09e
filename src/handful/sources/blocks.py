"""A matrix that is gone through block by block: what blocks of columns and of rows share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import numpy as np

from handful.spaces.base import Array, ExplicitSpace
from handful.spaces.in_memory import to_memory


class Blocks(ABC):
    """Where the blocks of a matrix come from.

    Attributes
    ----------
    shape : tuple of two int
    dtype : dtype
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @property
    @abstractmethod
    def n_entries(self) -> int:
        """How many numbers are stored."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return text that differs for other numbers."""


OfBlocks = TypeVar("OfBlocks", bound=Blocks)


class BlockedSpace(ExplicitSpace, Generic[OfBlocks]):
    """Columns of a matrix that is held in blocks.

    Parameters
    ----------
    blocks : Blocks
    normalize, n_threads, sample_weight
        As of other spaces.
    """

    def __init__(
        self,
        blocks: OfBlocks,
        normalize: bool = False,
        n_threads: int = 1,
        sample_weight: Array | None = None,
    ) -> None:
        super().__init__(*blocks.shape, blocks.dtype, None)
        self.blocks = blocks
        self.n_threads = n_threads
        if normalize:
            self.normalize(sample_weight)

    @property
    def n_entries(self) -> int:
        return self.blocks.n_entries

    def in_memory(self) -> ExplicitSpace:
        return to_memory(self)

    def stored(self) -> Iterable[Array]:
        yield np.frombuffer(self.blocks.fingerprint().encode(), dtype=np.uint8)

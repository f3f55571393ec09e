"""What a file must give to be converted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.io.columns import Columns

#: Where a source goes on: what it needs for that, as JSON.
Mark = Mapping[str, Any]
# How many times its own size a piece takes while it is read, checked and sorted by column.
COPIES = 8
# What can be done about a line that is longer than a piece.
MORE_MEMORY = ", or give more --memory"


@dataclass(frozen=True)
class Piece:
    """Some of the data."""

    #: An array, CSR or CSC. Of a source by rows: rows that follow those of the piece before. Of one by
    #: columns: columns. Of one in no order: some entries of the whole matrix.
    X: Any
    #: Where the next piece begins.
    mark: Mark
    #: Targets of these rows.
    y: np.ndarray | None = None


@dataclass(frozen=True)
class About:
    """What is known of a matrix once all of it has been read."""

    n_features: int
    #: The column of the pieces that is column 0 of the matrix: what the file calls it.
    first_index: int = 0
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    target_names: tuple[str, ...] | None = None
    #: Targets that did not come with the pieces, or what those of the pieces stand for.
    y: np.ndarray | None = None

    @classmethod
    def of_columns(cls, columns: Columns, y: np.ndarray | None) -> About:
        """Return what is known of the columns of a table."""
        named = columns.feature_names, columns.target_name, columns.target_names
        return cls(len(columns.features), 0, *named, y=y)


class Source(ABC):
    """A file that is read piece by piece."""

    is_sparse: bool
    #: "rows", "columns" or "none".
    order: str = "rows"
    #: Where it is known before all has been read: by "columns" and "none" it must be.
    n_rows: int | None = None

    @abstractmethod
    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        """Give the pieces from a mark on, or all; each takes about n_bytes while it is made."""

    @abstractmethod
    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        """Return what is known after the last piece; y are the targets that came with pieces."""

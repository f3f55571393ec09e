"""Columns that come and go, without copying those that stay."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


class GrowingColumns:
    """Columns side by side, column-major: room is doubled when it runs out, so that adding copies only what is new.

    Where the columns are no arrays of NumPy, a subclass says how room is made and columns are picked.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Those to begin with, used as they are until more come.
    """

    def __init__(self, columns: Any) -> None:
        self._room = columns.T  # a row for each column
        self.count = len(self._room)

    @property
    def columns(self) -> Any:
        """All columns, as a view."""
        return self._room[: self.count].T

    def add(self, columns: Any) -> None:
        """Put columns behind the others."""
        needed = self.count + columns.shape[1]
        if needed > len(self._room):
            room = self._empty(max(needed, 2 * self.count), len(columns))
            room[: self.count] = self._room[: self.count]
            self._room = room
        self._room[self.count : needed] = columns.T
        self.count = needed

    def keep(self, positions: Array) -> None:
        """Drop all but the columns at these positions, in their order."""
        if np.array_equal(positions, np.arange(self.count)):
            return
        self._room = self._picked(positions)
        self.count = len(positions)

    def _empty(self, n_columns: int, n_rows: int) -> Any:
        """Return room for columns, each as a row."""
        return np.empty((n_columns, n_rows), self._room.dtype)

    def _picked(self, positions: Array) -> Any:
        """Return a copy of some columns, each as a row."""
        return np.take(self._room, positions, axis=0)

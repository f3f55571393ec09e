"""Columns that come and go, without copying those that stay."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


class GrowingColumns:
    """Columns side by side, column-major: room is doubled when it runs out, so that adding copies only what is new.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Those to begin with, used as they are until more come.
    """

    def __init__(self, columns: Array) -> None:
        self._room = columns
        self.count = columns.shape[1]

    @property
    def columns(self) -> Array:
        """All columns, as a view."""
        return self._room[:, : self.count]

    def add(self, columns: Array) -> None:
        """Put columns behind the others."""
        needed = self.count + columns.shape[1]
        if needed > self._room.shape[1]:
            room = np.empty((len(columns), max(needed, 2 * self.count)), order="F")
            room[:, : self.count] = self.columns
            self._room = room
        self._room[:, self.count : needed] = columns
        self.count = needed

    def keep(self, positions: Array) -> None:
        """Drop all but the columns at these positions, in their order."""
        if np.array_equal(positions, np.arange(self.count)):
            return
        self._room = np.asfortranarray(self.columns[:, positions])
        self.count = len(positions)

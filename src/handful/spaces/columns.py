"""A few columns: room for those that come and go, their lengths, and what they are multiplied by."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

Array = np.ndarray
Columns: TypeAlias = Any  # ndarray or CSC array of float64, one column for each of a few features
Unit = Literal["norm", "std"]  # what is one of every column: its length, or its standard deviation
ROUNDING = 1e-12  # share of its squares that may be left of a constant column once it is centred


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


def is_constant(centred_squares: Array, squares: Array, share: float = ROUNDING) -> Array:
    """Tell which columns are zero, or constant but for rounding: the rule of all who ask for sums of squares.

    A column varies if the squares about its mean are more than a share of its squares: of 1e-12, a deviation
    of a millionth of its size. Without an intercept both are the same, and only zeros are constant.
    """
    return np.asarray(centred_squares <= share * squares)


def lengths_about_means(centred_squares: Array, squares: Array) -> Array:
    """Return the lengths of centred columns, infinite where these are constant: divided by it they are zero."""
    return np.where(is_constant(centred_squares, squares), np.inf, np.sqrt(centred_squares))


def scaled(columns: Columns, factors: Array) -> Columns:
    """Multiply a few columns by one factor each; CSC stays CSC, which ``*`` would not."""
    return columns @ sp.diags_array(factors) if sp.issparse(columns) else columns * factors


def unit_factors(sums_and_squares: Array, total_weight: float, unit: Unit) -> Array:
    """Return what columns are multiplied by to have length or standard deviation one; zero for zeros, and constants."""
    sums, squares = sums_and_squares.T
    if unit == "norm":
        return inverse_norms(squares)
    about_means = squares - sums**2 / total_weight
    varies = ~is_constant(about_means, squares)
    return inverse_norms(np.where(varies, about_means / total_weight, 0.0))


def inverse_norms(squared_norms: Array) -> Array:
    """``1 / |x_j|``, zero for columns of zeros."""
    norms = np.sqrt(squared_norms)
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)

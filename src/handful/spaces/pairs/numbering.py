"""Which id stands for which product of columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.kernels.pair_ids import pair_number, pairs_of_numbers
from handful.spaces.base import Array

ALONE = -1  # in place of the second column of a linear feature


@dataclass(frozen=True)
class PairNumbering:
    """Ids of the linear features, then of the pairs, row by row of the upper triangle.

    For three columns these are x0, x1, x2, x0 x0, x0 x1, x0 x2, x1 x1, x1 x2, x2 x2; without squares
    x0, x1, x2, x0 x1, x0 x2, x1 x2; without linear features the pairs start at id 0.

    Parameters
    ----------
    n_columns : int
    apart : int
        0 when a column pairs with itself, 1 when not.
    n_linear : int
        ``n_columns`` or 0.
    """

    n_columns: int
    apart: int
    n_linear: int

    @property
    def n_features(self) -> int:
        n_rows = self.n_columns - self.apart
        return self.n_linear + n_rows * (n_rows + 1) // 2

    def encode(self, left: Array, right: Array) -> Array:
        """Return the ids of pairs of columns, ``left <= right``."""
        numbers: Array = pair_number(left, right, self.n_columns, self.apart)
        return self.n_linear + numbers

    def decode(self, ids: Array) -> tuple[Array, Array]:
        """Return both columns of each feature; the second is ``ALONE`` for a linear one."""
        left, right = ids.copy(), np.full_like(ids, ALONE)
        paired = ids >= self.n_linear
        left[paired], right[paired] = pairs_of_numbers(
            ids[paired] - self.n_linear, self.n_columns, self.apart
        )
        return left, right

"""Numbers for pairs of columns, row by row of the upper triangle; exact up to 2**63.

Counted from the last pair, the rows of the triangle have 1, 2, 3, ... members, so that row v starts
at the triangular number v (v + 1) / 2. ``apart`` is 0 when a column may pair with itself, else 1.
"""

from __future__ import annotations

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def triangle(v):
    """The sum 1 + 2 + ... + v, with no larger number on the way; also for arrays."""
    return ((v + 1) >> 1) * (v | 1)


@njit(cache=True, nogil=True)
def pair_number(i, j, n_columns, apart):
    """The number of the pair i <= j (i < j when apart); also for arrays."""
    from_end = triangle(n_columns - apart - 1 - i) + (n_columns - 1 - j)
    return triangle(n_columns - apart) - 1 - from_end


@njit(cache=True, nogil=True)
def pairs_of_numbers(numbers, n_columns, apart):
    """The left and right columns of the pairs with the given numbers."""
    n_rows = n_columns - apart
    n_pairs = triangle(n_rows)
    left = np.empty(numbers.shape[0], dtype=np.int64)
    right = np.empty(numbers.shape[0], dtype=np.int64)
    for slot in range(numbers.shape[0]):
        from_end = n_pairs - 1 - numbers[slot]
        # The root is off by at most one in floating point: whole numbers settle it.
        v = min(np.int64(np.sqrt(2.0 * from_end + 0.25) - 0.5), n_rows - 1)
        while triangle(v) > from_end:
            v -= 1
        while triangle(v + 1) <= from_end:
            v += 1
        left[slot] = n_rows - 1 - v
        right[slot] = n_columns - 1 - (from_end - triangle(v))
    return left, right

"""Checks of a block of columns before other loops trust its indices."""

from __future__ import annotations

from numba import njit

SOUND, OUT_OF_RANGE, OUT_OF_ORDER, NOT_FINITE = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def check_columns(indptr, indices, data, n_rows):
    """Return what is wrong with the columns of a CSC matrix: rows must rise, numbers be finite."""
    for j in range(indptr.shape[0] - 1):
        previous = -1
        for p in range(indptr[j], indptr[j + 1]):
            row = indices[p]
            if row < 0 or row >= n_rows:
                return OUT_OF_RANGE
            if row <= previous:
                return OUT_OF_ORDER
            previous = row
    # 0 times anything finite is 0: one sum finds NaN and infinity, several at a time.
    total = 0.0
    for p in range(data.shape[0]):
        total += data[p] * 0.0
    return SOUND if total == 0.0 else NOT_FINITE


@njit(cache=True, nogil=True)
def place_run(counts, rows, values, first_row, fill, indices, data):
    """Put the columns of one run behind what the runs before it had in the same columns.

    ``counts`` are the entries of each column in the run, ``fill`` where its next entry goes.
    """
    p = 0
    for j in range(counts.shape[0]):
        place = fill[j]
        for _ in range(counts[j]):
            indices[place] = rows[p] + first_row
            data[place] = values[p]
            place += 1
            p += 1
        fill[j] = place

"""Checks of a block of columns before other loops trust its indices."""

from handful.kernels.compiled import njit

SOUND, OUT_OF_RANGE, OUT_OF_ORDER = 0, 1, 2


@njit(cache=True, nogil=True)
def check_columns(indptr, indices, n_rows):
    """Return what is wrong with the columns of a CSC matrix: rows must rise and be in range.

    Steps that do not rise are counted in one plain loop, which compilers make quick; those between
    columns may fall and are taken off again.
    """
    falls = 0
    for p in range(1, indices.shape[0]):
        falls += indices[p] <= indices[p - 1]
    for j in range(indptr.shape[0] - 1):
        start, stop = indptr[j], indptr[j + 1]
        if start == stop:
            continue
        if indices[start] < 0 or indices[stop - 1] >= n_rows:
            return OUT_OF_RANGE
        if start > 0:
            falls -= indices[start] <= indices[start - 1]
    return SOUND if falls == 0 else OUT_OF_ORDER


@njit(cache=True, nogil=True)
def all_finite(bits, exponent):
    """Whether no number, seen as bits, has all bits of the exponent set: NaN and infinity have."""
    found = 0
    for p in range(bits.shape[0]):
        found += (bits[p] & exponent) == exponent
    return found == 0


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

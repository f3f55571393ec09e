"""Scores of products of two columns: ``sum over outputs k of (sum over rows r of a_rk x_ri x_rj)^2``.

Every such sum is taken over rising rows of ``a_rk * (x_ri * x_rj)``, which is the same in either
order of i and j: equal pairs have equal scores, whoever finds them.

The bound behind all pruning: with p_i^2 = sum over rows of |a_r| x_ri^2, Cauchy-Schwarz gives
|c_ij| <= p_i p_j. Where X has no negative entry the rows with a_r > 0 and those with a_r < 0 pull c
in opposite directions, so |c_ij| is at most the larger of their two parts; p_i^2 may then be the
larger of its own two parts, (p_i^2 + |c_ii|) / 2. The "reach" of column i is this p_i, or
(sum over k of p_ik^4)^(1/4) for several outputs, so that the score of a pair is at most
(reach_i reach_j)^2.

Pairs are numbered row by row of the upper triangle, exactly up to 2**63. Counted from the last pair, the rows
of the triangle have 1, 2, 3, ... members, so that row v starts at the triangular number v (v + 1) / 2.
``apart`` is 0 when a column may pair with itself, else 1.
"""

import numpy as np

from handful.kernels.compiled import njit
from handful.kernels.top import heap_push


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


@njit(cache=True, nogil=True)
def _summary(dots, squares, weights, signed):
    """Linear score, square score and reach of a column from its sums for each output."""
    linear = 0.0
    square = 0.0
    largest = 0.0
    for k in range(dots.shape[0]):
        linear += dots[k] * dots[k]
        square += squares[k] * squares[k]
        if not signed:
            weights[k] = 0.5 * (weights[k] + abs(squares[k]))
        largest = max(largest, weights[k])
    if largest == 0.0:
        return linear, square, 0.0
    total = 0.0
    for k in range(dots.shape[0]):
        total += (weights[k] / largest) ** 2  # a fourth power on its own could vanish
    return linear, square, np.sqrt(largest * np.sqrt(total))


@njit(cache=True, nogil=True)
def csc_column_sums(indptr, indices, data, a, signed, start, stop, out):
    """Rows of out: linear score, square score and reach of columns start..stop-1."""
    n_outputs = a.shape[1]
    dots = np.empty(n_outputs)
    squares = np.empty(n_outputs)
    weights = np.empty(n_outputs)
    for j in range(start, stop):
        dots[:] = 0.0
        squares[:] = 0.0
        weights[:] = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            row = indices[p]
            value = np.float64(data[p])
            square = value * value
            for k in range(n_outputs):
                term = a[row, k] * square
                dots[k] += a[row, k] * value
                squares[k] += term
                weights[k] += abs(term)
        out[0, j], out[1, j], out[2, j] = _summary(dots, squares, weights, signed)


@njit(cache=True, nogil=True)
def add_column_sums(block, a, dots, squares, weights):
    """Add the sums over a block of dense rows; the three have shape (outputs, columns)."""
    for r in range(block.shape[0]):
        for k in range(a.shape[1]):
            factor = a[r, k]
            for j in range(block.shape[1]):
                value = block[r, j]
                term = factor * (value * value)
                dots[k, j] += factor * value
                squares[k, j] += term
                weights[k, j] += abs(term)


@njit(cache=True, nogil=True)
def summarize(dots, squares, weights, signed):
    """Rows: linear score, square score and reach of all columns."""
    out = np.empty((3, dots.shape[1]))
    for j in range(dots.shape[1]):
        out[0, j], out[1, j], out[2, j] = _summary(
            dots[:, j].copy(), squares[:, j].copy(), weights[:, j].copy(), signed
        )
    return out


@njit(cache=True, nogil=True)
def add_pair_sums(block, left, right, a, sums):
    """Add the sums of a few pairs over a block of dense rows; sums has shape (pairs, outputs)."""
    for r in range(block.shape[0]):
        for pair in range(left.shape[0]):
            product = block[r, left[pair]] * block[r, right[pair]]
            for k in range(a.shape[1]):
                sums[pair, k] += a[r, k] * product


@njit(cache=True, nogil=True)
def by_rank(indptr, indices, data, order, used):
    """Keep the columns of a CSC matrix in ``order`` and the rows in ``used``, both ways.

    Returns starts, rows, places, row_starts, ranks, values: the entries row by row are (ranks,
    values), rising in rank, that is in position in ``order``; entry p of column ``rank`` is in row
    rows[p] and lies at places[p] of these.
    """
    n_rows = used.shape[0]
    row_starts = np.zeros(n_rows + 1, dtype=np.int64)
    starts = np.zeros(order.shape[0] + 1, dtype=np.int64)
    n_kept = 0
    for rank in range(order.shape[0]):
        for p in range(indptr[order[rank]], indptr[order[rank] + 1]):
            if used[indices[p]]:
                row_starts[indices[p] + 1] += 1
                n_kept += 1
        starts[rank + 1] = n_kept
    for r in range(n_rows):
        row_starts[r + 1] += row_starts[r]
    fill = row_starts[:-1].copy()
    rows = np.empty(n_kept, dtype=np.int32)
    places = np.empty(n_kept, dtype=np.int64)
    ranks = np.empty(n_kept, dtype=np.int32)
    values = np.empty(n_kept, dtype=data.dtype)
    kept = 0
    for rank in range(order.shape[0]):
        for p in range(indptr[order[rank]], indptr[order[rank] + 1]):
            row = indices[p]
            if used[row]:
                place = fill[row]
                fill[row] += 1
                ranks[place] = rank
                values[place] = data[p]
                rows[kept] = row
                places[kept] = place
                kept += 1
    return starts, rows, places, row_starts, ranks, values


@njit(cache=True, nogil=True)
def _n_reaching(reach, needed):
    """How many of the falling numbers are at least ``needed``."""
    low = 0
    high = reach.shape[0]
    while low < high:
        middle = (low + high) // 2
        if reach[middle] >= needed:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _add_row(ranks, values, start, end, limit, value, a_row, sums):
    """Add value times the entries of a row to the sums, up to the rank ``limit``; return the end."""
    p = start
    if a_row.shape[0] == 1:
        factor = a_row[0]
        while p < end and ranks[p] < limit:
            sums[ranks[p], 0] += factor * (value * values[p])
            p += 1
        return p
    while p < end and ranks[p] < limit:
        product = value * values[p]
        for k in range(a_row.shape[0]):
            sums[ranks[p], k] += a_row[k] * product
        p += 1
    return p


@njit(cache=True, nogil=True)
def _take(sums, j):
    """Return the sum of squares of a row of sums and clear it."""
    total = 0.0
    for k in range(sums.shape[1]):
        total += sums[j, k] * sums[j, k]
        sums[j, k] = 0.0
    return total


@njit(cache=True, nogil=True)
def _offer(heap_scores, heap_ids, floor, score, left, right, numbering, exclude):
    """Put a pair on the heap when it is among the best; numbering is (columns, apart, first id)."""
    if score < floor or score < heap_scores[0] or score == 0.0:
        return
    n_columns, apart, first_id = numbering
    number = first_id + pair_number(min(left, right), max(left, right), n_columns, apart)
    slot = np.searchsorted(exclude, number)
    if slot == exclude.shape[0] or exclude[slot] != number:
        heap_push(heap_scores, heap_ids, score, number)


@njit(cache=True, nogil=True)
def scan_pairs(span, matrix, order, reach, a, factor, floor, k, numbering, exclude, sums):
    """The k best pairs of a column in ``span`` with one of higher rank, and their scores.

    Parameters: ``span`` is (first, stop, step) in ranks, ``matrix`` and ``order`` are of
    :func:`by_rank`, ``reach`` falls with the rank, scores are ``factor`` times the sum of squares,
    pairs below ``floor`` are of no interest, ``sums`` has shape (columns, outputs), zero before and
    after. Unused places have score zero.
    """
    starts, rows, places, row_starts, ranks, values = matrix
    heap_scores = np.zeros(k)
    heap_ids = np.full(k, np.iinfo(np.int64).max, dtype=np.int64)
    for i in range(span[0], span[1], span[2]):
        needed = np.sqrt(max(floor, heap_scores[0]) / factor)
        limit = _n_reaching(reach, needed / reach[i])
        if limit <= i + 1:
            break
        n_products = 0
        for p in range(starts[i], starts[i + 1]):
            place = places[p]
            row = rows[p]
            end = _add_row(
                ranks, values, place + 1, row_starts[row + 1], limit,
                np.float64(values[place]), a[row], sums,
            )  # fmt: skip
            n_products += end - place - 1
        if n_products > limit - i:
            for j in range(i + 1, limit):
                score = factor * _take(sums, j)
                _offer(heap_scores, heap_ids, floor, score, order[i], order[j], numbering, exclude)
            continue
        for p in range(starts[i], starts[i + 1]):
            place = places[p] + 1
            end = row_starts[rows[p] + 1]
            while place < end and ranks[place] < limit:
                j = ranks[place]
                score = factor * _take(sums, j)
                _offer(heap_scores, heap_ids, floor, score, order[i], order[j], numbering, exclude)
                place += 1
    return heap_ids, heap_scores

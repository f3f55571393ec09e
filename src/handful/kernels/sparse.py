"""Loops over compressed sparse rows and columns, for any index width and value type."""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def csc_scores(indptr, indices, data, a, start, stop, out):
    """For columns start..stop-1: out[j] = sum over k of (x_j' a_k)^2, summed in float64."""
    n_outputs = a.shape[1]
    if n_outputs == 1:
        vector = a[:, 0]
        for j in range(start, stop):
            dot = 0.0
            for p in range(indptr[j], indptr[j + 1]):
                dot += data[p] * vector[indices[p]]
            out[j] = dot * dot
        return
    dots = np.empty(n_outputs)
    for j in range(start, stop):
        dots[:] = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            row = indices[p]
            value = np.float64(data[p])
            for k in range(n_outputs):
                dots[k] += value * a[row, k]
        total = 0.0
        for k in range(n_outputs):
            total += dots[k] * dots[k]
        out[j] = total


@njit(cache=True, nogil=True)
def csr_add_dots(indptr, indices, data, a, start, stop, dots):
    """Add the products of rows start..stop-1 with a few outputs to ``dots``, (columns, outputs)."""
    n_outputs = a.shape[1]
    if n_outputs == 1:
        for i in range(start, stop):
            value = a[i, 0]
            for p in range(indptr[i], indptr[i + 1]):
                dots[indices[p], 0] += data[p] * value
        return
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for k in range(n_outputs):
                dots[j, k] += data[p] * a[i, k]


@njit(cache=True, nogil=True)
def add_squares(dots, out):
    """out[j] += sum of dots[j]^2."""
    for j in range(dots.shape[0]):
        for k in range(dots.shape[1]):
            out[j] += dots[j, k] * dots[j, k]


@njit(cache=True, nogil=True)
def _wanted_bits(ids, n_columns):
    """One bit per column: those of a million columns stay in cache, a table of slots would not."""
    bits = np.zeros((n_columns >> 6) + 1, dtype=np.uint64)
    for j in ids:
        bits[j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    return bits


@njit(cache=True, nogil=True)
def csr_pick_columns(indptr, indices, data, ids, n_columns):
    """The columns with the given ids, ascending, as the three arrays of a CSC matrix."""
    bits = _wanted_bits(ids, n_columns)
    n_found = 0
    for p in range(indices.shape[0]):
        j = np.int64(indices[p])
        if (bits[j >> 6] >> np.uint64(j & 63)) & np.uint64(1):
            n_found += 1
    rows = np.empty(n_found, dtype=np.int32)
    slots = np.empty(n_found, dtype=np.int32)
    values = np.empty(n_found, dtype=np.float64)
    out_indptr = np.zeros(ids.shape[0] + 1, dtype=np.int64)
    found = 0
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = np.int64(indices[p])
            if (bits[j >> 6] >> np.uint64(j & 63)) & np.uint64(1):
                slot = int(np.searchsorted(ids, j))
                rows[found] = i
                slots[found] = slot
                values[found] = data[p]
                out_indptr[slot + 1] += 1
                found += 1
    for slot in range(ids.shape[0]):
        out_indptr[slot + 1] += out_indptr[slot]
    fill = out_indptr[:-1].copy()
    out_indices = np.empty(n_found, dtype=np.int32)
    out_data = np.empty(n_found, dtype=np.float64)
    for f in range(n_found):
        where = fill[slots[f]]
        out_indices[where] = rows[f]
        out_data[where] = values[f]
        fill[slots[f]] += 1
    return out_indptr, out_indices, out_data


@njit(cache=True, nogil=True)
def csr_squared_norms(indptr, indices, data, weight, out):
    """out[j] += sum of the squared entries of column j, rows weighted."""
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            out[indices[p]] += weight[i] * np.float64(data[p]) * data[p]


@njit(cache=True, nogil=True)
def csc_squared_norms(indptr, indices, data, weight, out):
    """out[j] = sum of the squared entries of column j, rows weighted."""
    for j in range(out.shape[0]):
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            total += weight[indices[p]] * np.float64(data[p]) * data[p]
        out[j] = total


@njit(cache=True, nogil=True)
def csr_gram(indptr, indices, data, weight, gram, sums):
    """Add ``X' diag(weight) X``, its lower triangle, and ``X' weight`` of a few columns, row by row."""
    for i in range(len(indptr) - 1):
        if weight[i] == 0.0:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            product = weight[i] * data[p]
            row = indices[p]
            sums[row] += product
            for q in range(indptr[i], indptr[i + 1]):
                if indices[q] <= row:
                    gram[row, indices[q]] += product * data[q]


@njit(cache=True, nogil=True, fastmath={"contract"})
def csr_curved_product(indptr, indices, data, bend, direction, image, sums):
    """Add ``X' (bend * X direction)`` to image and ``1' (bend * X direction)`` to sums, for several outputs.

    One walk over the rows: what a row makes of the direction never leaves the cache.
    """
    n_outputs = direction.shape[1]
    change = np.empty(n_outputs)
    for i in range(len(indptr) - 1):
        if indptr[i] == indptr[i + 1] or not np.any(bend[i]):  # beyond the margin of all, say
            continue
        change[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value, j = data[p], indices[p]
            for k in range(n_outputs):
                change[k] += value * direction[j, k]
        for k in range(n_outputs):
            change[k] *= bend[i, k]
            sums[k] += change[k]
        for p in range(indptr[i], indptr[i + 1]):
            value, j = data[p], indices[p]
            for k in range(n_outputs):
                image[j, k] += value * change[k]

"""Loops for kernels that are sums over the columns of X: one kernel for each column."""

import numpy as np

from handful.kernels.compiled import njit

# A direction of the feature map whose squared length at every node is below this is left out: its
# columns would be mostly rounding, and leaving it out moves the kernel by about as much.
CUT = 1e-10


@njit(cache=True, nogil=True)
def sort_columns(indptr, rows, values, start, stop):
    """Order the entries of columns start..stop-1 by value, in place."""
    for j in range(start, stop):
        begin, end = indptr[j], indptr[j + 1]
        order = np.argsort(values[begin:end])
        values[begin:end] = values[begin:end][order]
        rows[begin:end] = rows[begin:end][order]


@njit(cache=True, nogil=True)
def intersection_scores(indptr, rows, values, a, start, stop, out):
    """out[j] = sum over k and pairs (h, i) of a_hk a_ik min(v_hj, v_ij), exactly.

    Values are >= 0 and sorted within columns, so that this is the sum over sorted values of
    (v_l - v_(l-1)) * (sum of a over the entries from l on)^2.
    """
    n_outputs = a.shape[1]
    sums = np.empty(n_outputs)
    for j in range(start, stop):
        sums[:] = 0.0
        score = 0.0
        first = indptr[j]
        for p in range(indptr[j + 1] - 1, first - 1, -1):
            row = rows[p]
            for k in range(n_outputs):
                sums[k] += a[row, k]
            below = np.float64(values[p - 1]) if p > first else 0.0
            step = np.float64(values[p]) - below
            if step > 0.0:
                squares = 0.0
                for k in range(n_outputs):
                    squares += sums[k] * sums[k]
                score += step * squares
        out[j] = score


@njit(cache=True, nogil=True)
def level_entries(rows, values, edges):
    """The columns of one feature, as the three arrays of a CSC matrix.

    Column l is clip(v - e_l, 0, e_(l+1) - e_l) / sqrt(e_(l+1) - e_l) for edges e_0 < ... < e_L. Rows
    stay in the order given.
    """
    n_levels = edges.shape[0] - 1
    reached = np.empty(values.shape[0], dtype=np.int64)  # how many levels an entry has some part of
    ends = np.zeros(n_levels + 1, dtype=np.int64)  # how many entries reach just so many
    indptr = np.zeros(n_levels + 1, dtype=np.int64)
    for p in range(values.shape[0]):
        reached[p] = np.searchsorted(edges[:n_levels], np.float64(values[p]))
        ends[reached[p]] += 1
    left = values.shape[0]
    for level in range(n_levels):
        left -= ends[level]
        indptr[level + 1] = indptr[level] + left
    indices = np.empty(indptr[n_levels], dtype=rows.dtype)
    data = np.empty(indptr[n_levels])
    fill = indptr[:-1].copy()
    for p in range(values.shape[0]):
        for level in range(reached[p]):
            step = edges[level + 1] - edges[level]
            part = min(np.float64(values[p]) - edges[level], step)
            indices[fill[level]] = rows[p]
            data[fill[level]] = part / np.sqrt(step)
            fill[level] += 1
    return indptr, indices, data


@njit(cache=True, nogil=True)
def column_ranges(indptr, data, n_rows, low, high):
    """Fill in the least and the largest entry of each column; what is not stored is zero."""
    for j in range(low.shape[0]):
        begin, end = indptr[j], indptr[j + 1]
        least, largest = np.inf, -np.inf
        if end - begin < n_rows:
            least = largest = 0.0
        for p in range(begin, end):
            value = np.float64(data[p])
            least = min(least, value)
            largest = max(largest, value)
        low[j] = least
        high[j] = largest


@njit(cache=True, nogil=True)
def unit_kernel(is_chi2, stretch, u, v):
    """The kernel of one column after it was moved and scaled to the unit interval."""
    if is_chi2:
        return 2.0 * u * v / (u + v) if u > 0.0 and v > 0.0 else 0.0
    return np.exp(-stretch * (u - v) * (u - v))


@njit(cache=True, nogil=True)
def node_factor(is_chi2, stretch, nodes, factor):
    """Fill in R so that the functions k(., nodes) R are orthonormal; return how many there are.

    Cholesky with pivoting: each step takes the node whose feature the functions so far miss most,
    and stops when none is missed by more than CUT.
    """
    n_nodes = nodes.shape[0]
    missed = np.empty((n_nodes, n_nodes))
    for h in range(n_nodes):
        for i in range(n_nodes):
            missed[h, i] = unit_kernel(is_chi2, stretch, nodes[h], nodes[i])
    seen = np.zeros((n_nodes, n_nodes))  # the functions so far at the nodes
    factor[:] = 0.0
    for rank in range(n_nodes):
        pivot = 0
        for i in range(1, n_nodes):
            if missed[i, i] > missed[pivot, pivot]:
                pivot = i
        if missed[pivot, pivot] <= CUT:
            return rank
        length = np.sqrt(missed[pivot, pivot])
        factor[pivot, rank] = 1.0
        for before in range(rank):
            for i in range(n_nodes):
                factor[i, rank] -= seen[pivot, before] * factor[i, before]
        for i in range(n_nodes):
            factor[i, rank] /= length
            seen[i, rank] = missed[i, pivot] / length
        for h in range(n_nodes):
            for i in range(n_nodes):
                missed[h, i] -= seen[h, rank] * seen[i, rank]
    return n_nodes


@njit(cache=True, nogil=True)
def _add_kernel(is_chi2, stretch, nodes, u, weight, sums):
    """sums[i, k] += k(u, node_i) * weight[k]."""
    for i in range(nodes.shape[0]):
        value = unit_kernel(is_chi2, stretch, u, nodes[i])
        for k in range(weight.shape[0]):
            sums[i, k] += value * weight[k]


@njit(cache=True, nogil=True)
def _add_stored(rows, values, a, is_chi2, stretch, nodes, centre, scale, run, unstored, sums):
    """Add the stored entries of a column to sums, and take their a from ``unstored``.

    ``run`` is room for one number per output.
    """
    n_outputs = a.shape[1]
    p = 0
    while p < rows.shape[0]:
        value = values[p]
        run[:] = 0.0
        while p < rows.shape[0] and values[p] == value:
            for k in range(n_outputs):
                run[k] += a[rows[p], k]
            p += 1
        u = (np.float64(value) - centre) / scale
        _add_kernel(is_chi2, stretch, nodes, u, run, sums)
        for k in range(n_outputs):
            unstored[k] -= run[k]


@njit(cache=True, nogil=True)
def node_scores(
    indptr, indices, data, a, is_chi2, nodes, centre, scale, gain, stretch, start, stop, out
):
    """For columns start..stop-1: out[j] = sum over k of |sum_i a_ik phi_j(x_ij)|^2.

    phi_j(x) = sqrt(gain_j) * k(u, nodes) R with u = (x - centre_j) / scale_j. A run of equal entries
    costs one evaluation of the kernel, and the zeros that are not stored cost one together. Columns
    of scale zero (constants) score zero.
    """
    n_nodes, n_outputs = nodes.shape[0], a.shape[1]
    factor = np.zeros((n_nodes, n_nodes))
    sums = np.empty((n_nodes, n_outputs))
    run, unstored = np.empty(n_outputs), np.empty(n_outputs)
    totals = a.sum(axis=0)
    rank, factored = 0, -1.0
    for j in range(start, stop):
        out[j] = 0.0
        if scale[j] == 0.0:
            continue
        if stretch[j] != factored:
            rank = node_factor(is_chi2, stretch[j], nodes, factor)
            factored = stretch[j]
        sums[:] = 0.0
        for k in range(n_outputs):
            unstored[k] = totals[k]
        rows, values = indices[indptr[j] : indptr[j + 1]], data[indptr[j] : indptr[j + 1]]
        _add_stored(
            rows, values, a, is_chi2, stretch[j], nodes, centre[j], scale[j], run, unstored, sums
        )
        if rows.shape[0] < a.shape[0]:
            _add_kernel(is_chi2, stretch[j], nodes, -centre[j] / scale[j], unstored, sums)
        total = 0.0
        for column in range(rank):
            for k in range(n_outputs):
                dot = 0.0
                for i in range(n_nodes):
                    dot += factor[i, column] * sums[i, k]
                total += dot * dot
        out[j] = gain[j] * total


@njit(cache=True, nogil=True)
def node_features(values, is_chi2, nodes, factor, centre, scale, gain, stretch):
    """Return phi of each value, one row for each; see node_scores."""
    features = np.zeros((values.shape[0], factor.shape[1]))
    root = np.sqrt(gain)
    for p in range(values.shape[0]):
        u = (np.float64(values[p]) - centre) / scale
        for i in range(nodes.shape[0]):
            value = root * unit_kernel(is_chi2, stretch, u, nodes[i])
            for column in range(factor.shape[1]):
                features[p, column] += value * factor[i, column]
    return features

"""Which features a quadratic model misses least: drop one, update the model, repeat."""

import numpy as np

from handful.kernels.compiled import njit

LEAST_PIVOT = 1e-300
EQUAL = 1e-9  # relative difference that rounding may make


@njit(cache=True, nogil=True)
def rise_of(inverse, weights, first, stop):
    """``sum over outputs of 1/2 w_g' ((H^-1)_gg)^-1 w_g`` for the columns of one feature.

    Of the inverse the lower triangle is read.
    """
    rise, last, width = 0.0, inverse.shape[0] - 1, stop - first
    if width == 1:
        for k in range(weights.shape[1]):
            pivot = inverse[min(k, last), first, first]
            rise += 0.5 * weights[first, k] * weights[first, k] / max(pivot, LEAST_PIVOT)
        return rise
    for k in range(weights.shape[1]):
        pivots = np.empty((width, width))
        for i in range(width):
            for j in range(i + 1):
                pivots[i, j] = pivots[j, i] = inverse[min(k, last), first + i, first + j]
            pivots[i, i] += LEAST_PIVOT
        solution = weights[first:stop, k].copy()
        _solve(pivots, solution)
        for i in range(width):
            rise += 0.5 * weights[first + i, k] * solution[i]
    return rise


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(matrix, right):
    """Solve in place, by Gauss with the largest pivot of each column.

    LAPACK would do it too, but takes seconds to be linked into compiled code.
    """
    size = right.shape[0]
    for c in range(size):
        largest = c
        for i in range(c + 1, size):
            if abs(matrix[i, c]) > abs(matrix[largest, c]):
                largest = i
        right[c], right[largest] = right[largest], right[c]
        for j in range(c, size):
            matrix[c, j], matrix[largest, j] = matrix[largest, j], matrix[c, j]
        for i in range(c + 1, size):
            factor = matrix[i, c] / matrix[c, c]
            right[i] -= factor * right[c]
            for j in range(c + 1, size):
                matrix[i, j] -= factor * matrix[c, j]
    for c in range(size - 1, -1, -1):
        for j in range(c + 1, size):
            right[c] -= matrix[c, j] * right[j]
        right[c] /= matrix[c, c]


@njit(cache=True, nogil=True)
def worth(rise, size, power):
    """``rise^power * size^(1 - power)``: what a feature is worth, by its rise and half its squared weight."""
    return rise if power == 1.0 else rise**power * size ** (1.0 - power)


@njit(cache=True, nogil=True)
def drop_one_by_one(inverse, weights, starts, may_go, power, n_drop, gone, rises):
    """Drop ``n_drop`` features, each time the one that is worth least.

    Parameters
    ----------
    inverse : (n_models, p, p) array
        H^-1 for each output, or one for all of them. Changed in place: afterwards the lower triangle holds
        that of the columns that are left, and anything for the others.
    weights : (p, n_outputs) array
        At the minimum; changed in place likewise.
    starts : (n_features + 1,) int64 array
        Where the columns of each feature begin.
    may_go : (n_features,) bool array
        Changed in place: false for those that went.
    power : float
        See :func:`worth`.
    gone, rises : (n_drop,) arrays
        Filled with the features in the order in which they go, and with the rise of each.
    """
    p = weights.shape[0]
    is_left = np.ones(p, dtype=np.bool_)
    column = np.empty(p)
    for step in range(n_drop):
        weakest, lowest = -1, np.inf
        for g in range(len(may_go)):
            if may_go[g]:
                rise = rise_of(inverse, weights, starts[g], starts[g + 1])
                here = worth(rise, 0.5 * (weights[starts[g] : starts[g + 1]] ** 2).sum(), power)
                # Of equals the last goes: candidates are in order, the lower id first among equals.
                if weakest < 0 or here <= lowest * (1.0 + EQUAL):
                    weakest, lowest, rises[step] = g, min(here, lowest), rise
        may_go[weakest] = False
        gone[step] = weakest
        # Its columns go one after the other: together that is the downdate of the block.
        for c in range(starts[weakest], starts[weakest + 1]):
            is_left[c] = False
            for m in range(inverse.shape[0]):
                outputs = (m, m + 1) if inverse.shape[0] > 1 else (0, weights.shape[1])
                _downdate(inverse[m], weights, outputs, c, is_left, column)


@njit(cache=True, nogil=True)
def _downdate(inverse, weights, outputs, c, is_left, column):
    """Take column c out: ``w_i -= h_ic w_c / h_cc`` and ``h_ij -= h_ic h_cj / h_cc`` for j up to i."""
    p = weights.shape[0]
    pivot = max(inverse[c, c], LEAST_PIVOT)
    for i in range(p):
        column[i] = inverse[i, c] if i > c else inverse[c, i]
    for i in range(p):
        if is_left[i]:
            factor = column[i] / pivot
            for k in range(outputs[0], outputs[1]):
                weights[i, k] -= factor * weights[c, k]
            for j in range(i + 1):
                inverse[i, j] -= factor * column[j]

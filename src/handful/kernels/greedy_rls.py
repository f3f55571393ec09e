"""Greedy regularised least squares: let features enter, and the error each candidate would leave.

Each candidate column x has two rows of n numbers, c = G x and p = A A' x. G = alpha times the inverse
of the regularised kernel matrix of the model, A = G Y. A group is one column, or a few that enter
together; it has the small matrices H = X'C and Q = X'P of its columns. Rows may be float32: sums and
all else are float64.
"""

import numpy as np

from handful.kernels.compiled import njit

# Sums may be taken in any order, which lets them run in vector registers.
FAST = {"reassoc", "contract", "nsz"}
CHUNK = 512  # samples whose intermediate numbers stay in the nearest cache
# A diagonal entry of G, in exact arithmetic above zero, is not let below this share of itself.
LEAST_SHARE = 1e-12


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def enter(c, p, x, u, partner, pivot, q):
    """Update the rows of a candidate for a feature that enters; return x'c and x'p from before.

    The feature has column ``x``, row c_i = ``pivot * u``, row p_i = ``partner`` and q = x'p_i:
    c <- c - u (x'c),  p <- p - partner (u'x_j) - u (x'p - q u'x_j)  with  u'x_j = x'c / pivot.
    """
    along, across = _products(c, p, x)
    share = along / pivot
    rest = across - q * share
    for i in range(c.shape[0]):
        c[i] -= u[i] * along
        p[i] -= partner[i] * share + u[i] * rest
    return along, across


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _products(c, p, x):
    along, across = 0.0, 0.0
    for i in range(c.shape[0]):
        along += x[i] * c[i]
        across += x[i] * p[i]
    return along, across


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def pivots(X, C, P, alpha):
    """Let columns enter one after the other; their rows C become u, P stays p of that moment.

    Returns the pivots alpha + x'c and the products x'p.
    """
    n_columns = X.shape[0]
    pivot, q = np.empty(n_columns), np.empty(n_columns)
    for a in range(n_columns):
        along, across = 0.0, 0.0
        for i in range(X.shape[1]):
            along += X[a, i] * C[a, i]
            across += X[a, i] * P[a, i]
        pivot[a], q[a] = alpha + along, across
        for i in range(X.shape[1]):
            C[a, i] /= pivot[a]
        for b in range(a + 1, n_columns):
            enter(C[b], P[b], X[a], C[a], P[a], pivot[a], q[a])
    return pivot, q


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def group_products(X, C, P, starts, places, H, Q):
    """Fill H = X'C and Q = X'P of every group, stored one after the other at ``places``."""
    for group in range(starts.shape[0] - 1):
        size = starts[group + 1] - starts[group]
        for a in range(size):
            for b in range(size):
                along, across = 0.0, 0.0
                for i in range(X.shape[1]):
                    along += X[starts[group] + a, i] * C[starts[group] + b, i]
                    across += X[starts[group] + a, i] * P[starts[group] + b, i]
                H[places[group] + a * size + b] = along
                Q[places[group] + a * size + b] = across


@njit(cache=True, nogil=True, error_model="numpy")
def advance_columns(C, P, H, Q, wanted, X, U, partners, pivot, q, alpha, g, r, weight, out):
    """Let features enter, then out[j] = the error that each wanted column would leave.

    The loop that adds up the errors is that in which a feature enters, so that rows are read and
    written once. It is the same loop when ``out`` is empty and nothing is asked for: another could
    round otherwise, and a fit that is taken up again has to make identical rows.
    """
    for j in range(C.shape[0]):
        error = np.inf
        if wanted[j]:
            if X.shape[0] == 0:
                inverse = 1.0 / (alpha + H[j])
                error = _error(C[j], P[j], inverse, inverse * inverse * Q[j], g, r, weight)
            for e in range(X.shape[0]):
                along, across = _products(C[j], P[j], X[e])
                share = along / pivot[e]
                H[j] -= share * along
                Q[j] -= share * (2.0 * across - q[e] * share)
                inverse = 1.0 / (alpha + H[j])
                factors = (along, share, across - q[e] * share, inverse, inverse * inverse * Q[j])
                error = _error_on_entering(C[j], P[j], U[e], partners[e], factors, g, r, weight)
        if out.shape[0]:
            out[j] = error


@njit(cache=True, nogil=True, error_model="numpy")
def advance_groups(
    C, P, H, Q, starts, places, is_open, wanted, X, U, partners, pivot, q, alpha, g, r, weight, out
):
    """The same for groups of several columns; ``is_open`` tells those that are not in the model."""
    for group in range(starts.shape[0] - 1):
        if wanted[group]:
            start, stop, place = starts[group], starts[group + 1], places[group]
            area = (stop - start) * (stop - start)
            c, p, rows = C[start:stop], P[start:stop], np.flatnonzero(is_open[start:stop])
            h, d = H[place : place + area], Q[place : place + area]
            _enter_group(c, p, h, d, rows, X, U, partners, pivot, q)
            if out.shape[0]:
                out[group] = _group_error(c, p, h, d, rows, alpha, g, r, weight)
        elif out.shape[0]:
            out[group] = np.inf


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _enter_group(C, P, H, Q, rows, X, U, partners, pivot, q):
    size = C.shape[0]
    along, across = np.zeros(size), np.zeros(size)
    for e in range(X.shape[0]):
        for a in rows:
            along[a], across[a] = enter(C[a], P[a], X[e], U[e], partners[e], pivot[e], q[e])
        for a in rows:
            share = along[a] / pivot[e]
            for b in rows:
                other = along[b] / pivot[e]
                H[a * size + b] -= share * along[b]
                Q[a * size + b] -= across[a] * other + share * (across[b] - q[e] * other)


@njit(cache=True, nogil=True, error_model="numpy")
def _group_error(C, P, H, Q, rows, alpha, g, r, weight):
    """Sum of weighted squared leave-one-out errors with the group in the model.

    With M = (alpha I + H)^-1 and the rows c, p of the group, sample i has
    (r_i - 2 c_i' M p_i + c_i' M Q M c_i) / (g_i - c_i' M c_i)^2.
    """
    size, n_open = C.shape[0], rows.shape[0]
    small, middle = np.empty((n_open, n_open)), np.empty((n_open, n_open))
    for a in range(n_open):
        for b in range(n_open):
            small[a, b] = H[rows[a] * size + rows[b]]
            middle[a, b] = Q[rows[a] * size + rows[b]]
        small[a, a] += alpha
    inverses = np.linalg.inv(small)
    quadratics = inverses @ middle @ inverses
    return _joint_error(C, P, rows, inverses, quadratics, g, r, weight)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _error(c, p, inverse, quadratic, g, r, weight):
    """Sum of weighted squared leave-one-out errors with the candidate in the model."""
    total = 0.0
    for i in range(c.shape[0]):
        total += weight[i] * _sample_error(c[i], p[i], inverse, quadratic, g[i], r[i])
    return total


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _error_on_entering(c, p, u, partner, factors, g, r, weight):
    """Update the rows for a feature that enters (see :func:`enter`), and return the same."""
    along, share, rest, inverse, quadratic = factors
    total = 0.0
    for i in range(c.shape[0]):
        new_c = c[i] - u[i] * along
        new_p = p[i] - (partner[i] * share + u[i] * rest)
        c[i], p[i] = new_c, new_p
        total += weight[i] * _sample_error(new_c, new_p, inverse, quadratic, g[i], r[i])
    return total


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _sample_error(c, p, inverse, quadratic, g, r):
    """Return (r - 2 c p / pivot + q (c / pivot)^2) / (g - c^2 / pivot)^2."""
    along = inverse * c
    left = max(g - along * c, LEAST_SHARE * g)
    return max(r - 2.0 * along * p + quadratic * c * c, 0.0) / (left * left)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _joint_error(C, P, rows, inverses, quadratics, g, r, weight):
    n_samples = C.shape[1]
    left, square = np.empty(CHUNK), np.empty(CHUNK)
    total = 0.0
    for start in range(0, n_samples, CHUNK):
        n = min(CHUNK, n_samples - start)
        for i in range(n):
            left[i] = g[start + i]
            square[i] = r[start + i]
        for a in range(rows.shape[0]):
            for b in range(rows.shape[0]):
                c, other = C[rows[a], start : start + n], C[rows[b], start : start + n]
                p = P[rows[a], start : start + n]
                inverse, quadratic = inverses[a, b], quadratics[a, b]
                for i in range(n):
                    left[i] -= inverse * c[i] * other[i]
                    square[i] += (quadratic * c[i] - 2.0 * inverse * p[i]) * other[i]
        for i in range(n):
            least = max(left[i], LEAST_SHARE * g[start + i])
            total += weight[start + i] * max(square[i], 0.0) / (least * least)
    return total

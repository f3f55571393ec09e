"""Which features a quadratic model misses least: drop one, update the model, repeat."""

from __future__ import annotations

import numpy as np
from numba import njit

LEAST_PIVOT = 1e-300


@njit(cache=True, nogil=True)
def rise_of(inverse, weights, first, stop):
    """``sum over outputs of 1/2 w_g' ((H^-1)_gg)^-1 w_g`` for the columns of one feature."""
    rise = 0.0
    last = inverse.shape[0] - 1
    if stop - first == 1:
        for k in range(weights.shape[1]):
            pivot = inverse[min(k, last), first, first]
            rise += 0.5 * weights[first, k] * weights[first, k] / max(pivot, LEAST_PIVOT)
        return rise
    for k in range(weights.shape[1]):
        pivot = inverse[min(k, last), first:stop, first:stop].copy()
        own = weights[first:stop, k].copy()
        for j in range(stop - first):
            pivot[j, j] += LEAST_PIVOT
        rise += 0.5 * (own * np.linalg.solve(pivot, own)).sum()
    return rise


@njit(cache=True, nogil=True)
def drop_one_by_one(inverse, weights, starts, may_go, n_drop, gone, rises):
    """Drop ``n_drop`` features, each time the one without which the model rises least.

    Parameters
    ----------
    inverse : (n_models, p, p) array
        H^-1 for each output, or one for all of them. Used up.
    weights : (p, n_outputs) array
        At the minimum. Used up.
    starts : (n_features + 1,) int64 array
        Where the columns of each feature begin.
    may_go : (n_features,) bool array
        Changed in place: false for those that went.
    gone, rises : (n_drop,) arrays
        Filled with the features in the order in which they go, and with the rise of each.
    """
    p = weights.shape[0]
    is_left = np.ones(p, dtype=np.bool_)
    for step in range(n_drop):
        weakest, lowest = -1, np.inf
        for g in range(len(may_go)):
            if may_go[g]:
                rise = rise_of(inverse, weights, starts[g], starts[g + 1])
                if weakest < 0 or rise < lowest:
                    weakest, lowest = g, rise
        may_go[weakest] = False
        gone[step], rises[step] = weakest, lowest
        # Its columns go one after the other: together that is the downdate of the block.
        for c in range(starts[weakest], starts[weakest + 1]):
            is_left[c] = False
            _downdate(inverse, weights, c, is_left)


@njit(cache=True, nogil=True)
def _downdate(inverse, weights, c, is_left):
    """Take column c out: ``w_i -= h_ic w_c / h_cc`` and ``h_ij -= h_ic h_cj / h_cc``."""
    n_models, p = inverse.shape[0], inverse.shape[1]
    for m in range(n_models):
        pivot = max(inverse[m, c, c], LEAST_PIVOT)
        for i in range(p):
            if not is_left[i]:
                continue
            factor = inverse[m, i, c] / pivot
            if n_models > 1:
                weights[i, m] -= factor * weights[c, m]
            else:
                for k in range(weights.shape[1]):
                    weights[i, k] -= factor * weights[c, k]
            for j in range(p):
                inverse[m, i, j] -= factor * inverse[m, c, j]

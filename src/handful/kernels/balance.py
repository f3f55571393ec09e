"""Dual points of several outputs, made to sum to zero."""

from __future__ import annotations

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def signed_sums(y, a, positive, negative):
    """For each output the sum of a over positive samples, and minus that over the others."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            up = a[i, k] if y[i, k] > 0.0 else 0.0
            positive[k] += up
            negative[k] += up - a[i, k]


@njit(cache=True, nogil=True)
def scale_by_sign(y, a, up, down, scaled):
    """Multiply a with an output's one factor for positive samples and its other for the rest."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            scaled[i, k] = a[i, k] * (up[k] if y[i, k] > 0.0 else down[k])

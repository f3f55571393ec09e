"""Squared error, for regression."""

from __future__ import annotations

import numpy as np

from handful.losses.smooth import SmoothLoss
from handful.losses.sums import (
    Array,
    column_sums,
    half_squares,
    quadratic_conjugate,
    quadratic_dual,
)


class Squared(SmoothLoss):
    """``1/2 (y - z)^2``.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.losses import Squared
    >>> one = np.ones((1, 1))
    >>> Squared().value(3 * one, one, one)
    2.0
    """

    # What columns nearly have in common may be predicted so well that their difference counts.
    alike = 0.9999
    name = "squared"
    task = "regression"
    use = "regression"
    max_curvature = 1.0

    def value(self, y: Array, z: Array, weight: Array) -> float:
        return half_squares(y - z, weight)

    def gradient(self, y: Array, z: Array, weight: Array) -> Array:
        gradient = z - y
        gradient *= weight
        return gradient

    def curvature(self, y: Array, z: Array, weight: Array) -> Array:
        return np.broadcast_to(weight, z.shape)

    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        return quadratic_conjugate(y, a, weight)

    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        return a - weight * (column_sums(a) / weight.sum())

    def dual_value(self, y: Array, a: Array, weight: Array, penalty: float) -> float:
        return quadratic_dual(y, a, weight, penalty)

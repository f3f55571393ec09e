"""Squared hinge: the loss of the paper's FGM."""

from __future__ import annotations

import numpy as np

from handful.kernels.margin_losses import (
    squared_hinge_curvature,
    squared_hinge_point,
    squared_hinge_slopes,
)
from handful.losses.base import Point
from handful.losses.smooth import Slopes, SmoothLoss
from handful.losses.sums import (
    Array,
    balance_by_sign,
    half_squares,
    quadratic_conjugate,
    quadratic_dual,
)


class SquaredHinge(SmoothLoss):
    """``1/2 max(0, 1 - y z)^2``.

    The dual variable is the slack: ``alpha = weight * max(0, 1 - y z)`` (paper, Theorem 4).

    Examples
    --------
    >>> import numpy as np
    >>> from handful.losses import SquaredHinge
    >>> one = np.ones((1, 1))
    >>> SquaredHinge().value(one, 0 * one, 2 * one)
    1.0
    """

    name = "squared_hinge"
    task = "classification"
    use = "classification; the default, and the paper's"
    max_curvature = 1.0

    def value(self, y: Array, z: Array, weight: Array) -> float:
        return half_squares(_slack(y, z), weight)

    def gradient(self, y: Array, z: Array, weight: Array) -> Array:
        return _from_slack(_slack(y, z), y, weight)

    def value_and_gradient(self, y: Array, z: Array, weight: Array) -> tuple[float, Array]:
        slack = _slack(y, z)
        return half_squares(slack, weight), _from_slack(slack, y, weight)

    # Of one output NumPy is as fast as the kernels.

    def curvature(self, y: Array, z: Array, weight: Array) -> Array:
        if y.shape[1] == 1:
            return weight * (y * z < 1.0)
        bend = np.empty_like(z)
        squared_hinge_curvature(y, z, weight, bend)
        return bend

    def evaluate(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        if y.shape[1] == 1:
            return super().evaluate(y, scores, intercept, weight)
        a = np.empty_like(scores)
        value = squared_hinge_point(y, scores, intercept, weight, a)
        return Point(scores, intercept, value, a)

    def slopes(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Slopes:
        if y.shape[1] == 1:
            return super().slopes(y, scores, intercept, weight)
        slope, size, bend = np.empty((3, y.shape[1]))
        squared_hinge_slopes(y, scores, intercept, weight, slope, size, bend)
        return Slopes(slope, size, bend)

    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        return quadratic_conjugate(y, a, weight)

    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        return balance_by_sign(y, a)

    def dual_value(self, y: Array, a: Array, weight: Array, penalty: float) -> float:
        return quadratic_dual(y, a, weight, penalty)


def _slack(y: Array, z: Array) -> Array:
    """``max(0, 1 - y z)``, in one piece of memory: with many classes allocating is what costs."""
    slack = y * z
    np.subtract(1.0, slack, out=slack)
    return np.maximum(slack, 0.0, out=slack)


def _from_slack(slack: Array, y: Array, weight: Array) -> Array:
    """The gradient, in the slack's place."""
    slack *= y
    slack *= -weight
    return slack

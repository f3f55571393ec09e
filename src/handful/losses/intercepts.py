"""The best intercept of a loss with kinks, and the middle of all that are as good."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from handful.losses.base import Array, Point

STEPS = 30
ROUNDING = 1e-12

#: Gives the loss at an intercept; scores are what they are.
Along: TypeAlias = Callable[[Array], Point]


def settle_intercept(along: Along, start: Point) -> list[Point]:
    """Minimise the loss of one output over the intercept; return the points on both sides of the minimum.

    The loss is convex and piecewise linear in it: two cuts of opposite slope meet where the next
    look is worth taking. Left to the small problem the intercept would swing for long.
    """
    low = start if _slope(start) < 0 else None
    high = start if low is None else None
    reach = 1.0 + float(np.abs(start.scores).max())
    for _ in range(STEPS):
        expected = -np.inf
        if low is not None and high is not None:
            intercept, expected = _meeting(low, high)
        else:
            intercept = start.intercept + (reach if high is None else -reach)
            reach *= 4.0
        point = along(intercept)
        if _slope(point) < 0:
            low = point
        else:
            high = point
        if point.value <= expected + ROUNDING * abs(point.value):
            break
    return [side for side in (low, high) if side is not None]


def middle_intercept(along: Along, start: Point) -> Array:
    """Return the middle of the intercepts with the lowest loss of one output.

    Few samples leave an interval of them, and which of these a solver ends with is chance: that of a row
    with weight two is another than that of the row twice. The middle is the same for both.
    """
    sides = settle_intercept(along, start)
    lowest = min(point.value for point in sides)
    ends = [_end(along, start, lowest, direction) for direction in (-1.0, 1.0)]
    return np.array([0.5 * (ends[0] + ends[1])])


def _end(along: Along, start: Point, lowest: float, direction: float) -> float:
    """Where the loss leaves its lowest value, going one way.

    From beyond, the place at which a cut comes down to that value is never short of the end: Newton's
    steps get there from piece to piece.
    """
    reach = 1.0 + float(np.abs(start.scores).max())
    point = along(start.intercept + direction * reach)
    while direction * _slope(point) <= 0.0 and np.isfinite(reach):
        reach *= 4.0
        point = along(start.intercept + direction * reach)
    for _ in range(STEPS):
        above = point.value - lowest
        if above <= ROUNDING * point.cost or direction * _slope(point) <= 0.0:
            break
        point = along(point.intercept - above / _slope(point))
    return float(point.intercept[0])


def _slope(point: Point) -> float:
    """Of the loss, along the intercept."""
    return -float(point.a.sum())


def _meeting(low: Point, high: Point) -> tuple[Array, float]:
    """Where the cuts of two points meet, and their value there: no point has a lower loss."""
    left, right = float(low.intercept[0]), float(high.intercept[0])
    down, up = _slope(low), _slope(high)
    place = (low.value - high.value + up * right - down * left) / (up - down)
    return np.array([place]), low.value + down * (place - left)

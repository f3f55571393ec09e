"""The best intercept of a loss with kinks, and the middle of all that are as good."""

from __future__ import annotations

import numpy as np

from handful.losses.base import Along, Array, Look

STEPS = 30
ROUNDING = 1e-12
NEAR = 1 / 256  # of the scores: most intercepts are nearly settled already


def settle_intercept(along: Along, start: float, scores: Array) -> list[Look]:
    """Minimise the loss of one output over the intercept; return the looks on both sides of the minimum.

    The loss is convex and piecewise linear in it: two cuts of opposite slope meet where the next
    look is worth taking. Left to the small problem the intercept would swing for long.

    Parameters
    ----------
    along : callable
        Gives the loss at an intercept.
    start : float
        The first that is looked at.
    scores : ndarray
        To which intercepts are added: they tell how far steps go.
    """
    first = along(start)
    low = first if first.slope < 0 else None
    high = first if low is None else None
    reach = 0.0
    for _ in range(STEPS):
        expected = -np.inf
        if low is not None and high is not None:
            intercept, expected = _meeting(low, high)
        else:
            reach = 4.0 * reach if reach > 0.0 else NEAR * _farthest(scores)
            intercept = start + (reach if high is None else -reach)
        look = along(intercept)
        if look.slope < 0:
            low = look
        else:
            high = look
        if look.value <= expected + ROUNDING * abs(look.value):
            break
    return [side for side in (low, high) if side is not None]


def middle_intercept(along: Along, start: float, scores: Array) -> float:
    """Return the middle of the intercepts with the lowest loss of one output.

    Few samples leave an interval of them, and which of these a solver ends with is chance: that of a row
    with weight two is another than that of the row twice. The middle is the same for both.
    """
    lowest = min(look.value for look in settle_intercept(along, start, scores))
    ends = [_end(along, start, scores, lowest, direction) for direction in (-1.0, 1.0)]
    return 0.5 * (ends[0] + ends[1])


def _end(along: Along, start: float, scores: Array, lowest: float, direction: float) -> float:
    """Where the loss leaves its lowest value, going one way.

    From beyond, the place at which a cut comes down to that value is never short of the end: Newton's
    steps get there from piece to piece.
    """
    reach = _farthest(scores)
    look = along(start + direction * reach)
    while direction * look.slope <= 0.0 and np.isfinite(reach):
        reach *= 4.0
        look = along(start + direction * reach)
    cost = look.cut()[1]
    for _ in range(STEPS):
        above = look.value - lowest
        if above <= ROUNDING * cost or direction * look.slope <= 0.0:
            break
        look = along(look.place - above / look.slope)
        cost = look.cut()[1]
    return look.place


def _farthest(scores: Array) -> float:
    return 1.0 + float(np.abs(scores).max())


def _meeting(low: Look, high: Look) -> tuple[float, float]:
    """Where the cuts of two looks meet, and their value there: no other has a lower loss."""
    down, up = low.slope, high.slope
    place = (low.value - high.value + up * high.place - down * low.place) / (up - down)
    return place, low.value + down * (place - low.place)

"""Models that a bundle looks at on its way, and the cuts found there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter

import numpy as np

from handful.losses.base import Look, joined
from handful.losses.intercepts import settle_intercept
from handful.losses.sums import inner
from handful.methods.fgm.solvers.base import Array, Point, Subproblem, Target

LINE_STEPS = 6
LEAST_STEP = 1e-3
FAR = 1e3  # an intercept that decides every label


@dataclass(frozen=True)
class Trial:
    """Weights, the loss there, penalty plus loss, and each output's points whose cuts are worth having."""

    weights: Array
    point: Point
    objective: float
    points: list[list[Point]]

    @classmethod
    def at(
        cls, target: Target, weights: Array, scores: Array, intercept: Array, penalty: float
    ) -> Trial:
        """Evaluate at weights, with the best intercepts there."""
        found = []
        for c, output in enumerate(target.outputs):
            own = scores[:, [c]]
            if output.fit_intercept:
                found.append(_settled(output, own, float(intercept[c])))
            else:
                found.append([output.evaluate(own, intercept[[c]])])
        best = joined([min(points, key=attrgetter("value")) for points in found])
        return cls(weights, best, penalty + best.value, found)

    def from_columns(self, problem: Subproblem) -> Trial:
        """Evaluate anew from the weights: predictions that were added up on the way have lost digits."""
        point = problem.target.evaluate(problem.scores(self.weights), self.point.intercept)
        penalty = self.objective - self.point.value
        return replace(self, point=point, objective=penalty + point.value)


def first_points(target: Target) -> list[list[Point]]:
    """Where the first cuts are made, for each output: at zero, and where all labels are equal.

    The latter two keep a free intercept from running away.
    """
    sides = (0.0, FAR, -FAR) if target.fit_intercept else (0.0,)
    return [
        [one.evaluate(np.zeros_like(one.y), np.array([side])) for side in sides]
        for one in target.outputs
    ]


def search_line(target: Target, best: Trial, trial: Trial) -> Trial:
    """Minimise between the best model and a trial, and a little beyond; the cuts found there help most.

    The small problem's minimum alone jumps about. Along the line the objective is convex, and every
    look gives its slope (as in Franc and Sonnenburg's OCAS).
    """
    move = trial.weights - best.weights
    change = trial.point.scores - best.point.scores
    shift = trial.point.intercept - best.point.intercept
    falling, straight = inner(best.weights, move), inner(move, move)
    along = target.along(best.point.z, change + shift)

    def look(t: float) -> tuple[float, Look]:
        weights, found = best.weights + t * move, along(t)
        return 0.5 * inner(weights, weights) + found.value, found

    def point_at(found: Look) -> Point:
        t = found.place
        return found.point(best.point.scores + t * change, best.point.intercept + t * shift)

    low, high, t = 0.0, np.inf, 1.0
    slope_low, slope_high = -np.inf, np.inf
    looks: list[tuple[float, Look]] = []
    for _ in range(LINE_STEPS):
        looks.append(look(t))
        slope = falling + t * straight + looks[-1][1].slope
        if slope < 0:
            low, slope_low = t, slope
        else:
            high, slope_high = t, slope
        if high == np.inf:
            t = 2.0 * t
        elif slope_low == -np.inf:
            t = 0.5 * high if high > LEAST_STEP else high
        else:
            share = slope_low / (slope_low - slope_high)
            t = low + (high - low) * min(max(share, 0.1), 0.9)
        if high < np.inf and high - low <= LEAST_STEP * high:
            break
    objective, lowest = min(looks, key=itemgetter(0))
    last = looks[-1][1]
    point = point_at(lowest)
    weights, penalty = best.weights + lowest.place * move, objective - lowest.value
    points = [point if last is lowest else point_at(last), point, *trial.points[0]]
    if target.fit_intercept:
        settled = _settled(target, point.scores, float(point.intercept[0]))
        point = min([*settled, point], key=attrgetter("value"))
        points = [*points, *settled]
    return Trial(weights, point, penalty + point.value, [_distinct(points)])


def _settled(target: Target, scores: Array, intercept: float) -> list[Point]:
    """The points of one output on both sides of its best intercept."""
    sides = settle_intercept(target.along(scores), intercept, scores)
    return [side.point(scores, np.array([side.place])) for side in sides]


def _distinct(points: list[Point]) -> list[Point]:
    """Leave out cuts that were found twice."""
    kept: list[Point] = []
    for point in points:
        same = (
            point is one or (point.cost == one.cost and (point.a == one.a).all()) for one in kept
        )
        if not any(same):
            kept.append(point)
    return kept

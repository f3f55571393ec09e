"""Models that a bundle looks at on its way, and the cuts found there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handful.losses.base import joined
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
            points = [output.evaluate(scores[:, [c]], intercept[[c]])]
            if output.fit_intercept:
                points = settle_intercept(output.along_intercept(scores[:, [c]]), points[0])
            found.append(points)
        best = joined([min(points, key=_value) for points in found])
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
    along, straight = inner(best.weights, move), inner(move, move)
    whole = change + shift

    def look(t: float) -> tuple[Trial, float]:
        point = target.evaluate(best.point.scores + t * change, best.point.intercept + t * shift)
        weights = best.weights + t * move
        objective = 0.5 * inner(weights, weights) + point.value
        return Trial(weights, point, objective, []), along + t * straight - inner(point.a, whole)

    low, high, t = 0.0, np.inf, 1.0
    slope_low, slope_high = -np.inf, np.inf
    found: list[Trial] = []
    for _ in range(LINE_STEPS):
        model, slope = look(t)
        found.append(model)
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
    model = min(found, key=_objective)
    points = [found[-1].point, model.point, *trial.points[0]]
    if target.fit_intercept:
        settled = settle_intercept(target.along_intercept(model.point.scores), model.point)
        point = min([*settled, model.point], key=_value)
        penalty = model.objective - model.point.value
        model = Trial(model.weights, point, penalty + point.value, [])
        points = [*points, *settled]
    return replace(model, points=[_distinct(points)])


def _distinct(points: list[Point]) -> list[Point]:
    """Leave out cuts that were found twice."""
    kept: list[Point] = []
    for point in points:
        if not any(point.cost == other.cost and (point.a == other.a).all() for other in kept):
            kept.append(point)
    return kept


def _objective(model: Trial) -> float:
    return model.objective


def _value(point: Point) -> float:
    return point.value

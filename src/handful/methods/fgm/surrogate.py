"""Another loss for the last fit, where that is clearly better for rows that were not seen.

The convex risk of F, which features are selected by, is an upper bound of F's cost. Where labels are noisy it lies far above, and
its minimum is no good model: on the very same features a smooth loss with a threshold for F may predict better. Where labels
can be told apart the risk does as well or better. So held-out rows decide, for each output by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from handful.losses.base import Point
from handful.losses.macro import one_output
from handful.losses.smooth import SmoothLoss
from handful.methods.fgm.folds import N_FOLDS, Judge
from handful.methods.fgm.schedule import COLUMNS_FOR_C, column_sizes
from handful.methods.fgm.solvers import Solution, Target, ridge_solver
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.spaces.base import Array

FACTORS = (0.1, 1.0, 10.0)  # of the C by the closed rule


def better_surrogates(
    problem: Problem, state: State, folds: Array, unseen: Mapping[int, Array]
) -> dict[int, Tuned]:
    """Return the models of another loss for the outputs for which they are clearly better.

    Parameters
    ----------
    folds : ndarray of shape (n_samples,)
    unseen : dict of ndarray of shape (n_samples, 1)
        For some outputs what models that have not seen a row predict for it.
    """
    targets, outputs = state.target.outputs, sorted(unseen)
    surrogate, better = targets[0].loss.surrogate, {}
    trials = [
        _Trial.of(C, surrogate, problem, state, outputs, folds)
        for C in _Cs(surrogate, problem, state)
    ]
    for position, c in enumerate(outputs):
        judge = Judge([targets[c]], np.ones(1), problem.weight, folds)
        models = [trial.tuned(position, targets[c]) for trial in trials]
        best = min(models, key=lambda model: judge.error([model.unseen]))
        if judge.is_clearly_better([best.unseen], [unseen[c]]):
            better[c] = best
    return better


def take_models(state: State, models: Mapping[int, Tuned]) -> None:
    """Give outputs other models."""
    weights, scores = state.solution.weights.copy(), state.point.scores.copy()
    intercept = state.point.intercept.copy()
    for c, model in models.items():
        weights[:, [c]], scores[:, [c]] = model.weights, model.point.scores
        intercept[[c]] = model.point.intercept
    point = replace(state.point, scores=scores, intercept=intercept)
    state.solution = replace(state.solution, weights=weights, point=point)


def _Cs(surrogate: SmoothLoss, problem: Problem, state: State) -> list[float]:
    """Some around the C that the closed rule gives for a last fit to the ten heaviest features."""
    heaviest = state.active.ids[np.argsort(-state.lengths, kind="stable")[:COLUMNS_FOR_C]]
    centred = state.target.fit_intercept
    sizes = column_sizes(problem.space, heaviest, problem.weight, centred=centred)
    share = len(state.active) / float(problem.weight.sum())
    return [factor * surrogate.refit_C(sizes[sizes > 0], share) for factor in FACTORS]


@dataclass(frozen=True)
class Tuned:
    """A model of one output, its threshold best for what others like it predict for rows they have not seen."""

    weights: Array
    point: Point
    unseen: Array


@dataclass(frozen=True)
class _Trial:
    """Fits of several outputs with one C, to all rows and without each fold."""

    whole: Solution
    unseen: Array

    @classmethod
    def of(
        cls,
        C: float,
        loss: SmoothLoss,
        problem: Problem,
        state: State,
        outputs: list[int],
        folds: Array,
    ) -> _Trial:
        target = Target(
            loss,
            np.ascontiguousarray(state.target.y[:, outputs]),
            C * loss.sample_factors(problem.weight),
            state.target.fit_intercept,
        )
        tolerances = loss.tolerances(state.active.matrix.shape[1] * len(target.y))
        nothing = State.start(target, state.penalty, state.active)
        whole = _solve(nothing, tolerances.final)
        unseen = np.zeros_like(target.y)
        for fold in range(N_FOLDS):
            rows = folds == fold
            seen = replace(target, weight=np.where(rows[:, None], 0.0, target.weight))
            point = seen.at(whole.point.scores, whole.point.intercept)
            start = replace(nothing, target=seen, solution=replace(whole, point=point, warm={}))
            unseen[rows] = _solve(start, tolerances.final).point.z[rows]
        return cls(whole, unseen)

    def tuned(self, position: int, target: Target) -> Tuned:
        """One output with its threshold."""
        unseen = self.unseen[:, [position]]
        point = one_output(self.whole.point, position)
        moved = target.loss.with_tuned_threshold(point, target.y, unseen)
        shift = moved.intercept - point.intercept
        return Tuned(self.whole.weights[:, [position]], moved, unseen + shift)


def _solve(state: State, tol: float) -> Solution:
    return ridge_solver(state.target.loss).solve(state.subproblem(tol), state.solution)

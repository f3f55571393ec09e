"""What rows say that models have not seen, on features that were chosen on all rows: thresholds, and another loss.

Each output is fitted five more times, each time without a fifth of the rows, and predicts those. The threshold may then be
moved to where the measure is best for these predictions; another loss may make the last fit where it is clearly
better for them; and other features may take the place of those chosen (reselection.py).

That other loss: the convex risk of F, which features are selected by, is an upper bound of F's cost. Where labels are noisy it lies
far above, and its minimum is no good model: on the very same features a smooth loss with a threshold for F may predict better.
Where labels can be told apart the risk does as well or better. So held-out rows decide, for each output by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from handful.losses.base import Point
from handful.losses.macro import one_output
from handful.losses.smooth import SmoothLoss
from handful.methods.fgm.folds import N_FOLDS, Judge, deal_out, in_order
from handful.methods.fgm.plan import Options
from handful.methods.fgm.schedule import COLUMNS_FOR_C, column_sizes
from handful.methods.fgm.solvers import Solution, Target, ridge_solver
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.spaces.base import Array
from handful.threads import map_apart

FACTORS = (0.1, 1.0, 10.0)  # of the C by the closed rule, for another loss


@dataclass(frozen=True)
class Folds:
    """Which rows are left out together, and whose models then still see both labels.

    Attributes
    ----------
    of_rows : ndarray of shape (n_samples,)
        The fold of each row, -1 for rows without weight.
    outputs : list of int
    """

    of_rows: Array
    outputs: list[int]

    @classmethod
    def of(cls, problem: Problem, state: State) -> Folds:
        """Rows dealt out by what one step along the gradient predicts for them on the active columns."""
        step = np.asarray(state.active.matrix.T @ state.target.at_zero.a)
        steps = np.asarray(state.active.matrix @ step)
        folds = deal_out(in_order(steps, problem.y, problem.weight))
        outputs = enumerate(state.target.outputs)
        return cls(folds, [c for c, one in outputs if _all_see_both(one.y[:, 0] > 0, folds)])


@dataclass(frozen=True)
class Adjusted:
    """By which loss each output is fitted now, and what models like it predict for rows they have not seen."""

    losses: list[str]
    unseen: dict[int, Array]


def adjust_to_unseen_rows(
    problem: Problem, state: State, options: Options, folds: Folds | None = None
) -> Adjusted:
    """Move thresholds and change models as the options allow and unseen rows want it.

    With ``folds`` all their outputs are predicted, whether something may change or not.
    """
    target, loss = state.target, state.target.loss
    losses = [str(part) for part in loss.parts for _ in range(target.y.shape[1] // len(loss.parts))]
    has_surrogate = options.may_use_surrogate and target.outputs[0].loss.surrogate is not None
    moves = options.label_threshold == "held_out"
    if folds is None and not (target.fit_intercept and (moves or has_surrogate)):
        return Adjusted(losses, {})
    where = Folds.of(problem, state) if folds is None else folds
    outputs = target.outputs
    enough = [c for c in where.outputs if outputs[c].loss.tunes_threshold(outputs[c].y)]
    # A threshold is only as good as the predictions; which of two models is better is seen from rough ones.
    tol = loss.tolerances(0).kept if moves else loss.tolerances(0).ranking
    wanted = enough if folds is None else where.outputs
    found = map_apart(partial(_predictions, state, where.of_rows, tol), wanted)
    unseen = dict(zip(wanted, found, strict=True))
    if moves:
        for c in enough:
            unseen[c] = unseen[c] + _move_threshold(state, c, unseen[c])
    if has_surrogate and enough:
        own = {c: unseen[c] for c in enough}
        models = better_surrogates(problem, state, where.of_rows, own)
        take_models(state, models)
        for c, model in models.items():
            losses[c], unseen[c] = str(outputs[c].loss.surrogate), model.unseen
    return Adjusted(losses, unseen)


def _all_see_both(positive: Array, folds: Array) -> bool:
    """Whether each of the models is fitted to both labels: equal rows, and a row of large weight, are in one fold."""
    return all(len(np.unique(folds[(folds >= 0) & own])) > 1 for own in (positive, ~positive))


def _predictions(state: State, folds: Array, tol: float, c: int) -> Array:
    """The predictions of five models of one output, each of the rows that the others were fitted to.

    The models are ridge models, as the refit is one. They begin at zero: from the model of all rows, which may be as good as the
    tolerance asks for, they would have seen what they predict.
    """
    target = state.target.outputs[c]
    unseen = np.zeros_like(target.y)
    whole = state.subproblem(tol)
    for fold in range(N_FOLDS):
        rows = folds == fold
        seen = replace(target, loss=target.loss.without(rows))
        nothing = State.start(seen, state.penalty, state.active).solution
        model = ridge_solver(seen.loss).solve(replace(whole, target=seen), nothing)
        unseen[rows] = model.point.z[rows]
    return unseen


def _move_threshold(state: State, c: int, unseen: Array) -> Array:
    """Move the intercept of one output to where its measure is best for the predictions; return by how much."""
    target, point = state.target.outputs[c], state.point
    moved = target.loss.with_tuned_threshold(one_output(point, c), target.y, unseen).intercept
    intercept = point.intercept.copy()
    intercept[[c]] = moved
    state.solution = replace(state.solution, point=replace(point, intercept=intercept))
    return np.asarray(moved - point.intercept[[c]])


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
        nothing.solve_ridge(tolerances.final)
        whole = nothing.solution
        unseen = np.zeros_like(target.y)
        for fold in range(N_FOLDS):
            rows = folds == fold
            seen = replace(target, weight=np.where(rows[:, None], 0.0, target.weight))
            point = seen.at(whole.point.scores, whole.point.intercept)
            model = replace(nothing, target=seen, solution=replace(whole, point=point, warm={}))
            model.solve_ridge(tolerances.final)
            unseen[rows] = model.point.z[rows]
        return cls(whole, unseen)

    def tuned(self, position: int, target: Target) -> Tuned:
        """One output with its threshold."""
        unseen = self.unseen[:, [position]]
        point = one_output(self.whole.point, position)
        moved = target.loss.with_tuned_threshold(point, target.y, unseen)
        shift = moved.intercept - point.intercept
        return Tuned(self.whole.weights[:, [position]], moved, unseen + shift)

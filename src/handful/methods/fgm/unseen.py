"""What rows say that models have not seen, on features that were chosen on all rows: thresholds, and another loss.

Each output is fitted five more times, each time without a fifth of the rows, and predicts those. The threshold may then be
moved to where the measure is best for these predictions; another loss may make the last fit where it is clearly
better for them (surrogate.py); and other features may take the place of those chosen (reselection.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from handful.losses.macro import one_output
from handful.methods.fgm.folds import N_FOLDS, deal_out, in_order
from handful.methods.fgm.plan import Options
from handful.methods.fgm.solvers import ridge_solver
from handful.methods.fgm.state import State
from handful.methods.fgm.surrogate import better_surrogates, take_models
from handful.methods.problem import Problem
from handful.spaces.base import Array
from handful.threads import map_apart


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
    unseen = _predict_unseen(state, where.of_rows, tol, wanted)
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


def _predict_unseen(
    state: State, folds: Array, tol: float, outputs: Sequence[int]
) -> dict[int, Array]:
    """Fit some outputs without each fold, and predict it."""
    found = map_apart(partial(_predictions, state, folds, tol), outputs)
    return dict(zip(outputs, found, strict=True))


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

"""What rows say that models have not seen, on features that were chosen on all rows: thresholds, and another loss.

Each output is fitted five more times, each time without a fifth of the rows, and predicts those. The threshold may then be
moved to where the measure is best for these predictions; and another loss may make the last fit where it is clearly
better for them (surrogate.py).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from handful.losses.macro import one_output
from handful.methods.fgm.folds import N_FOLDS, deal_out, in_order
from handful.methods.fgm.options import Options
from handful.methods.fgm.solvers import ridge_solver
from handful.methods.fgm.solvers.outputs import map_apart
from handful.methods.fgm.state import State
from handful.methods.fgm.surrogate import take_surrogates
from handful.methods.problem import Problem
from handful.spaces.base import Array


def adjust_to_unseen_rows(problem: Problem, state: State, options: Options) -> None:
    """Move thresholds and change models as the options allow and unseen rows want it."""
    target = state.target
    names = [
        str(part)
        for part in target.loss.parts
        for _ in range(target.y.shape[1] // len(target.loss.parts))
    ]
    state.more["refit_loss_"] = names
    has_surrogate = options.may_use_surrogate and target.outputs[0].loss.surrogate is not None
    moves = options.label_threshold == "held_out"
    if not target.fit_intercept or not (moves or has_surrogate):
        return
    folds = _folds(problem, state)
    # A threshold is only as good as the predictions; which of two models is better is seen from rough ones.
    tolerances = target.loss.tolerances(0)
    tol = tolerances.kept if moves else tolerances.ranking
    enough = [
        c
        for c, output in enumerate(target.outputs)
        if output.loss.tunes_threshold(output.y) and _all_see_both(output.y[:, 0] > 0, folds)
    ]
    predictions = map_apart(partial(_predictions, state, folds, tol), enough)
    unseen = dict(zip(enough, predictions, strict=True))
    if moves:
        for c, own in unseen.items():
            np.add(own, _move_threshold(state, c, own), out=own)
    if has_surrogate and unseen:
        for c in take_surrogates(problem, state, folds, unseen):
            names[c] = target.outputs[c].loss.surrogate.name


def _folds(problem: Problem, state: State) -> Array:
    step = np.asarray(state.active.matrix.T @ state.target.at_zero.a)
    steps = np.asarray(state.active.matrix @ step)
    return deal_out(in_order(steps, problem.y, problem.weight))


def _all_see_both(positive: Array, folds: Array) -> bool:
    """Whether each of the models is fitted to both labels: equal rows, and a row of large weight, are in one fold."""
    return all(len(np.unique(folds[(folds >= 0) & own])) > 1 for own in (positive, ~positive))


def _predictions(state: State, folds: Array, tol: float, c: int) -> Array:
    """The predictions of five models of one output, each of the rows that the others were fitted to.

    The models are ridge models, as the refit is one.
    """
    target = state.target.outputs[c]
    unseen = np.zeros_like(target.y)
    whole = state.subproblem(tol)
    weights, scores = state.solution.weights[:, [c]], state.point.scores[:, [c]]
    for fold in range(N_FOLDS):
        rows = folds == fold
        seen = replace(target, loss=target.loss.without(rows))
        point = seen.at(scores, state.point.intercept[[c]])
        start = replace(state.solution, weights=weights, point=point, warm={})
        model = ridge_solver(seen.loss).solve(replace(whole, target=seen), start)
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

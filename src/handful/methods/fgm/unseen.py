"""Predictions of rows by models that have not seen them, on features that were chosen on all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.methods.fgm.folds import N_FOLDS, dealt_out
from handful.methods.fgm.solvers import Target, ridge_solver
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.spaces.base import Array


def unseen_predictions(problem: Problem, state: State) -> list[Array | None]:
    """For each output the predictions of five models, each of the rows that the others were fitted to.

    None for an output whose loss has no use for them, or a label that is in one fold only. The models are ridge models, as the refit is one.
    """
    step = np.asarray(state.active.matrix.T @ state.target.at_zero.a)
    folds = dealt_out(np.asarray(state.active.matrix @ step), problem.y, problem.weight)

    def is_told(output: Target) -> bool:
        return output.loss.tunes_threshold(output.y) and _all_see_both(output.y[:, 0] > 0, folds)

    return [
        _of_output(state, c, output, folds) if is_told(output) else None
        for c, output in enumerate(state.target.outputs)
    ]


def _all_see_both(positive: Array, folds: Array) -> bool:
    """Whether each of the models is fitted to both labels: equal rows, and a row of large weight, are in one fold."""
    return all(len(np.unique(folds[(folds >= 0) & own])) > 1 for own in (positive, ~positive))


def _of_output(state: State, c: int, target: Target, folds: Array) -> Array:
    unseen = np.zeros_like(target.y)
    whole = state.subproblem(target.loss.tolerances(0).kept)
    weights, scores = state.solution.weights[:, [c]], state.point.scores[:, [c]]
    for fold in range(N_FOLDS):
        rows = folds == fold
        seen = replace(target, loss=target.loss.without(rows))
        point = seen.at(scores, state.point.intercept[[c]])
        start = replace(state.solution, weights=weights, point=point, warm={})
        model = ridge_solver(seen.loss).solve(replace(whole, target=seen), start)
        unseen[rows] = model.point.z[rows]
    return unseen

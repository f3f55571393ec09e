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

    None for an output whose loss has no use for them. The models are ridge models, as the refit is one.
    """
    outputs = state.target.outputs
    if not any(output.loss.tunes_threshold(output.y) for output in outputs):
        return [None] * len(outputs)
    step = np.asarray(state.active.matrix.T @ state.target.at_zero.a)
    folds = dealt_out(np.asarray(state.active.matrix @ step), problem.y, problem.weight)
    return [
        _of_output(state, c, output, folds) if output.loss.tunes_threshold(output.y) else None
        for c, output in enumerate(outputs)
    ]


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

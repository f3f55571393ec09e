"""The last fits: the features that are left solved closely, and again with less shrinkage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.methods.fgm.options import Options
from handful.methods.fgm.solvers import ridge_solver
from handful.methods.fgm.state import State
from handful.methods.fgm.unseen import adjust_to_unseen_rows
from handful.methods.problem import Problem


def solve_closely(state: State) -> None:
    """Solve the ridge problem on the active features as closely as a model is wanted."""
    loss, y = state.target.loss, state.target.y
    tol = loss.tolerances(len(state.active) * len(y)).final
    state.solution = ridge_solver(loss).solve(state.subproblem(tol), state.solution)


def refit(state: State) -> None:
    """Fit the features that are left anew, with less shrinkage."""
    state.reweight(state.target.loss.refit_factor(state.target.y))
    solve_closely(state)


def refit_roughly(state: State, tol: float) -> None:
    """The same for a model that is only compared with others."""
    loss = state.target.loss
    state.reweight(loss.refit_factor(state.target.y))
    state.solution = ridge_solver(loss).solve(state.subproblem(tol), state.solution)


def drop_unused(state: State) -> None:
    """Keep the features that have weights, and those of include."""
    lengths = state.lengths
    is_used = lengths > state.target.loss.negligible * lengths.max(initial=0.0)
    is_used[: state.penalty.n_always] = True
    if not is_used.any():  # the tolerance was met before any weight moved: C is tiny
        is_used[:] = True
    state.keep(np.flatnonzero(is_used))


def set_threshold(state: State, problem: Problem, options: Options) -> None:
    """Move the intercept to where labels are predicted, as the loss wants it, or as unseen rows do."""
    target = state.target
    point = target.loss.with_threshold(
        state.point, target.y, is_refitted=options.refit, fit_intercept=target.fit_intercept
    )
    state.solution = replace(state.solution, point=point)
    adjust_to_unseen_rows(problem, state, options)

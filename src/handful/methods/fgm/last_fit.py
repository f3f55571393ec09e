"""How closely models are solved on the way, and how the last one is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handful.methods.fgm.solvers import Target, ridge_solver
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.state import State
from handful.spaces.active import ActiveColumns

# Newton's tolerance while candidates are generated and dropped, relative to the gradient at zero:
# ranking needs no more. Models with k features are compared with each other, and the last solution is
# the model: they are solved further.
RANKING_TOL, KEPT_TOL, FINAL_TOL = 0.05, 1e-3, 1e-6
# Where that costs nothing the model is exact to rounding.
EXACT_TOL, EXACT_ENTRIES = 1e-12, 1_000_000
# A loss with kinks has no such tolerance; this is its relative gap. Among few samples there are few
# cuts, and all that matter are soon found: the model is then exact, and a weight of two the same as
# the row twice.
BUNDLE_TOL, EXACT_BUNDLE_TOL, FEW_SAMPLES = 1e-3, 1e-14, 50
# The refit lifts most of the shrinkage that served to choose the features: C times this. Under a
# measure the positives decide: less where they are few, and least for a ranking, to which shrinkage
# does no harm.
REFIT_FACTOR = 10.0
LEAST_FACTOR_OF_MEASURE, LEAST_FACTOR_OF_RANKING, POSITIVES_PER_FACTOR = 3.0, 1.0, 30.0


def at_zero(target: Target, penalty: Penalty, active: ActiveColumns) -> State:
    """The state with all weights at zero, the intercept at its best."""
    state = State.start(target, penalty, active)
    if not target.loss.is_smooth:
        nothing = replace(
            state.subproblem(bundle_tol(target.loss)), columns=np.zeros((len(target.y), 0))
        )
        solution = ridge_solver(target.loss).solve(nothing, state.solution)
        state.solution = replace(solution, weights=state.solution.weights)
    return state


def _refit_factor(target: Target) -> float:
    """By how much C grows for the last fit."""
    loss = target.loss
    if loss.is_smooth:
        return REFIT_FACTOR
    least = LEAST_FACTOR_OF_MEASURE if loss.has_threshold else LEAST_FACTOR_OF_RANKING
    n_positive = loss.count(target.y[:, 0] > 0)
    return min(max(n_positive / POSITIVES_PER_FACTOR, least), REFIT_FACTOR)


def refit(state: State) -> None:
    """Fit the features that are left anew, with less shrinkage."""
    state.reweight(_refit_factor(state.target))
    solve_closely(state)


def ranking_tol(loss: Any) -> float:
    """How closely models are solved while candidates are generated and dropped."""
    return RANKING_TOL if loss.is_smooth else bundle_tol(loss, RANKING_TOL)


def kept_tol(loss: Any) -> float:
    """How closely models of k features are solved, to be compared with each other."""
    return KEPT_TOL if loss.is_smooth else bundle_tol(loss)


def bundle_tol(loss: Any, tol: float = BUNDLE_TOL) -> float:
    """The relative gap wanted of a loss with kinks."""
    return EXACT_BUNDLE_TOL if loss.n_samples <= FEW_SAMPLES else tol


def solve_closely(state: State) -> None:
    """Solve the ridge problem on the active features as closely as a model is wanted."""
    entries = len(state.active) * state.target.y.shape[0]
    tol = EXACT_TOL if entries <= EXACT_ENTRIES else FINAL_TOL
    if not state.target.loss.is_smooth:
        tol = bundle_tol(state.target.loss)
    solver = ridge_solver(state.target.loss)
    state.solution = solver.solve(state.subproblem(tol), state.solution)

"""The last fits: the features that are left solved closely, and again with less shrinkage, as rows not seen want it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handful.methods.fgm.plan import Options
from handful.methods.fgm.solvers import Solution, Target
from handful.methods.fgm.state import State
from handful.methods.fgm.unseen import Adjusted, Folds, adjust_to_unseen_rows
from handful.methods.problem import Problem
from handful.spaces.base import Array

ROUNDING = 1e-8  # of a margin: differences between predictions that say nothing


def solve_closely(state: State) -> None:
    """Solve the ridge problem on the active features as closely as a model is wanted."""
    n_entries = len(state.active) * len(state.target.y)
    state.solve_ridge(state.target.loss.tolerances(n_entries).final)


def refit(state: State, tol: float | None = None) -> None:
    """Fit the features that are left anew, with less shrinkage; to ``tol`` a model that is only compared with others."""
    state.reweight(state.target.loss.refit_factor(state.target.y))
    if tol is None:
        solve_closely(state)
    else:
        state.solve_ridge(tol)


def drop_unused(state: State) -> None:
    """Keep the features that have weights, and those of include."""
    lengths = state.lengths
    is_used = lengths > state.target.loss.negligible * lengths.max(initial=0.0)
    is_used[: state.penalty.n_always] = True
    if not is_used.any():  # the tolerance was met before any weight moved: C is tiny
        is_used[:] = True
    state.keep(np.flatnonzero(is_used))


@dataclass(frozen=True)
class LastFit:
    """The features of a state fitted for good.

    Attributes
    ----------
    target : Target
        With the C of this fit.
    fitted : Solution
        By the loss itself.
    final : Solution
        With thresholds where labels are predicted, and with other models where unseen rows want them.
    adjusted : Adjusted
        What unseen rows did.
    """

    target: Target
    fitted: Solution
    final: Solution
    adjusted: Adjusted


def fit_for_good(
    problem: Problem, options: Options, state: State, folds: Folds | None = None
) -> LastFit:
    """Refit the features of a state, and move the intercept to where labels are predicted, as the loss wants it, or as unseen rows do.

    The state stays as it is. ``folds`` are those that predictions of unseen rows are wanted for.
    """
    model = replace(state)
    if options.refit:
        refit(model)
    target, fitted = model.target, model.solution
    point = target.loss.with_threshold(
        model.point, target.y, is_refitted=options.refit, fit_intercept=target.fit_intercept
    )
    model.solution = replace(fitted, point=point)
    _clear_rounding(model, problem.weight)
    adjusted = adjust_to_unseen_rows(problem, model, options, folds)
    return LastFit(target, fitted, model.solution, adjusted)


def _clear_rounding(model: State, weight: Array) -> None:
    """Where no weights are better than none, as for a label that the features do not tell, have none, and barely the more frequent answer.

    What a solver leaves there are weights of rounding, whose signs would be predicted.
    """
    point, outputs = model.point, enumerate(model.target.outputs)
    margins = {c: one.loss.margin(one.at_zero) for c, one in outputs if one.fit_intercept}
    noise = [
        c
        for c, margin in margins.items()
        if margin > 0.0 and np.ptp(point.scores[:, c]) <= ROUNDING * margin
    ]
    if not noise:
        return
    weights, scores = model.solution.weights.copy(), point.scores.copy()
    intercept = point.intercept.copy()
    weights[:, noise], scores[:, noise] = 0.0, 0.0
    for c in noise:
        sign = 1.0 if weight @ model.target.y[:, c] > 0 else -1.0
        intercept[c] = sign * ROUNDING * margins[c]
    point = replace(point, scores=scores, intercept=intercept)
    model.solution = replace(model.solution, weights=weights, point=point)


def take_last_fit(state: State, last: LastFit) -> None:
    """Have the last fit as the model of a state."""
    state.target, state.solution = last.target, last.final
    state.more["refit_loss_"] = last.adjusted.losses

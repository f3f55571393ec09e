"""Rows of weights that vanish: reweighted quadratic problems, one after the other.

``min sum_i |W_i|^p + loss(X W)``, 0 < p <= 1. Where ``s_i = |W_i|^(2-p)`` is known from the last step,
``p/2 sum_i |W_i|^2 / s_i`` lies above the first term and touches it there, so minimising it with the loss
lowers the objective. What the loss is, and how such a step is solved, is for a fitting to say: direct sparsity keeps
margins (margin_fits.py), robust feature selection sums the lengths of residuals (rfs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful.methods.problem import Monitor, Problem, Selected
from handful.methods.reweighted.data import Data, RemainingColumns
from handful.methods.reweighted.margin_fits import (
    ConstantOutputError,
    InseparableError,
    MarginFit,
    ProjectedFit,
)
from handful.methods.reweighted.rfs import RobustFit
from handful.methods.reweighted.state import Options, Reweighting, best_different, of_columns
from handful.methods.reweighted.step import StepError
from handful.spaces.base import Array
from handful.spaces.columns import inverse_norms
from handful.status import Status

#: C of the support vector machine on the selected features, whose columns have deviation 1.
REFIT_C = 1.0
#: Predictions that differ by less than this share of what the targets do are those of the intercept alone.
MUCH_SHRUNK = 0.01
AfterRound = Callable[[Reweighting], bool]


def fit(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Let rows vanish, select, and fit what is selected anew."""
    return _fit(problem, options, monitor)[1]


def fit_path(
    problem: Problem, options: Options, ks: Sequence[int], monitor: Monitor
) -> Iterator[tuple[int, Selected]]:
    """Yield each of rising numbers and what a fit with it selects; KeyboardInterrupt when the monitor wants an end.

    Norms of rows rank all features in one fit, so that a number only decides how many are kept, and fitted anew.
    """
    state, largest = _fit(problem, replace(options, n_keep=ks[-1]), monitor)
    if monitor.interrupted:
        raise KeyboardInterrupt
    for k in ks[:-1]:
        scores = largest.more["scores_"]
        ids, weights, intercept = best_different(state.data, state.columns, state.step, scores, k)
        chosen = replace(largest, ids=ids, weights=weights, intercept=intercept)
        yield k, refitted(chosen, state)
    yield ks[-1], largest


def _fit(problem: Problem, options: Options, monitor: Monitor) -> tuple[Reweighting, Selected]:
    data = Data.of(problem, options.unit)
    solve = fit_residuals if options.margin is None else keep_margins
    state, status = solve(data, options, monitor)
    selected = replace(
        state.selected(), status=Status.INTERRUPTED if monitor.interrupted else status
    )
    return state, refitted(selected, state)


def is_much_shrunk(problem: Problem, selected: Selected) -> bool:
    """Tell whether predictions of the samples differ by next to nothing, where the targets do."""
    outputs = np.asarray(problem.space.columns(selected.ids) @ selected.weights.T)
    apart, wanted = (about_mean(values, problem.weight) for values in (outputs, problem.y))
    return bool(apart < MUCH_SHRUNK * wanted)


def about_mean(values: Array, weight: Array) -> float:
    """Return how far rows are from their mean, all together."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        centred = values - np.average(values, axis=0, weights=weight)
        return float(np.linalg.norm(np.sqrt(weight)[:, None] * centred))


def refitted(selected: Selected, state: Reweighting) -> Selected:
    """Return what is selected with the weights of the last fit, where the options want one."""
    data, options, wanted = state.data, state.options, state.options.refit
    if wanted == "auto":
        wanted = not np.array_equal(selected.ids, np.sort(state.columns.ids))
    if not wanted:
        return selected
    by = by_margins if options.refit_by == "margins" else by_residuals
    weights, intercept = by(data, options, selected.ids)
    return replace(selected, weights=weights, intercept=intercept)


def keep_margins(
    data: Data, options: Options, after_round: AfterRound
) -> tuple[Reweighting, Status]:
    """Direct sparsity: try margins from hard to soft, as far as allowed and as the data need."""
    left = order = options.margins(is_wide=data.is_wide)
    feasible: bool | None = None
    if options.checkpoint is not None:
        left, feasible = options.checkpoint.margins_left(order)
    for margin in left:
        columns = data.columns(constant=options.penalize_intercept)
        told: dict[str, Any] = {"p_": options.p, "margin_": margin, "feasible_": feasible}
        if margin == "soft":
            told["C_"] = options.slack_weight(data.weight)
        try:
            fitting = _of_margin(margin, columns, data, options)
            state = Reweighting.start(data, options, fitting, **told)
            status = reweight(state, after_round)
            break
        except InseparableError:
            feasible = False
        except ConstantOutputError:
            pass
    if margin == "hard":
        state.more["feasible_"] = True
    if margin != order[0]:
        status = Status.PROJECTED if margin == "projected" else Status.SOFTENED
    return state, status


def fit_residuals(
    data: Data, options: Options, after_round: AfterRound, ids: Array | None = None
) -> tuple[Reweighting, Status]:
    """Robust feature selection: the lengths of residuals and of rows, neither of them squared."""
    columns = data.columns(constant=options.penalize_intercept, ids=ids)
    fitting = RobustFit(columns, data.Y, options.alpha, data.weight)
    state = Reweighting.start(data, options, fitting, alpha_=options.alpha)
    state.norms *= fitting.unit
    return state, reweight(state, after_round)


def reweight(state: Reweighting, after_round: AfterRound) -> Status:
    """Lower ``alpha sum_i |W_i|^p + loss`` until a step brings less than ``tol`` of it.

    Parameters
    ----------
    state : Reweighting
        At its start, or where the checkpoint has it; where it ends is there too. Its fitting knows alpha and p too.
    after_round : callable
        Called after every step; returns True to stop there.

    Raises
    ------
    StepError
        When the first step has no solution.
    """
    options, fitting = state.options, state.fitting
    if options.checkpoint is not None:
        options.checkpoint.restore(state)
    p, alpha = options.p, options.alpha
    while not state.has_settled:
        if len(state.objectives) >= options.max_iter:
            return Status.MAX_ITER
        with np.errstate(under="ignore"):
            try:
                last = state.step if state.objectives else None
                step = fitting.solve(state.norms ** (2 - p), last)
            except StepError:
                if last is None:
                    raise
                return Status.SETTLED  # it had one a step ago: this is rounding
            norms = np.sqrt(np.einsum("ik,ik->i", step.weights, step.weights))
            objective = alpha * float((norms[norms > 0] ** p).sum()) + step.loss
        before = state.objectives[-1] if state.objectives else np.inf
        if not objective <= before:
            return Status.SETTLED  # all that is left is rounding
        state.accept(step, norms, objective)
        state.drop()
        state.history.record("reweight", len(state.columns.ids), objective, state.started)
        if after_round(state):
            return Status.INTERRUPTED
    return Status.SETTLED


def by_margins(data: Data, options: Options, ids: Array) -> tuple[Array, Array]:
    """Return weights and intercept of support vector machines on the selected columns."""
    factors = inverse_norms(np.square(data.deviations))
    columns = RemainingColumns(data.space, factors, ids, means=data.means)
    fitting = MarginFit(columns, data.Y, 1.0, REFIT_C * data.weight)
    return of_columns(columns, fitting.solve(np.ones(len(columns)), None), ids)


def by_residuals(data: Data, options: Options, ids: Array) -> tuple[Array, Array]:
    """Solve the same problem again on the selected columns alone."""
    options = replace(options, checkpoint=None)  # it is of the selection
    state, _ = fit_residuals(data, options, lambda state: False, ids)
    return of_columns(state.columns, state.step, ids)


def _of_margin(margin: str, columns: RemainingColumns, data: Data, options: Options) -> Any:
    if margin == "projected":
        n_constant = data.Y.shape[1] - 1 if options.margin == "projected" else 0
        return ProjectedFit(columns, data.Y, data.weight, n_constant)
    slacks = None if margin == "hard" else options.slack_weight(data.weight) * data.weight
    return MarginFit(columns, data.Y, options.p, slacks)

"""The feature generating machine: generate, eliminate, swap, refit, in this order.

    repeat:  a = -gradient(predictions) -> ids = space.top(a, B) -> solve on the active columns

adds features until there are enough candidates (generation.py, the paper's Algorithm 1); then those that are
missed least are dropped until k are left, and a swap looks whether others would do better (elimination.py).
With k open there is nothing to eliminate: the rounds end at a certified gap. If asked, the bound is then worked on
by itself (certifying.py). Under F the squared hinge selects too, and unseen rows decide between the two (reselection.py).
The last fit shrinks less.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from handful import validation
from handful.methods.fgm.beginning import Beginning, begin
from handful.methods.fgm.certifying import tighten
from handful.methods.fgm.elimination import eliminate, swap
from handful.methods.fgm.generation import certificate, generate
from handful.methods.fgm.held_out import Quiet, settle_C
from handful.methods.fgm.last_fit import (
    drop_unused,
    fit_for_good,
    refit,
    solve_closely,
    take_last_fit,
)
from handful.methods.fgm.oracle import Cut, has_signal
from handful.methods.fgm.plan import Options, Plan
from handful.methods.fgm.reselection import begin_with_surrogate, reselect
from handful.methods.fgm.state import State
from handful.methods.problem import Monitor, Problem, Selected
from handful.spaces.base import NO_IDS, Array
from handful.status import Status


def fit(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Select features and fit the model on them."""
    beginning = begin(problem, options)
    [path] = settle_C(beginning, [options.n_keep], _models_of, monitor)
    if options.C == "auto":
        monitor.tell(path)
    state, cut = beginning.with_C(path.chosen)
    state.more = {"C_": path.chosen, "C_path_": asdict(path)}
    is_moved = _resume(options, beginning.plan, state)
    status = select(beginning, state, None if is_moved else cut, monitor)
    state, last = reselect(problem, options, state, _features_of_surrogate(beginning, monitor))
    if state.phase == "reselect":
        monitor.tell(state.history[-1])
    if options.certify and not monitor.interrupted:
        tighten(problem, options, state, monitor)
    objective, bound = state.objective, state.bound
    if options.n_keep is None:
        drop_unused(state)
    last = last or fit_for_good(problem, options, state)
    if options.refit:
        state.record_refit(last.target, last.fitted)
        monitor.tell(state.history[-1])
    take_last_fit(state, last)
    status = Status.INTERRUPTED if monitor.interrupted else status
    return replace(state.selected(), objective=objective, bound=bound, status=status)


def select(beginning: Beginning, state: State, cut: Cut | None, monitor: Monitor) -> Status:
    """Generate and, for exactly k, eliminate and swap; the model ends up in ``state``.

    ``cut`` is the first one if the state is still at zero.
    """
    problem, plan, k = beginning.problem, beginning.plan, beginning.options.n_keep
    status = collect(beginning, state, cut, monitor)
    if k is None:
        return status
    if state.phase != "final":
        tol = plan.solver_tol if plan.only_new else problem.loss.tolerances(0).ranking
        eliminate(state, k, tol, monitor, plan.kept_tol)
        # A named solver's answer is only reduced, not improved.
        if plan.only_new and len(state.active) == k and not monitor.interrupted:
            swap_plan, n_swaps = beginning.options.swap_plan(problem, plan)
            swap(problem.space, swap_plan, state, k, n_swaps, monitor)
        solve_closely(state)
        state.record("final")
        monitor(state)
    return Status.EXHAUSTED if len(state.active) < k else Status.SELECTED


def collect(beginning: Beginning, state: State, cut: Cut | None, monitor: Monitor) -> Status:
    """Generate candidates until there are enough of them."""
    status = Status.EXHAUSTED
    if state.phase == "generate" and state.penalty.budget > 0:
        status = generate(beginning.problem.space, beginning.plan, state, cut, monitor)
        state.candidate_ids = state.active.ids.copy()
    if not len(state.active):
        raise validation.no_signal()
    if not state.history and len(state.active) == state.penalty.n_always:
        fit_included(beginning.plan, state)
        monitor(state)
    return status


def _models_of(beginning: Beginning, factor: float, monitor: Monitor) -> list[State]:
    """The one model that a fit with so many times the closed C ends with."""
    state, cut = start(beginning, factor * beginning.closed_C)
    select(beginning, state, cut, monitor)
    if beginning.options.refit:
        refit(state)
    return [state]


def _features_of_surrogate(beginning: Beginning, monitor: Monitor) -> Array | None:
    """What another loss would choose, if it has a say."""
    other = None if monitor.interrupted else begin_with_surrogate(beginning)
    if other is None:
        return None
    state, cut = start(other, other.closed_C)
    select(other, state, cut, Quiet(monitor))
    return None if monitor.interrupted else state.active.ids


def start(beginning: Beginning, C: float) -> tuple[State, Cut | None]:
    """The state that generation begins with, and the first cut if all weights are zero in it."""
    state, cut = beginning.with_C(C)
    if not len(state.active):
        return state, cut
    _solve_active(beginning.plan, state)
    return state, None


def _resume(options: Options, plan: Plan, state: State) -> bool:
    """Take up the rounds of the checkpoint, the candidates of the last fit, and include.

    True when that leaves the state elsewhere than at zero, where the first cut was made.
    """
    if options.checkpoint is not None and options.checkpoint.restore(state):
        return True
    if options.checkpoint is None and options.candidates is not None and plan.only_new:
        _activate(state, plan, options.candidates)
    if not len(state.active):
        return False
    _solve_active(plan, state)
    return True


def _activate(state: State, plan: Plan, candidates: Array) -> None:
    """Have features active that were candidates before, as far as they have any signal here."""
    candidates = candidates[candidates < state.active.space.n_features]
    candidates = candidates[~np.isin(candidates, plan.exclude)][: plan.max_active]
    a = state.target.dual_point(state.point)
    state.active.add(candidates)
    is_useful = has_signal(state.active, np.arange(len(state.active)), a)
    is_useful[: state.penalty.n_always] = True
    state.active.keep(np.flatnonzero(is_useful))


def _solve_active(plan: Plan, state: State) -> None:
    """Solve on what is active before any round."""
    if len(state.active) > state.penalty.n_always:
        state.solve_ridge(plan.solver_tol)
    else:
        solve_closely(state)


def fit_included(plan: Plan, state: State) -> None:
    """No feature beside include may or need be added: the penalty on those is plain ridge."""
    solve_closely(state)
    if state.penalty.budget == 0:
        a = state.target.dual_point(state.point)
        state.raise_bound(certificate(state, plan, a, Cut(NO_IDS, np.empty(0))))
    state.record("final")

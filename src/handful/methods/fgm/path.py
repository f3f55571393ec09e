"""Models of several sizes out of one generation.

    generate for the largest k -> eliminate to it -> swap, refit: the model of that k
                               -> eliminate to the next smaller k -> swap, refit: its model -> ...

A model of the path is what a fit of that k could have ended with, and mostly is: the same steps with the same C of the same rule.
What differs is where elimination comes from (the next larger model, and not candidates of its own), and that
a swap is tried once and not twice. Its certificate is one of that k.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import numpy as np

from handful.history import History
from handful.methods.fgm.beginning import Beginning, begin
from handful.methods.fgm.elimination import eliminate, swap
from handful.methods.fgm.engine import collect, fit_included, start
from handful.methods.fgm.held_out import CPath, ModelsOf, Quiet, settle_C
from handful.methods.fgm.last_fit import fit_for_good, refit, solve_closely, take_last_fit
from handful.methods.fgm.plan import Options, Plan
from handful.methods.fgm.reselection import begin_with_surrogate, reselect
from handful.methods.fgm.state import State
from handful.methods.problem import Monitor, Problem, Selected
from handful.spaces.base import Array
from handful.status import Status

SWAPS = 1  # of each model


def fit_path(
    problem: Problem, options: Options, ks: Sequence[int], monitor: Monitor
) -> Iterator[Selected]:
    """Yield what is selected for each number of features, the largest first.

    ``ks`` are different numbers; KeyboardInterrupt when the monitor wants an end, since the models
    that are missing cannot be made up for.
    """
    falling = sorted(ks, reverse=True)
    beginning = begin(problem, replace(options, n_keep=falling[0]))
    paths = settle_C(beginning, falling, _models_of(falling), monitor)
    walk = _walk(beginning, falling, [path.chosen for path in paths], monitor, n_swaps=SWAPS)
    others = _features_of_surrogate(beginning, falling, monitor)
    for k, path, state, ids in zip(falling, paths, walk, others, strict=True):
        solve_closely(state)
        state.record("refit")
        monitor(state)
        if monitor.interrupted:
            raise KeyboardInterrupt
        yield _model(state, k, path, problem, options, ids)


def _features_of_surrogate(
    beginning: Beginning, ks: Sequence[int], monitor: Monitor
) -> Iterator[Array | None]:
    """Yield what another loss would choose for each number of features, if it has a say."""
    other = begin_with_surrogate(beginning)
    if other is None:
        yield from [None] * len(ks)
    else:
        walk = _walk(other, ks, other.closed_Cs(ks), Quiet(monitor), n_swaps=SWAPS)
        yield from (state.active.ids for state in walk)


def _models_of(ks: Sequence[int]) -> ModelsOf:
    """The models of all numbers of features that fits with so many times their closed Cs end with."""

    def models_of(began: Beginning, factor: float, quiet: Monitor) -> Iterator[State]:
        Cs = [factor * one for one in began.closed_Cs(ks)]
        tol = began.problem.loss.tolerances(0).kept
        for state in _walk(began, ks, Cs, quiet, n_swaps=0):
            model = replace(state)
            if began.options.refit:
                refit(model, tol)
            yield model

    return models_of


def _walk(
    beginning: Beginning, ks: Sequence[int], Cs: Sequence[float], monitor: Monitor, *, n_swaps: int
) -> Iterator[State]:
    """Yield the state at each number of features, which fall; it holds until the next is asked for."""
    problem, plan = beginning.problem, beginning.plan
    state, cut = start(beginning, Cs[0])
    collect(beginning, state, cut, monitor)
    C_now = Cs[0]
    for k, C in zip(ks, Cs, strict=True):
        options = replace(beginning.options, n_keep=k)
        if k < ks[0]:
            _come_down(state, options, problem, C / C_now)
        C_now = C
        if state.penalty.budget == 0:
            _leave_included(plan, state)
            yield state
            return
        eliminate(state, k, plan.solver_tol, monitor, plan.kept_tol)
        if n_swaps and len(state.active) == k and not monitor.interrupted:
            swap_plan, _ = options.swap_plan(problem, plan)
            swap(problem.space, swap_plan, state, k, n_swaps, monitor)
        yield state


def _leave_included(plan: Plan, state: State) -> None:
    """Drop everything but what must be there: among that there is nothing to eliminate or swap."""
    if len(state.active) > state.penalty.n_always:
        state.keep(np.arange(state.penalty.n_always))
        state.grams = None
        fit_included(plan, state)


def _come_down(state: State, options: Options, problem: Problem, factor: float) -> None:
    """Make a problem of fewer features of the state, with another C; its rounds are counted anew.

    What no more features can reach fewer cannot, nor under a larger C; a smaller one lowers the bound by
    its share.
    """
    state.penalty = options.penalty(problem)
    state.bound = min(factor, 1.0) * state.bound if state.bound > 0 else state.bound
    state.history = History()
    if factor != 1.0:
        state.reweight(factor)


def _model(
    state: State, k: int, path: CPath, problem: Problem, options: Options, ids: Array | None
) -> Selected:
    """The model of a state, which itself stays as it is, or one on other features that unseen rows want."""
    model = replace(state, more={"C_": path.chosen, "C_path_": asdict(path)})
    model, last = reselect(problem, options, model, ids)
    objective, bound = model.objective, model.bound
    take_last_fit(model, last or fit_for_good(problem, options, model))
    status = Status.EXHAUSTED if len(model.active) < k else Status.SELECTED
    return replace(model.selected(), objective=objective, bound=bound, status=status)

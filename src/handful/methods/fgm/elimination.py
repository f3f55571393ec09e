"""From a few times k candidates down to exactly k: drop copies, then what is missed least, solve again, repeat.

Elimination touches only the active columns; there is no pass over the data. A swap asks the oracle
once more, now with the gradient of the k-feature model, and eliminates again: features that only
looked useful beside others give way to those that help the model as it is. A swap that does not
lower the objective is taken back.
"""

from __future__ import annotations

import math
from dataclasses import replace

from handful.methods.fgm.copies import drop_copies
from handful.methods.fgm.generation import generate
from handful.methods.fgm.plan import Plan
from handful.methods.fgm.solvers import ridge_solver
from handful.methods.fgm.state import AfterRound, State
from handful.spaces.base import FeatureSpace
from handful.status import Status

LEAST_GAIN = 1e-2  # share of the objective that a swap must gain for another to follow


def eliminate(
    state: State,
    n_keep: int,
    tol: float,
    after_round: AfterRound,
    kept_tol: float | None = None,
) -> bool:
    """Reduce the active features to ``n_keep`` by how little the ridge objective rises without them.

    Must-keep features stay. ``tol`` is that of the ridge solutions on the way, ``kept_tol`` that of the last
    one. True when ``after_round`` asked to stop; the elimination itself is always completed.
    """
    solver = ridge_solver(state.target.loss)
    n_always = state.penalty.n_always

    def solve_again() -> bool:
        is_last = len(state.active) == n_keep
        wanted = kept_tol if is_last and kept_tol is not None else tol
        state.solution = solver.solve(state.subproblem(wanted), state.solution)
        state.record("eliminate")
        return after_round(state)

    stop = drop_copies(state, n_keep) and solve_again()
    while len(state.active) > n_keep:
        n_next = _next_count(len(state.active), n_keep, solver.drop_share)
        model = solver.quadratic(state.subproblem(tol), state.solution, state.grams)
        model.drop(len(state.active) - n_next, n_always)
        state.keep(model.kept, model.weights)
        state.grams = model.grams
        stop = solve_again() or stop
    return stop


def _next_count(n_now: int, n_keep: int, share: float) -> int:
    """How many features to keep now, so that about the same share goes each time."""
    n_times = max(1, round(math.log(n_keep / n_now) / math.log(1.0 - share)))
    return max(n_keep, int(n_now * (n_keep / n_now) ** (1.0 / n_times)))


def swap(
    space: FeatureSpace,
    plan: Plan,
    state: State,
    n_keep: int,
    n_swaps: int,
    after_round: AfterRound,
) -> None:
    """Improve ``n_keep`` features: add up to as many as the plan allows, eliminate, keep the better.

    Ends when a swap is taken back: the oracle would propose the same features again.
    """
    while state.before_swap is not None or _may_swap(state, n_swaps):
        status = Status.MAX_ROUNDS
        if state.before_swap is None:  # else this fit was taken up amid a swap
            n_rounds = len(state.history)
            state.before_swap = state.snapshot()
            once = replace(plan, phase="swap", max_rounds=state.history.in_phase("swap") + 1)
            status = generate(space, once, state, None, after_round)
            if len(state.history) == n_rounds:  # nothing else has any signal
                state.before_swap = None
                return
        stop = eliminate(state, n_keep, plan.solver_tol, after_round, plan.kept_tol)
        before, state.before_swap = state.before_swap, None
        if state.objective > before.objective:
            state.go_back(before)
            state.record("undo")
            after_round(state)
            return
        is_little = before.objective - state.objective <= LEAST_GAIN * abs(before.objective)
        if is_little or stop or status is Status.INTERRUPTED:
            return


def _may_swap(state: State, n_swaps: int) -> bool:
    history = state.history
    return history.in_phase("swap") < n_swaps and not history.in_phase("undo")

"""From a few times k candidates down to exactly k: drop the weakest, solve again, repeat.

Elimination touches only the active columns; there is no pass over the data. A swap asks the oracle
once more, now with the gradient of the k-feature model, and eliminates again: features that only
looked useful beside others give way to those that help the model as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.engines.cutting_plane import Plan, generate
from handful.engines.state import AfterRound, State
from handful.solvers import ridge_solver
from handful.spaces.base import FeatureSpace
from handful.status import Status

DROP = 0.3  # share of the features dropped in one step


def eliminate(state: State, n_keep: int, tol: float, after_round: AfterRound) -> bool:
    """Reduce the active features to ``n_keep`` by the size of their ridge weights.

    Must-keep features stay. ``tol`` is that of the ridge solutions on the way. True when
    ``after_round`` asked to stop; the elimination itself is always completed.
    """
    solver = ridge_solver(state.target.loss)
    n_always = state.penalty.n_always
    stop = False
    while len(state.active) > n_keep:
        n_next = max(n_keep, int((1.0 - DROP) * len(state.active)))
        sizes = state.lengths
        sizes[:n_always] = np.inf
        strongest = np.argsort(-sizes, kind="stable")[:n_next]
        state.keep(np.sort(strongest))
        state.solution = solver.solve(state.subproblem(tol), state.solution)
        state.record("eliminate")
        stop = after_round(state) or stop
    return stop


def swap(
    space: FeatureSpace,
    plan: Plan,
    state: State,
    n_keep: int,
    n_swaps: int,
    after_round: AfterRound,
) -> None:
    """Improve ``n_keep`` features: add up to as many as the plan allows, eliminate, repeat."""
    while state.history.in_phase("swap") < n_swaps:
        before = len(state.history)
        once = replace(plan, phase="swap", max_rounds=state.history.in_phase("swap") + 1)
        status = generate(space, once, state, None, after_round)
        stop = eliminate(state, n_keep, plan.solver_tol, after_round)
        if stop or status is Status.INTERRUPTED or len(state.history) == before:
            return

"""A better bound for a model that stays as it is.

The bound is good where the dual point comes from a solution of the convex problem, of which every choice of k features is a
point. Candidates for exactly k are found with ridge models, which rank well and bound badly. So the convex problem
is solved here for its own sake, from the model on: round by round the features that violate its optimum most are
added. Its optimum is the best bound there is of this kind.
"""

from __future__ import annotations

import numpy as np

from handful.methods.fgm.generation import generate
from handful.methods.fgm.plan import Options, Plan
from handful.methods.fgm.solvers import convex_solver
from handful.methods.fgm.state import State
from handful.methods.problem import Monitor, Problem
from handful.sizes import slices
from handful.spaces.base import Array
from handful.spaces.groups.space import activate

#: The convex problem is solved to this share of its objective; the bound cannot rise by more.
TOL = 1e-3
#: Changes of the objective that end the rounds all the same, and what the solver is asked for.
CHANGE, SOLVER_SHARE = 1e-6, 0.1
#: A round adds so many times the budget. Of the features that score above the others at most one budget
#: is active already, so that every round brings new ones.
PER_BUDGET, LEAST_PER_ROUND = 5, 50
MOST_ROUNDS = 40


def tighten(problem: Problem, options: Options, state: State, monitor: Monitor) -> None:
    """Raise the bound of a state as far as the convex problem allows, and record these rounds in it.

    Nothing else of the state changes. Nothing is saved: a fit that is taken up again certifies anew.
    """
    if state.penalty.budget == 0:  # all is included, and what is certified is exact already
        return
    plan = _plan(problem, options, state)
    work = State.start(
        state.target, state.penalty, activate(problem.space, problem.include, problem.weight)
    )
    work.bound = state.bound
    _begin(work, state.active.ids)
    work.solution = plan.solver.solve(work.subproblem(plan.solver_tol), work.solution)

    def after_round(_: State) -> bool:
        _record(state, work, monitor)
        return monitor.interrupted or state.history[-1].relative_gap <= TOL

    generate(problem.space, plan, work, None, after_round)
    if work.bound > state.bound or state.phase != "certify":
        _record(state, work, monitor)


def _begin(work: State, ids: Array) -> None:
    """Have the features of the model active, in blocks of at most the budget."""
    positions = work.active.add(ids)
    free = np.sort(positions[positions >= work.penalty.n_always])
    work.blocks = [free[part] for part in slices(len(free), work.penalty.budget)]


def _plan(problem: Problem, options: Options, state: State) -> Plan:
    solver = convex_solver(problem.loss)
    per_round = max(PER_BUDGET * state.penalty.budget, LEAST_PER_ROUND)
    if solver.works_in_blocks:
        per_round = state.penalty.budget
    return Plan(
        solver=solver,
        n_keep=options.n_keep,
        per_round=min(per_round, problem.space.n_features),
        max_rounds=MOST_ROUNDS,
        tol=TOL,
        change_tol=CHANGE,
        solver_tol=SOLVER_SHARE * TOL,
        phase="certify",
        exclude=problem.exclude,
    )


def _record(state: State, work: State, monitor: Monitor) -> None:
    """Write down how far the bound has come, beside the objective of the model."""
    state.bound = max(state.bound, work.bound)
    state.record("certify")
    monitor.tell(state.history[-1])

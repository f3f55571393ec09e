"""The feature generating machine: generate, eliminate, swap, and the last solution, in this order."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from handful import validation
from handful.methods.fgm.elimination import eliminate, swap
from handful.methods.fgm.generation import Plan, certificate, generate
from handful.methods.fgm.last_fit import (
    RANKING_TOL,
    at_zero,
    kept_tol,
    ranking_tol,
    solve_closely,
)
from handful.methods.fgm.oracle import Cut, find_cut, has_signal
from handful.methods.fgm.schedule import Schedule, automatic_C, automatic_C_of_cut, exact_schedule
from handful.methods.fgm.solvers import Bundle, KSupport, Solver, known_solvers, ridge_solver
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.spaces.base import NO_IDS, Array
from handful.spaces.groups.space import activate
from handful.status import Status

# A solver of the convex problem gets this share of the certified gap that stops the rounds.
SOLVER_SHARE = 0.1


class Watcher(Protocol):
    """Is called after every round; true when the fit should end there."""

    @property
    def interrupted(self) -> bool:
        """Whether the fit is to end."""

    def __call__(self, state: State) -> bool:
        """Look at the state."""


@dataclass(frozen=True)
class Machine:
    """The settings of a selection, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int or None
        Exactly how many features, or None for the plain machine.
    strength : float
        Factor of the closed rule for C under a measure.
    """

    n_keep: int | None
    budget: int = 10
    max_rounds: int = 15
    tol: float = 1e-2
    solver: str = "auto"
    strength: float = 1.0

    @property
    def is_exact(self) -> bool:
        """Whether k features are found with ridge models, and not by a solver of the convex problem.

        Collecting candidates that way is faster and picks better.
        """
        return self.n_keep is not None and self.solver == "auto"

    def schedule(self, problem: Problem) -> Schedule:
        """How many candidates there are to be."""
        # A weight counts as that many copies of its row; what may be too many is columns.
        n_samples = float(problem.weight.sum()) / problem.space.mean_width
        return exact_schedule(self.n_keep or 0, n_samples, self.budget, self.max_rounds)

    def plan(self, problem: Problem) -> Plan:
        """How features are generated."""
        loss, exclude = problem.loss, problem.exclude
        if self.is_exact:
            schedule = self.schedule(problem)
            return Plan(
                solver=ridge_solver(loss),
                per_round=schedule.per_round,
                max_rounds=schedule.max_rounds,
                tol=self.tol,
                solver_tol=ranking_tol(loss),
                kept_tol=kept_tol(loss),
                only_new=True,
                max_active=schedule.max_active + len(problem.include),
                exclude=exclude,
            )
        by_default: Solver = KSupport() if loss.is_smooth else Bundle()
        return Plan(
            solver=by_default if self.solver == "auto" else known_solvers()[self.solver](),
            per_round=max(self.penalty(problem).budget, 1),
            max_rounds=self.max_rounds,
            tol=self.tol,
            solver_tol=SOLVER_SHARE * self.tol,
            exclude=exclude,
        )

    def penalty(self, problem: Problem) -> Penalty:
        """Which penalty is certified."""
        n_always = len(problem.include)
        budget = self.budget if self.n_keep is None else self.n_keep - n_always
        return Penalty(min(budget, problem.space.n_features), n_always)

    def begin(self, problem: Problem) -> Beginning:
        """All weights at zero, C = 1, and the first cut."""
        plan, penalty = self.plan(problem), self.penalty(problem)
        active = activate(problem.space, problem.include, problem.weight)
        state = at_zero(problem.target(1.0), penalty, active)
        cut = find_cut(problem.space, state.point.a, plan.count(state), plan.exclusions(state))
        if not len(cut.ids) and not len(problem.include):
            raise validation.no_signal()
        validation.check_magnitude(cut.scores)
        return Beginning(self, problem, plan, state, cut)

    def select(
        self, problem: Problem, plan: Plan, state: State, cut: Cut | None, watcher: Watcher
    ) -> Status:
        """Generate and, for exactly k, eliminate and swap; the model ends up in ``state``."""
        k = self.n_keep
        status = Status.EXHAUSTED
        if state.phase == "generate" and state.penalty.budget > 0:
            status = generate(problem.space, plan, state, cut, watcher)
            state.candidate_ids = state.active.ids.copy()
        if not len(state.active):
            raise validation.no_signal()
        if not state.history and len(state.active) == state.penalty.n_always:
            _fit_included(plan, state)
            watcher(state)
        if k is None:
            return status
        if state.phase != "refit":
            tol = plan.solver_tol if plan.only_new else RANKING_TOL
            eliminate(state, k, tol, watcher, plan.kept_tol)
            self._swap(problem, plan, state, k, watcher)
            solve_closely(state)
            state.record("refit")
            watcher(state)
        if len(state.active) < k and not watcher.interrupted:
            warnings.warn(validation.fewer_features(len(state.active), k), stacklevel=6)
            return Status.EXHAUSTED
        return Status.SELECTED

    def _swap(self, problem: Problem, plan: Plan, state: State, k: int, watcher: Watcher) -> None:
        """Improve the k features; a named solver's answer is only reduced, not improved."""
        if not plan.only_new or len(state.active) < k or watcher.interrupted:
            return
        schedule = self.schedule(problem)
        active = schedule.swap_active
        swap_plan = replace(plan, per_round=max(active - k, 1), max_active=active)
        swap(problem.space, swap_plan, state, k, schedule.swaps, watcher)


@dataclass(frozen=True)
class Beginning:
    """Where a fit stands before C is known: with all weights at zero every C has the same first cut."""

    machine: Machine
    problem: Problem
    plan: Plan
    state: State
    cut: Cut

    @cached_property
    def closed_C(self) -> float:
        """C by the closed rule, from the columns of the first cut."""
        machine, state = self.machine, self.state
        spread = float(machine.max_rounds) if machine.n_keep is None else 1.0
        include = self.problem.include
        cut = self.cut if len(self.cut.ids) else Cut(include, np.empty(0))
        if not self.problem.loss.is_smooth:
            factor = spread * machine.strength
            return factor * automatic_C_of_cut(cut, state.point.cost, state.penalty.budget)
        return spread * automatic_C(
            self.problem.space,
            cut,
            self.problem.weight,
            centred=state.target.fit_intercept,
            n_outputs=self.problem.y.shape[1],
            n_keep=machine.n_keep,
        )

    def with_C(self, C: float) -> tuple[State, Cut]:
        """The state and the first cut for a C."""
        problem = self.problem
        active = activate(problem.space, problem.include, problem.weight)
        state = at_zero(problem.target(C), self.state.penalty, active)
        # With all weights at zero the gradient of every loss is proportional to C.
        return state, Cut(self.cut.ids, C**2 * self.cut.scores)


def start_from(state: State, plan: Plan, known: Array) -> None:
    """Have features active that were candidates before, as far as they say anything here."""
    known = known[known < state.active.space.n_features]
    known = known[~np.isin(known, plan.exclude)][: plan.max_active]
    a = state.target.dual_point(state.point)
    state.active.add(known)
    is_useful = has_signal(state.active, np.arange(len(state.active)), a)
    is_useful[: state.penalty.n_always] = True
    state.active.keep(np.flatnonzero(is_useful))


def solve_again(plan: Plan, state: State) -> None:
    """Solve on what is active before any round."""
    if len(state.active) > state.penalty.n_always:
        solver = ridge_solver(state.target.loss)
        state.solution = solver.solve(state.subproblem(plan.solver_tol), state.solution)
    else:
        solve_closely(state)


def _fit_included(plan: Plan, state: State) -> None:
    """No feature beside include may or need be added: the penalty on those is plain ridge."""
    solve_closely(state)
    if state.penalty.budget == 0:
        a = state.target.dual_point(state.point)
        state.raise_bound(certificate(state, plan, a, Cut(NO_IDS, np.empty(0))))
    state.record("refit")

"""The loop of FGM (the paper's Algorithm 1): ask the oracle, add features, solve, certify.

repeat:  a = -gradient(predictions) -> ids = space.top(a, B) -> solve on the active columns
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handful.methods.fgm.oracle import Cut, find_cut, has_signal
from handful.methods.fgm.solvers.base import Solver
from handful.methods.fgm.solvers.penalty import largest_sum
from handful.methods.fgm.state import AfterRound, State
from handful.spaces.base import NO_IDS, Array, FeatureSpace
from handful.status import Status


@dataclass(frozen=True)
class Plan:
    """How features are generated.

    Attributes
    ----------
    solver : Solver
    per_round : int
        Features taken from each cut.
    max_rounds : int
    tol : float
        Stop when the certified relative gap, or the relative change of the objective, is below.
    solver_tol : float
        What the solver is asked for.
    kept_tol : float or None
        The same for models that may be the last; they are compared with each other.
    only_new : bool
        Pass over features that are active already, and run all the rounds: exactly-k selection
        wants a fixed number of candidates. Otherwise a cut may repeat features, as in the paper.
    max_active : int or None
    phase : str
        What the history calls these rounds.
    exclude : ndarray of int64
        Must-not ids.
    """

    solver: Solver
    per_round: int
    max_rounds: int
    tol: float
    solver_tol: float
    kept_tol: float | None = None
    only_new: bool = False
    max_active: int | None = None
    phase: str = "generate"
    exclude: Array = field(default_factory=lambda: NO_IDS)

    def exclusions(self, state: State) -> Array:
        """Ids the oracle must pass over now."""
        known = state.active.ids if self.only_new else state.active.ids[: state.penalty.n_always]
        return np.concatenate([self.exclude, known])

    def count(self, state: State) -> int:
        """How many features the oracle must name: the cut, and the budget for the certificate."""
        return max(self.per_round, state.penalty.budget)


def generate(
    space: FeatureSpace, plan: Plan, state: State, first_cut: Cut | None, after_round: AfterRound
) -> Status:
    """Add features round by round until the plan says stop; ``state`` holds the result.

    ``first_cut`` is the oracle's answer at the start when it is known already.
    """
    while True:
        if plan.only_new and _used_up(plan, state):
            return Status.MAX_ROUNDS  # without a last certificate: eliminating changes the model
        a = state.target.dual_point(state.point)
        cut = first_cut or find_cut(space, a, plan.count(state), plan.exclusions(state))
        first_cut = None
        state.raise_bound(certificate(state, plan, a, cut))
        done = _stop(plan, state)
        if done is not None:
            return done
        fresh = _add(state, plan, a, cut)
        if not fresh:
            return _unless_unfinished(Status.EXHAUSTED, state)
        state.solution = plan.solver.solve(state.subproblem(plan.solver_tol), state.solution)
        state.record(plan.phase)
        if after_round(state):
            return Status.INTERRUPTED


def certificate(state: State, plan: Plan, a: Array, cut: Cut) -> float:
    """The dual bound at a: the oracle's scores are all it needs."""
    dots = np.asarray(state.active.matrix.T @ a)
    squares = state.current_penalty.squares(dots)
    n_always = state.penalty.n_always
    free = np.concatenate([cut.scores, squares[n_always:]]) if plan.only_new else cut.scores
    conjugate = 0.5 * (squares[:n_always].sum() + largest_sum(free, state.penalty.budget))
    return state.target.bound(a, float(conjugate), state.point.cost)


def _stop(plan: Plan, state: State) -> Status | None:
    rounds = state.history
    if rounds and not plan.only_new:
        if rounds[-1].relative_gap <= plan.tol:
            return Status.CONVERGED
        if len(rounds) > 1:
            change = abs(rounds[-2].objective - rounds[-1].objective)
            if change <= plan.tol * abs(rounds[-2].objective):
                return _unless_unfinished(Status.STALLED, state)
    return Status.MAX_ROUNDS if _used_up(plan, state) else None


def _unless_unfinished(status: Status, state: State) -> Status:
    """A solver that ran out of steps says so before the rounds claim anything."""
    return Status.MAX_STEPS if state.solution.status is Status.MAX_STEPS else status


def _used_up(plan: Plan, state: State) -> bool:
    full = plan.max_active is not None and len(state.active) >= plan.max_active
    return full or state.history.in_phase(plan.phase) >= plan.max_rounds


def _add(state: State, plan: Plan, a: Array, cut: Cut) -> bool:
    """Put the cut's features among the active ones; False when it brings nothing."""
    per_round = plan.per_round
    if plan.max_active is not None:
        per_round = min(per_round, plan.max_active - len(state.active))
    ids = cut.best(per_round).ids
    before = len(state.active)
    positions = state.active.add(ids)
    new = np.arange(before, len(state.active))
    useless = new[~has_signal(state.active, new, a)]
    if len(useless):
        state.active.keep(np.setdiff1d(np.arange(len(state.active)), useless))
        positions = positions[~np.isin(positions, useless)]
        positions -= np.searchsorted(useless, positions)
    if not len(positions):
        return False
    state.blocks.append(positions)
    return True

"""The loop of FGM (the paper's Algorithm 1): ask the oracle, add features, solve, certify.

repeat:  a = -gradient(predictions) -> ids = space.top(a, B) -> solve on the active columns
"""

from __future__ import annotations

import numpy as np

from handful.methods.fgm.batch import take_apart
from handful.methods.fgm.oracle import Cut, find_cut, has_signal
from handful.methods.fgm.plan import Plan
from handful.methods.fgm.solvers.penalty import largest_sum
from handful.methods.fgm.state import AfterRound, State
from handful.spaces.base import Array, FeatureSpace
from handful.status import Status


def generate(
    space: FeatureSpace, plan: Plan, state: State, first_cut: Cut | None, after_round: AfterRound
) -> Status:
    """Add features round by round until the plan says stop; ``state`` holds the result.

    ``first_cut`` is the oracle's answer at the start when it is known already.
    """
    while True:
        # Eliminating will change the model: a last certificate of this one is of no use.
        done = reason_to_stop(plan, state) if plan.only_new else None
        if done is not None:
            return done
        a = state.target.dual_point(state.point)
        cut = first_cut or find_cut(space, a, plan.n_named(state), plan.exclusions(state))
        first_cut = None
        state.raise_bound(certificate(state, plan, a, cut))
        done = reason_to_stop(plan, state)
        if done is not None:
            return done
        fresh = _add(state, plan, a, cut)
        if not fresh:
            return unless_unfinished(Status.EXHAUSTED, state)
        state.solution = plan.solver.solve(state.subproblem(plan.solver_tol), state.solution)
        state.record(plan.phase)
        if after_round(state):
            return Status.INTERRUPTED


def reason_to_stop(plan: Plan, state: State) -> Status | None:
    """Return why no further round is wanted, or None.

    For exactly k features (``plan.n_keep``) the rounds collect candidates, and end with their number. With k open they
    end at a certified gap, or when neither the objective nor its bound moves by much; and in any case after so many
    rounds. The paper looks at the objective alone, which comes to rest a round or two before the bound does: most fits
    would end there with a gap of 5 to 60 %.
    """
    rounds = state.history
    if rounds and not plan.only_new:
        if rounds[-1].relative_gap <= plan.tol:
            return Status.CONVERGED
        if len(rounds) > 1:
            fall = abs(rounds[-2].objective - rounds[-1].objective)
            narrowing = rounds[-2].gap - rounds[-1].gap  # not a number where nothing is known
            least = plan.tol if plan.change_tol is None else plan.change_tol
            if max(fall, narrowing) <= least * abs(rounds[-2].objective):
                return unless_unfinished(Status.STALLED, state)
    full = plan.max_active is not None and len(state.active) >= plan.max_active
    over = state.history.in_phase(plan.phase) >= plan.max_rounds
    return Status.MAX_ROUNDS if full or over else None


def unless_unfinished(status: Status, state: State) -> Status:
    """A solver that ran out of steps says so before the rounds claim anything."""
    return Status.MAX_STEPS if state.solution.status is Status.MAX_STEPS else status


def certificate(state: State, plan: Plan, a: Array, cut: Cut) -> float:
    """The dual bound at a: the oracle's scores are all it needs."""
    dots = np.asarray(state.active.matrix.T @ a)
    squares = state.current_penalty.squares(dots)
    n_always = state.penalty.n_always
    free = np.concatenate([cut.scores, squares[n_always:]]) if plan.only_new else cut.scores
    conjugate = 0.5 * (squares[:n_always].sum() + largest_sum(free, state.penalty.budget))
    return state.target.bound(a, float(conjugate), state.point.cost)


def _add(state: State, plan: Plan, a: Array, cut: Cut) -> bool:
    """Put the cut's features among the active ones; False when it brings nothing."""
    per_round = plan.per_round
    if plan.max_active is not None:
        per_round = min(per_round, plan.max_active - len(state.active))
    ids = _batch(state, plan, a, cut, per_round)
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


def _batch(state: State, plan: Plan, a: Array, cut: Cut, count: int) -> Array:
    """The features of a cut that the round takes: the best, or of several outputs those of a pool that differ."""
    if plan.sample_weight is None or plan.pool <= count:
        return cut.best(count).ids
    space, centred = state.active.space, state.target.fit_intercept
    return take_apart(space, cut.best(plan.pool), a, count, plan.sample_weight, centred=centred)

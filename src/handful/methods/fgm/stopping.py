"""When the rounds that generate features end."""

from __future__ import annotations

from handful.methods.fgm.plan import Plan
from handful.methods.fgm.state import State
from handful.status import Status


def reason_to_stop(plan: Plan, state: State) -> Status | None:
    """Return why no further round is wanted, or None.

    For exactly k features (``plan.n_keep``) the rounds collect candidates, and end with their number. With k open they
    end at a certified gap, or when the objective hardly moves; and in any case after so many rounds.
    """
    rounds = state.history
    if rounds and not plan.only_new:
        if rounds[-1].relative_gap <= plan.tol:
            return Status.CONVERGED
        if len(rounds) > 1:
            change = abs(rounds[-2].objective - rounds[-1].objective)
            least = plan.tol if plan.change_tol is None else plan.change_tol
            if change <= least * abs(rounds[-2].objective):
                return unless_unfinished(Status.STALLED, state)
    full = plan.max_active is not None and len(state.active) >= plan.max_active
    over = state.history.in_phase(plan.phase) >= plan.max_rounds
    return Status.MAX_ROUNDS if full or over else None


def unless_unfinished(status: Status, state: State) -> Status:
    """A solver that ran out of steps says so before the rounds claim anything."""
    return Status.MAX_STEPS if state.solution.status is Status.MAX_STEPS else status

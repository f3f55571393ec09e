"""When the rounds that generate features end."""

from __future__ import annotations

from handful.methods.fgm.plan import Plan
from handful.methods.fgm.state import State
from handful.status import Status


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

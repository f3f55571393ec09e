"""How features are generated: the settings of the rounds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handful.methods.fgm.solvers.base import Solver
from handful.methods.fgm.state import State
from handful.spaces.base import NO_IDS, Array


@dataclass(frozen=True)
class Plan:
    """How features are generated.

    Attributes
    ----------
    solver : Solver
    n_keep : int or None
        The k of exactly k features; None when their number is open.
    per_round : int
        Features taken from each cut.
    max_rounds : int
    tol : float
        Stop when the certified relative gap, or the relative change of objective and gap in a round, is below.
    change_tol : float or None
        The same for the change alone; None is ``tol``.
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
    n_keep: int | None
    per_round: int
    max_rounds: int
    tol: float
    solver_tol: float
    kept_tol: float | None = None
    change_tol: float | None = None
    only_new: bool = False
    max_active: int | None = None
    phase: str = "generate"
    exclude: Array = field(default_factory=lambda: NO_IDS)

    def exclusions(self, state: State) -> Array:
        """Ids the oracle must pass over now."""
        active = state.active.ids if self.only_new else state.active.ids[: state.penalty.n_always]
        return np.concatenate([self.exclude, active])

    def count(self, state: State) -> int:
        """How many features the oracle must name: the cut, and the budget for the certificate."""
        return max(self.per_round, state.penalty.budget)

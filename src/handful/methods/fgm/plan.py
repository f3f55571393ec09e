"""The settings of a selection, and the plan of the rounds that follows from them for a problem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.methods.fgm.batch import pool_size
from handful.methods.fgm.schedule import Schedule, exact_schedule
from handful.methods.fgm.solvers import convex_solver, ridge_solver
from handful.methods.fgm.solvers.base import Solver
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.sizes import current_sizes
from handful.spaces.base import NO_IDS, Array

# A solver of the convex problem gets this share of the certified gap that stops the rounds.
SOLVER_SHARE = 0.1


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
    pool : int
        Features with the best scores among which a round chooses those that it takes; no more than it takes where
        the scores decide alone.
    sample_weight : ndarray or None
        How often each sample counts where a round chooses.
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
    pool: int = 0
    sample_weight: Array | None = None
    phase: str = "generate"
    exclude: Array = field(default_factory=lambda: NO_IDS)

    def exclusions(self, state: State) -> Array:
        """Ids the oracle must pass over now."""
        active = state.active.ids if self.only_new else state.active.ids[: state.penalty.n_always]
        return np.concatenate([self.exclude, active])

    def count(self, state: State) -> int:
        """How many features C and the certificate look at: the round's, and the budget."""
        return max(self.per_round, state.penalty.budget)

    def n_named(self, state: State) -> int:
        """How many features the oracle must name."""
        return max(self.count(state), self.pool)


@dataclass(frozen=True)
class Options:
    """The settings of a selection, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int or None
        Exactly how many features, or None for the plain machine.
    certify : bool
        Whether the bound is worked on after the selection.
    C_factor : float
        Factor of the automatic C under a loss with cuts.
    checkpoint : Checkpoint or None
        What was saved of this fit.
    candidates : ndarray of int64 or None
        Features that were candidates before, to start from.
    """

    n_keep: int | None
    budget: int = 10
    max_rounds: int = 15
    tol: float = 1e-2
    solver: str = "auto"
    C: float | str = "auto"
    refit: bool = True
    label_threshold: str = "fitted"
    refit_loss: str = "same"
    selection_loss: str = "same"
    certify: bool = False
    C_factor: float = 1.0
    checkpoint: Any = None
    candidates: Array | None = None

    @property
    def may_use_surrogate(self) -> bool:
        """Whether another loss may make the last fit; C="fast" is for those who want no folds."""
        return self.refit_loss == "auto" and self.refit and self.C != "fast"

    @property
    def may_reselect(self) -> bool:
        """Whether features of another loss may be taken; who gives C wants what has the lowest objective with it."""
        return self.selection_loss == "auto" and self.refit and self.C == "auto" and self.is_exact

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
        tolerances = loss.tolerances(0)
        if self.is_exact:
            schedule = self.schedule(problem)
            return Plan(
                solver=ridge_solver(loss),
                n_keep=self.n_keep,
                per_round=schedule.per_round,
                max_rounds=schedule.max_rounds,
                tol=self.tol,
                solver_tol=tolerances.ranking,
                kept_tol=tolerances.kept,
                only_new=True,
                max_active=schedule.max_active + len(problem.include),
                pool=_pool(problem, schedule.per_round),
                sample_weight=problem.weight,
                exclude=exclude,
            )
        return Plan(
            solver=convex_solver(loss, self.solver),
            n_keep=self.n_keep,
            per_round=max(self.penalty(problem).budget, 1),
            max_rounds=self.max_rounds,
            tol=self.tol,
            solver_tol=SOLVER_SHARE * self.tol,
            exclude=exclude,
        )

    def swap_plan(self, problem: Problem, plan: Plan) -> tuple[Plan, int]:
        """How a swap proposes features, and how many swaps there are at most."""
        schedule, k = self.schedule(problem), self.n_keep or 0
        active = schedule.swap_active
        n_new = max(active - k, 1)
        once = replace(plan, per_round=n_new, max_active=active, pool=_pool(problem, n_new))
        return once, schedule.swaps

    def penalty(self, problem: Problem) -> Penalty:
        """Which penalty is certified."""
        n_always = len(problem.include)
        budget = self.budget if self.n_keep is None else self.n_keep - n_always
        return Penalty(min(budget, problem.space.n_features), n_always)


def _pool(problem: Problem, per_round: int) -> int:
    """Among how many features a round of so many chooses."""
    if not problem.loss.takes_apart:
        return 0
    most = current_sizes().pool_entries
    return pool_size(per_round, problem.space.n_samples, problem.y.shape[1], most)

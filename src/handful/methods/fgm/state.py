"""Where a selection stands between two rounds: all that is needed to go on, or to save."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.history import History
from handful.losses.base import Point
from handful.methods.fgm.solvers import Solution, Subproblem, Target, ridge_solver
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.problem import Selected
from handful.spaces.active import ActiveColumns
from handful.spaces.groups.space import GroupedSpace
from handful.status import Status

Array = np.ndarray

#: Called after every round; returns True to stop there.
AfterRound = Callable[["State"], bool]


@dataclass(frozen=True)
class Kept:
    """A model to go back to."""

    ids: Array
    solution: Solution
    objective: float


@dataclass
class State:
    """The active features, the model on them, the best bound, and the rounds so far."""

    target: Target
    penalty: Penalty
    active: ActiveColumns
    solution: Solution
    blocks: list[Array] = field(default_factory=list)
    bound: float = -np.inf
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)
    before_swap: Kept | None = None
    grams: Grams | None = None
    candidate_ids: Array | None = None
    more: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def start(cls, target: Target, penalty: Penalty, active: ActiveColumns) -> State:
        """No weights yet; must-keep columns may be active already."""
        point = target.at_zero
        weights = np.zeros((len(active.squared_norms), target.y.shape[1]))
        nothing = Solution(weights, point, point.value, -np.inf, 0, Status.MAX_ROUNDS)
        return cls(target, penalty, active, nothing)

    @property
    def point(self) -> Point:
        """The loss at the current model."""
        return self.solution.point

    @property
    def objective(self) -> float:
        """Penalty plus loss at the current model, whichever solver made it."""
        return self.current_penalty.value(self.solution.weights) + self.point.value

    @property
    def current_penalty(self) -> Penalty:
        """The penalty on the columns that are active now."""
        widths = self.active.widths
        return self.penalty if (widths == 1).all() else replace(self.penalty, widths=widths)

    @property
    def lengths(self) -> Array:
        """Length of the weights of each active feature."""
        return self.current_penalty.lengths(self.solution.weights)

    @property
    def phase(self) -> str:
        """What the last round did; generating comes first."""
        return self.history[-1].phase if self.history else "generate"

    def subproblem(self, tol: float) -> Subproblem:
        """The restricted problem on the active columns."""
        return Subproblem(
            self.active.matrix,
            self.active.squared_norms,
            self.target,
            self.current_penalty,
            [self.active.columns_of(block) for block in self.blocks],
            tol,
        )

    def solve_ridge(self, tol: float) -> None:
        """Go on to the solution with a plain squared penalty on the active columns."""
        solver = ridge_solver(self.target.loss)
        self.solution = solver.solve(self.subproblem(tol), self.solution)

    def keep(self, positions: Array, weights: Array | None = None) -> None:
        """Drop all other active features and evaluate the model that is left, or the one given."""
        if weights is None:
            weights = self.solution.weights[self.active.columns_of(positions)]
        self.active.keep(positions)
        self.blocks = []  # the cuts were of features that are gone
        scores = np.asarray(self.active.matrix @ weights)
        point = self.target.at(scores, self.point.intercept)
        self.solution = replace(self.solution, weights=weights, point=point)

    def snapshot(self) -> Kept:
        """What :meth:`go_back` needs to have this model again."""
        return Kept(self.active.ids.copy(), self.solution, self.objective)

    def go_back(self, kept: Kept) -> None:
        """Have an earlier model again."""
        self.active.replace(kept.ids)
        self.blocks, self.grams = [], None
        self.solution = kept.solution

    def reweight(self, factor: float | Array) -> None:
        """Multiply C, that of each output by its own factor if there are several, and evaluate the model under the new loss."""
        self.target = replace(self.target, weight=factor * self.target.weight)
        point = self.target.at(self.point.scores, self.point.intercept)
        self.solution = replace(self.solution, point=point)

    def selected(self) -> Selected:
        """What the method gives if it ends here."""
        ids, weights = self.active.model(self.solution.weights)
        more = {"_candidate_ids": self.candidate_ids, **self.more}
        space = self.active.space
        if isinstance(space, GroupedSpace):
            more["group_support_"] = np.sort(self.active.ids)
        return Selected(
            ids=ids,
            weights=np.ascontiguousarray(weights.T),
            intercept=self.point.intercept.copy(),
            objective=self.objective,
            bound=self.bound,
            history=History(self.history),
            status=Status.INTERRUPTED,
            more=more,
        )

    def record(self, phase: str) -> None:
        """Write down the round that has just ended."""
        self.history.record(phase, len(self.active), self.objective, self.started, self.bound)

    def record_refit(self, target: Target, solution: Solution) -> None:
        """Write down the fit with less shrinkage, which no bound speaks of."""
        refitted = replace(self, target=target, solution=solution)
        self.history.record("refit", len(self.active), refitted.objective, self.started)

    def raise_bound(self, bound: float) -> None:
        """Keep the best bound; it certifies the latest model too."""
        self.bound = max(self.bound, bound)
        self.history.certify(self.bound)

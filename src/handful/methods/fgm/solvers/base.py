"""What a solver gets, what it returns, and the smooth part all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np

from handful.losses.base import Along, Point, joined
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.solvers.quadratic import Dropping
from handful.methods.problem import Problem
from handful.status import Status
from handful.threads import map_apart

Array = np.ndarray
Result = TypeVar("Result")
MOST_AT_ONCE = 32  # outputs, whose predictions of some ten thousand rows stay in the cache


@dataclass(frozen=True)
class Target:
    """What the predictions are judged by: a loss, its targets and weights, and the intercept."""

    loss: Any  # a Loss; solvers ask for what they require of it
    y: Array
    weight: Array
    fit_intercept: bool

    @classmethod
    def of(cls, problem: Problem, C: float) -> Target:
        """The target of a problem under a C."""
        loss = problem.loss
        weight = C * loss.sample_factors(problem.weight)
        return cls(loss, problem.y, weight, problem.has_intercept)

    @cached_property
    def outputs(self) -> list[Target]:
        """The targets of the outputs, where the loss falls apart into them; else this one."""
        parts = self.loss.parts
        if len(parts) == 1:
            return [self]
        return [
            Target(part, self.y[:, [c]], self.weight[:, [c]], self.fit_intercept)
            for c, part in enumerate(parts)
        ]

    def of_outputs(self, outputs: slice) -> Target:
        """The target of some outputs of a loss that is a sum over all of them."""
        return Target(self.loss, self.y[:, outputs].copy(), self.weight, self.fit_intercept)

    def part_of(self, point: Point, outputs: slice) -> Point:
        """Some outputs of a point of all; their target is this one."""
        return self.evaluate(point.scores[:, outputs].copy(), point.intercept[outputs])

    def at(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept``, with a better intercept where that costs little."""
        if self.y.shape[1] > MOST_AT_ONCE and len(self.loss.parts) == 1:
            return self._in_blocks(scores, intercept)
        if not self.fit_intercept:
            return self.evaluate(scores, intercept)
        return self.loss.at_best_intercept(self.y, scores, intercept, self.weight)

    def _in_blocks(self, scores: Array, intercept: Array) -> Point:
        a = np.empty_like(scores)

        def at_some(outputs: slice) -> tuple[Array, float]:
            point = self.of_outputs(outputs).at(scores[:, outputs].copy(), intercept[outputs])
            a[:, outputs] = point.a
            return point.intercept, point.value

        found = map_blocks(at_some, self.y.shape[1])
        best = np.concatenate([one for one, _ in found])
        return Point(scores, best, sum(value for _, value in found), a)

    def evaluate(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept`` as given."""
        return self.loss.evaluate(self.y, scores, intercept, self.weight)

    def along(self, start: Array, change: Array | None = None) -> Along:
        """What evaluates one output along a line of predictions, or with any intercept."""
        return self.loss.along(self.y, start, change, self.weight)

    @cached_property
    def at_zero(self) -> Point:
        """The loss with all weights at zero."""
        return self.at(np.zeros_like(self.y), np.zeros(self.y.shape[1]))

    def with_threshold(self, point: Point) -> Point:
        """The point of a model that is not refitted, with the intercept by which labels are predicted."""
        return self.loss.with_threshold(
            point, self.y, is_refitted=False, fit_intercept=self.fit_intercept
        )

    def dual_point(self, point: Point) -> Array:
        """Return the point's a, made to satisfy the constraint of a free intercept.

        Its columns must sum to zero then; a mixture of cuts is made so by the solver.
        """
        if not self.fit_intercept:
            return point.a
        return self.loss.dual_point(self.y, point, self.weight)

    def bound(self, a: Array, penalty: float, cost: float = 0.0) -> float:
        """Lower bound on the objective, given the penalty's conjugate at X'a.

        ``cost`` is that of the point where a comes from, if the loss has kinks.
        """
        return self.loss.bound(
            self.y, a, self.weight, penalty, cost, is_balanced=self.fit_intercept
        )


@dataclass(frozen=True)
class Subproblem:
    """The problem restricted to the active columns.

    ``min over W, b of  penalty(W) + loss(columns @ W + b)``

    Attributes
    ----------
    columns : ndarray or CSC array of shape (n_samples, n_active)
    squared_norms : ndarray of shape (n_active,)
    blocks : list of position arrays, one for each round's cut
    tol : float
        Wanted relative gap of this restricted problem.
    ranks : bool
        Whether features are ranked by the solution; otherwise only the model and its bound count.
    """

    columns: Any
    squared_norms: Array
    target: Target
    penalty: Penalty
    blocks: list[Array]
    tol: float
    max_steps: int = 10_000
    ranks: bool = True

    @property
    def n_active(self) -> int:
        return int(self.columns.shape[1])

    @property
    def widths(self) -> Array:
        """Columns of each active feature."""
        widths = self.penalty.widths
        return np.ones(self.n_active, dtype=np.int64) if widths is None else widths

    @property
    def n_outputs(self) -> int:
        return int(self.target.y.shape[1])

    def dots(self, a: Array) -> Array:
        """``X' a`` on the active columns."""
        return np.asarray(self.columns.T @ a)

    def scores(self, weights: Array) -> Array:
        """Raw predictions without the intercept."""
        return np.asarray(self.columns @ weights)

    def lipschitz_guess(self) -> float:
        """A step-size scale: the curvature along the longest column."""
        longest = float(self.squared_norms.max(initial=0.0))
        weight = self.target.weight
        return max(self.target.loss.max_curvature * float(weight.mean()) * longest, 1e-12)

    def lipschitz_bound(self) -> float:
        """A curvature that the loss has in no direction of the weights."""
        total = float(self.squared_norms.sum())
        return max(self.target.loss.max_curvature * float(self.target.weight.max()) * total, 1e-12)


@dataclass(frozen=True)
class Solution:
    """Where a solver ended.

    Attributes
    ----------
    weights : ndarray of shape (n_active, n_outputs)
    point : Point
        The loss there, with the intercept.
    objective, bound : float
        Of the restricted problem.
    n_steps : int
    status : Status
    warm : dict
        What the same solver wants back to start the next, larger problem.
    """

    weights: Array
    point: Point
    objective: float
    bound: float
    n_steps: int
    status: Status
    warm: dict[str, Any] = field(default_factory=dict)


def together(solutions: Sequence[Solution]) -> Solution:
    """The solutions of outputs that do not touch each other as one; what a solver wants back is left out."""
    unfinished = [one.status for one in solutions if one.status is not Status.CONVERGED]
    return Solution(
        weights=np.hstack([one.weights for one in solutions]),
        point=joined([one.point for one in solutions]),
        objective=sum(one.objective for one in solutions),
        bound=sum(one.bound for one in solutions),
        n_steps=sum(one.n_steps for one in solutions),
        status=unfinished[0] if unfinished else Status.CONVERGED,
    )


class Solver(ABC):
    """Solves restricted problems, each warm-started from the last."""

    name: ClassVar[str]
    #: what it uses of a loss, see :attr:`handful.losses.Loss.provides`
    requires: ClassVar[frozenset[str]] = frozenset({"curvature"})
    #: whether it needs cuts of at most B features, and not only all of them together
    works_in_blocks: ClassVar[bool] = True

    @abstractmethod
    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        """Solve; ``previous`` belongs to the problem on the first of these columns."""


class RidgeSolver(Solver):
    """Fits a plain squared penalty, and can tell what each feature is worth at the solution."""

    #: share of the features that may go before the model is to be solved again
    drop_share: ClassVar[float]

    def without_columns(self, start: Subproblem, previous: Solution) -> Solution:
        """Return the solution with all weights at zero, the intercept at its best."""
        return previous

    @abstractmethod
    def quadratic(
        self, problem: Subproblem, solution: Solution, grams: Grams | None = None
    ) -> Dropping:
        """Return the quadratic model at a solution.

        ``grams`` are those of an earlier model of these columns, if there was one.
        """


def padded(weights: Array, n_rows: int) -> Array:
    """Copy weights with zero rows added for columns that are new."""
    grown = np.zeros((n_rows, weights.shape[1]))
    grown[: len(weights)] = weights
    return grown


def map_blocks(work: Callable[[slice], Result], n_outputs: int) -> list[Result]:
    """Return what the work gives for each block of outputs, as many at a time as linear algebra has threads.

    What does not touch each other is worked on apart, and stays in the cache.
    """
    n_blocks = -(-n_outputs // MOST_AT_ONCE)
    ends = np.linspace(0, n_outputs, n_blocks + 1).astype(int).tolist()
    return map_apart(work, [slice(*ab) for ab in pairwise(ends)])

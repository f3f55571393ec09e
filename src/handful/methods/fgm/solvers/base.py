"""What a solver gets, what it returns, and the smooth part all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from handful.losses.base import column_sums, inner
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.solvers.quadratic import Dropping
from handful.status import Status

Array = np.ndarray
INTERCEPT_STEPS = 100
FAR = 1e300  # no bracket yet
INTERCEPT_TOL = 1e-12  # of the slope, relative to the sum of its terms
INTERCEPT_STEP = 1e-15  # relative
UNBALANCED = 1e-6  # how far from zero the sum of a balanced mixture of cuts may be, relative


@dataclass(frozen=True)
class Target:
    """What the predictions are judged by: a loss, its targets and weights, and the intercept."""

    loss: Any  # a Loss, or a Multivariate one
    y: Array
    weight: Array
    fit_intercept: bool

    def at(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept`` with the intercept moved to its best value."""
        if not self.fit_intercept or not self.loss.is_smooth:
            return self.evaluate(scores, intercept)
        intercept, z, gradient = best_intercept(self, scores, intercept)
        value = self.loss.value(self.y, z, self.weight)
        return Point(scores, intercept, z, value, -gradient)

    def evaluate(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept`` as given."""
        z = scores + intercept
        if not self.loss.is_smooth:
            a, cost = self.loss.cut(self.y, z, self.weight)
            return Point(scores, intercept, z, cost - inner(a, z), a, cost)
        value = self.loss.value(self.y, z, self.weight)
        return Point(scores, intercept, z, value, -self.loss.gradient(self.y, z, self.weight))

    @cached_property
    def at_zero(self) -> Point:
        """The loss with all weights at zero."""
        return self.at(np.zeros_like(self.y), np.zeros(self.y.shape[1]))

    def dual_point(self, point: Point) -> Array:
        """Return the point's a, made to satisfy the constraint of a free intercept.

        Its columns must sum to zero then; a mixture of cuts is made so by the solver.
        """
        if not self.fit_intercept or not self.loss.is_smooth:
            return point.a
        return self.loss.balance(self.y, point.a, self.weight)

    def bound(self, a: Array, penalty: float, cost: float = 0.0) -> float:
        """Lower bound on the objective, given the penalty's conjugate at X'a.

        ``cost`` is that of the point where a comes from, if the loss has kinks.
        """
        if self.loss.is_smooth:
            return self.loss.dual_value(self.y, a, self.weight, penalty)
        if self.fit_intercept and abs(a.sum()) > UNBALANCED * np.abs(a).sum():
            return -np.inf
        return self.loss.dual_value(cost, penalty)


@dataclass(frozen=True)
class Point:
    """Loss at one set of predictions; ``a`` is minus its gradient.

    For a loss with kinks ``cost - sum(a * z)`` bounds it from below for every z.
    """

    scores: Array
    intercept: Array
    z: Array
    value: float
    a: Array
    cost: float = 0.0


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
    """

    columns: Any
    squared_norms: Array
    target: Target
    penalty: Penalty
    blocks: list[Array]
    tol: float
    max_steps: int = 10_000

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


class Solver(ABC):
    """Solves restricted problems, each warm-started from the last."""

    name: ClassVar[str]
    #: whether it is for losses with a gradient, or for those with kinks
    smooth: ClassVar[bool] = True

    @abstractmethod
    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        """Solve; ``previous`` belongs to the problem on the first of these columns."""


class RidgeSolver(Solver):
    """Fits a plain squared penalty, and can tell what each feature is worth at the solution."""

    #: share of the features that may go before the model is to be solved again
    drop_share: ClassVar[float]

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


def best_intercept(target: Target, scores: Array, intercept: Array) -> tuple[Array, Array, Array]:
    """Minimise the loss over the intercept; return it with the predictions and their gradient.

    The slope rises with the intercept: Newton's method inside the bracket known to hold its root,
    in one variable per output.
    """
    loss, y, weight = target.loss, target.y, target.weight
    low, high = np.full(y.shape[1], -FAR), np.full(y.shape[1], FAR)
    z = scores + intercept
    gradient = loss.gradient(y, z, weight)
    for _ in range(INTERCEPT_STEPS):
        slope = column_sums(gradient)
        open_ = np.abs(slope) > INTERCEPT_TOL * column_sums(np.abs(gradient))
        if not open_.any():
            break
        low, high = np.where(slope < 0, intercept, low), np.where(slope > 0, intercept, high)
        bend = column_sums(loss.curvature(y, z, weight))
        if (np.abs(slope) > bend).any():
            # Nearly flat: Newton's step may be anything, but none need exceed the predictions' size.
            bend = np.maximum(bend, np.abs(slope) / (1.0 + np.abs(z).max(axis=0)))
        step = np.divide(slope, bend, out=np.zeros_like(slope), where=open_)
        if (np.abs(step) <= INTERCEPT_STEP * (1.0 + np.abs(intercept))).all():
            break  # as flat as the arithmetic can make it
        guess = intercept - step
        outside = ((guess <= low) | (guess >= high)) & (low > -FAR) & (high < FAR) & open_
        if outside.any():
            guess = np.where(outside, 0.5 * (low + high), guess)
        intercept = guess
        z = scores + intercept
        gradient = loss.gradient(y, z, weight)
    return intercept, z, gradient

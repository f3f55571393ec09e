"""What a solver gets, what it returns, and the smooth part all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from handful.losses.base import Loss
from handful.solvers.penalty import Penalty
from handful.status import Status

Array = np.ndarray
INTERCEPT_STEPS = 50


@dataclass(frozen=True)
class Target:
    """What the predictions are judged by: a loss, its targets and weights, and the intercept."""

    loss: Loss
    y: Array
    weight: Array
    fit_intercept: bool

    def at(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept`` with the intercept moved to its best value."""
        if self.fit_intercept:
            intercept = best_intercept(self, scores, intercept)
        return self.evaluate(scores, intercept)

    def evaluate(self, scores: Array, intercept: Array) -> Point:
        """Evaluate at ``z = scores + intercept`` as given."""
        z = scores + intercept
        value = self.loss.value(self.y, z, self.weight)
        return Point(scores, intercept, z, value, -self.loss.gradient(self.y, z, self.weight))

    @cached_property
    def at_zero(self) -> Point:
        """The loss with all weights at zero."""
        return self.at(np.zeros_like(self.y), np.zeros(self.y.shape[1]))

    def dual_point(self, a: Array) -> Array:
        """Make a satisfy the constraint of a free intercept (columns sum to zero)."""
        return self.loss.balance(self.y, a, self.weight) if self.fit_intercept else a

    def bound(self, a: Array, penalty: float) -> float:
        """Lower bound on the objective, given the penalty's conjugate at X'a."""
        return self.loss.dual_value(self.y, a, self.weight, penalty)


@dataclass(frozen=True)
class Point:
    """Loss at one set of predictions; ``a`` is minus its gradient."""

    scores: Array
    intercept: Array
    z: Array
    value: float
    a: Array


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
    def n_outputs(self) -> int:
        return int(self.target.y.shape[1])

    def dots(self, a: Array) -> Array:
        """``X' a`` on the active columns."""
        return np.asarray(self.columns.T @ a)

    def lipschitz_guess(self) -> float:
        """A step-size scale: the curvature along the longest column."""
        longest = float(self.squared_norms.max(initial=0.0))
        weight = self.target.weight
        return max(self.target.loss.max_curvature * float(weight.max()) * longest, 1e-12)


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

    @abstractmethod
    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        """Solve; ``previous`` belongs to the problem on the first of these columns."""


def padded(weights: Array, n_rows: int) -> Array:
    """Copy weights with zero rows added for columns that are new."""
    grown = np.zeros((n_rows, weights.shape[1]))
    grown[: len(weights)] = weights
    return grown


def best_intercept(target: Target, scores: Array, intercept: Array) -> Array:
    """Minimise the loss over the intercept: a safeguarded Newton method in one variable per output."""
    loss, y, weight = target.loss, target.y, target.weight

    def slope_at(b: Array) -> tuple[Array, Array]:
        gradient = loss.gradient(y, scores + b, weight)
        return gradient.sum(axis=0), np.abs(gradient).sum(axis=0)

    slope, size = slope_at(intercept)
    for _ in range(INTERCEPT_STEPS):
        open_ = np.abs(slope) > 1e-13 * size
        if not open_.any():
            break
        bend = loss.curvature(y, scores + intercept, weight).sum(axis=0)
        step = np.where(open_ & (bend > 0), -slope / np.where(bend > 0, bend, 1.0), 0.0)
        for _ in range(INTERCEPT_STEPS):
            trial_slope, trial_size = slope_at(intercept + step)
            worse = open_ & (np.abs(trial_slope) >= np.abs(slope))
            if not worse.any():
                break
            step = np.where(worse, 0.5 * step, step)
        else:
            break  # as flat as the arithmetic can make it
        intercept, slope, size = intercept + step, trial_slope, trial_size
    return intercept

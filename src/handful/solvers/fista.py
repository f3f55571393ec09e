"""Accelerated proximal gradient with backtracking and restart (the paper's Algorithm 4).

The loop is the same whether weights are kept per feature or per block; a :class:`Geometry` says how
they are penalised and how they reach the predictions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from handful.solvers.base import Array, Point, Solution, Subproblem
from handful.status import Status

CHECK_EVERY = 10
SHRINK, GROW = 0.9, 2.0
ROUNDING = 1e-13
MAX_IDLE = 50  # steps in a row that rounding alone can explain


class Geometry(ABC):
    """How the loop's variables are penalised and mapped to predictions."""

    @abstractmethod
    def value(self, variables: Array) -> float:
        """The penalty."""

    @abstractmethod
    def conjugate(self, dots: Array) -> float:
        """The penalty's conjugate at X'a, given on the active columns."""

    @abstractmethod
    def products(self, variables: Array) -> Array:
        """Contributions to the predictions, linear in the variables."""

    @abstractmethod
    def scores(self, products: Array) -> Array:
        """Sum contributions to raw predictions without intercept."""

    @abstractmethod
    def pull(self, dots: Array) -> Array:
        """Gradient with respect to the variables from X'(gradient in z) on the active columns."""

    @abstractmethod
    def step(
        self, ahead: Array, gradient: Array, tau: float, ahead_products: Array
    ) -> tuple[Array, Array]:
        """Proximal step ``prox(ahead - gradient / tau)`` and its products."""

    @abstractmethod
    def weights(self, variables: Array) -> Array:
        """One row of weights per active column."""


@dataclass
class _State:
    variables: Array
    products: Array
    point: Point
    objective: float


def fista(problem: Subproblem, geometry: Geometry, start: Array, point: Point, tau: float) -> Solution:
    """Minimise ``geometry.value + loss`` from a warm start until the restricted gap is closed."""
    target = problem.target
    products = geometry.products(start)
    now = _State(start, products, point, geometry.value(start) + point.value)
    last, momentum = now, 1.0
    bound, status, steps, idle = -math.inf, Status.MAX_STEPS, 0, 0
    while steps < problem.max_steps:
        if steps % CHECK_EVERY == 0:
            a = target.dual_point(now.point.a)
            bound = max(bound, target.bound(a, geometry.conjugate(problem.dots(a))))
            if now.objective - bound <= problem.tol * abs(now.objective):
                status = Status.CONVERGED
                break
        steps += 1
        next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        beta = (momentum - 1.0) / next_momentum
        trial, tau = _proximal_step(problem, geometry, now, last, beta, tau * SHRINK)
        idle = idle + 1 if trial.objective >= now.objective * (1.0 - ROUNDING) else 0
        if idle > MAX_IDLE:
            status = Status.STALLED
            break
        if trial.objective <= now.objective * (1.0 + ROUNDING):
            last, now, momentum = now, trial, next_momentum
        else:
            last, momentum = now, 1.0  # the momentum overshot: restart without it
    weights = geometry.weights(now.variables)
    warm = {"variables": now.variables, "tau": tau}
    return Solution(weights, now.point, now.objective, bound, steps, status, warm)


def _proximal_step(
    problem: Subproblem, geometry: Geometry, now: _State, last: _State, beta: float, tau: float
) -> tuple[_State, float]:
    """One extrapolated step; tau grows until the quadratic model lies above the loss."""
    target = problem.target
    ahead = now.variables + beta * (now.variables - last.variables)
    ahead_products = now.products + beta * (now.products - last.products)
    ahead_point = target.at(geometry.scores(ahead_products), now.point.intercept)
    gradient = geometry.pull(-problem.dots(ahead_point.a))
    while True:
        trial, products = geometry.step(ahead, gradient, tau, ahead_products)
        point = target.at(geometry.scores(products), ahead_point.intercept)
        move = trial - ahead
        model = ahead_point.value + float(np.vdot(gradient, move))
        model += 0.5 * tau * float(np.vdot(move, move))
        if point.value <= model + ROUNDING * abs(model):
            return _State(trial, products, point, geometry.value(trial) + point.value), tau
        tau *= GROW

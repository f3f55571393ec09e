"""Accelerated proximal gradient with backtracking and restart (the paper's Algorithm 4).

The loop is the same whether weights are kept per feature or per block; a
:class:`~handful.methods.fgm.solvers.penalty.Geometry` says how they are penalised and how they add up to weights of columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from handful.losses.sums import inner
from handful.methods.fgm.solvers.base import Array, Point, Solution, Subproblem, Target
from handful.methods.fgm.solvers.penalty import Geometry
from handful.status import Status

CHECK_EVERY = 5
SHRINK, GROW = 0.5, 2.0
ROUNDING = 1e-13
MAX_IDLE_CHECKS = 20  # checks in a row that bring neither objective nor bound any further
MAX_GROWTHS = 400  # from any tau to any other; more only if numbers have left the range of floats


@dataclass(frozen=True)
class _Iterate:
    variables: Array
    point: Point
    objective: float


def fista(
    problem: Subproblem, geometry: Geometry, start: Array, point: Point, tau: float
) -> Solution:
    """Minimise ``geometry.value + loss`` from a warm start until the restricted gap is closed."""
    now = last = _Iterate(start, point, geometry.value(start) + point.value)
    progress = _Progress(problem, geometry)
    momentum, steps, status = 1.0, 0, Status.MAX_STEPS
    length = _StepLength(problem.target, tau, problem.lipschitz_bound() * geometry.overlap)
    while steps < problem.max_steps:
        if steps % CHECK_EVERY == 0:
            ended = progress.check(now)
            if ended is not None:
                status = ended
                break
            length.relax(now.point)
        steps += 1
        next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        beta = (momentum - 1.0) / next_momentum
        found = _proximal_step(problem, geometry, now, last, beta, length)
        if found is None:
            status = Status.STALLED
            break
        trial, tau = found
        length.keep(tau)
        if trial.objective <= now.objective * (1.0 + ROUNDING):
            last, now, momentum = now, trial, next_momentum
        else:
            last, momentum = now, 1.0  # the momentum overshot: restart without it
    weights = geometry.weights(now.variables)
    warm = {"variables": now.variables, "tau": length.tau}
    return Solution(weights, now.point, now.objective, progress.bound, steps, status, warm)


class _StepLength:
    """Holds tau, the inverse of the step; lowers it only as far as the loss has become flatter.

    Too long a step is found out late, and by then it has blown up the rounding in the directions
    where it is too long: equal problems would end at different solutions.

    At ``enough`` no step is too long, whatever rounding says: near the solution what is left of a move is rounding, and
    a tau that grows until that fits would grow for ever.
    """

    def __init__(self, target: Target, tau: float, enough: float) -> None:
        self.target = target
        self.tau = tau
        self.enough = enough
        self.curvature = 0.0
        self.tau_per_curvature = 0.0

    def relax(self, point: Point) -> None:
        """Try a longer step from now on."""
        bends = self.target.loss.curvature(self.target.y, point.z, self.target.weight)
        self.curvature = float(bends.sum())
        self.tau = max(SHRINK * self.tau, self.tau_per_curvature * self.curvature)

    def keep(self, tau: float) -> None:
        """Take over the tau of a step; remember the curvature at which it had to grow."""
        if tau > self.tau:
            self.tau = tau
            self.tau_per_curvature = tau / self.curvature if self.curvature > 0 else 0.0


class _Progress:
    """Says when to stop: the gap of the restricted problem is closed, or rounding is all that is left.

    The gap falls with the distance to the solution, the objective with its square: the bound
    still rises long after the objective has no digits left to show it.
    """

    def __init__(self, problem: Subproblem, geometry: Geometry) -> None:
        self.problem = problem
        self.geometry = geometry
        self.bound = -math.inf
        self.objective = math.inf
        self.idle = 0

    def check(self, now: _Iterate) -> Status | None:
        target = self.problem.target
        a = target.dual_point(now.point)
        bound = target.bound(a, self.geometry.conjugate(self.problem.dots(a)))
        slack = ROUNDING * abs(now.objective)
        moved = now.objective < self.objective - slack or bound > self.bound + slack
        self.idle = 0 if moved else self.idle + 1
        self.bound = max(self.bound, bound)
        self.objective = min(self.objective, now.objective)
        if now.objective - self.bound <= self.problem.tol * abs(now.objective):
            return Status.CONVERGED
        return Status.STALLED if self.idle >= MAX_IDLE_CHECKS else None


def _proximal_step(
    problem: Subproblem,
    geometry: Geometry,
    now: _Iterate,
    last: _Iterate,
    beta: float,
    length: _StepLength,
) -> tuple[_Iterate, float] | None:
    """One extrapolated step; tau grows until the quadratic model lies above the loss.

    None when no tau does that: then these are no numbers any more.
    """
    target, tau = problem.target, length.tau
    ahead = now.variables + beta * (now.variables - last.variables)
    scores = now.point.scores + beta * (now.point.scores - last.point.scores)
    at_ahead = target.at(scores, now.point.intercept)
    gradient = geometry.pull(-problem.dots(at_ahead.a))
    for _ in range(MAX_GROWTHS):
        trial = geometry.prox(ahead - gradient / tau, tau)
        point = target.at(problem.scores(geometry.weights(trial)), at_ahead.intercept)
        move = trial - ahead
        squared_move, slope = inner(move, move), inner(gradient, move)
        if tau >= length.enough or _is_above(tau, squared_move, slope, at_ahead, point):
            return _Iterate(trial, point, geometry.value(trial) + point.value), tau
        tau *= GROW
    return None


def _is_above(tau: float, squared_move: float, slope: float, before: Point, after: Point) -> bool:
    """Whether ``loss(before) + slope + tau/2 |move|^2`` is an upper model of the loss there.

    Values lose their digits near the solution and then any tau would do; the change of the
    gradient along the move still has them.
    """
    model = before.value + slope + 0.5 * tau * squared_move
    bend = inner(before.a - after.a, after.scores - before.scores)
    enough = tau * squared_move * (1.0 + 1e-9)
    return after.value <= model + ROUNDING * abs(model) and bend <= enough

"""The k-support penalty on the union of generated features.

This is the restricted problem itself, where the paper's block form (``apg``) only approaches it as
cuts accumulate: it needs far fewer rounds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.kernels.ksupport import minimize_quadratic
from handful.losses.sums import column_sums
from handful.methods.fgm.solvers.base import Array, Point, Solution, Solver, Subproblem, padded
from handful.methods.fgm.solvers.fista import fista
from handful.methods.fgm.solvers.hessians import is_small, makes_hessians, reduced_hessians
from handful.status import Status

PATIENCE = 100  # steps after which a small problem is one for Newton's method
MAX_NEWTON, MAX_HALVINGS = 50, 30
INNER_STEPS = 2000
# How closely the small problem is solved, relative to the gradient at zero: this share of the gap wanted.
CLOSER, CLOSER_EACH = 0.1, 0.1
ROUNDING, TINY = 1e-13, 1e-300
POWER_STEPS = 8
SHORTER, MAX_IDLE = 0.9, 5  # a step that does not shorten the gap by this factor is idle


class KSupport(Solver):
    """Accelerated proximal gradient, one row of weights per feature.

    Newton steps instead for columns that can make their Hessian at little cost, and for a few columns
    that depend on each other so much that gradients do not get far.
    """

    name = "ksupport"
    works_in_blocks = False

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        if makes_hessians(problem.columns, problem.n_outputs):
            solution = proximal_newton(problem, previous)
            if solution is not None:
                return solution
        small = is_small(problem.columns, problem.n_outputs)
        if not small or problem.max_steps <= PATIENCE:
            return _by_gradients(problem, previous)
        solution = _by_gradients(replace(problem, max_steps=PATIENCE), previous)
        if solution.status is not Status.MAX_STEPS:
            return solution
        closer = proximal_newton(problem, solution)
        if closer is None:  # a flat loss
            return _by_gradients(problem, solution)
        n_steps = solution.n_steps + closer.n_steps
        closer = replace(closer, n_steps=n_steps, warm=solution.warm)
        return closer if closer.status is Status.CONVERGED else _by_gradients(problem, closer)


def _by_gradients(problem: Subproblem, previous: Solution) -> Solution:
    start = padded(previous.weights, problem.n_active)
    tau = previous.warm.get("tau", problem.lipschitz_guess())
    return fista(problem, problem.penalty, start, previous.point, tau)


def proximal_newton(problem: Subproblem, previous: Solution) -> Solution | None:
    """Solve from a warm start, by Newton's method with the penalty kept whole; None when the loss is flat, where it has nothing to go by.

    ``minimise over w  penalty(w) + (w - w0)'g + 1/2 (w - w0)' H (w - w0)``,  ``H = X' (D - D11'D / 1'D1) X``

    again and again, with g and the curvature D of the loss at w0; the intercept is minimised over in closed
    form. This looks at the rows a few times in all where proximal gradient steps do so twice each. It is
    for columns that can make ``X' D X`` at little cost (see sources/device/active.py).
    """
    target, penalty = problem.target, problem.penalty
    weights, point = padded(previous.weights, problem.n_active), previous.point
    widths = np.ones(problem.n_active, np.int64) if penalty.widths is None else penalty.widths
    owners = np.repeat(np.arange(len(widths)), widths)
    objective, bound = penalty.value(weights) + point.value, -np.inf
    steps, status, share = 0, Status.MAX_STEPS, CLOSER * problem.tol
    pulled, gap, idle = problem.dots(point.a), np.inf, 0
    # New columns have just come: there is no gap to look at before the first step.
    while steps < MAX_NEWTON and status is Status.MAX_STEPS:
        bend = target.loss.curvature(target.y, point.z, target.weight)
        totals, slopes = column_sums(bend), column_sums(point.a) * target.fit_intercept
        if (totals <= 0).any():
            return None
        steps += 1
        hessians, shifts = reduced_hessians(problem.columns, bend, target.fit_intercept)
        gradient = shifts.T * slopes - pulled
        close = share * max(float(np.linalg.norm(gradient)), TINY)
        found, _ = minimize_quadratic(
            *(hessians, gradient, weights, owners, len(widths), penalty.n_always),
            *(penalty.budget, _curvature(hessians), close, INNER_STEPS),
        )
        move = found - weights
        turn = slopes / totals - np.einsum("kj,jk->k", shifts, move)
        moved = _line_search(problem, weights, point, objective, move, turn)
        if moved is None:
            status = Status.STALLED
        else:
            weights, point, objective = moved
        a = target.dual_point(point)
        bound = max(bound, target.bound(a, penalty.conjugate(problem.dots(a))))
        # The bound still rises when the objective has no digits left to fall.
        gap, last_gap = objective - bound, gap
        idle = 0 if gap < SHORTER * last_gap else idle + 1
        if gap <= problem.tol * abs(objective):
            status = Status.CONVERGED
        elif idle == MAX_IDLE:
            status = Status.STALLED
        elif status is Status.MAX_STEPS:
            pulled = problem.dots(point.a)
            share = max(CLOSER_EACH * share, ROUNDING)
    return Solution(weights, point, objective, bound, steps, status)


def _curvature(hessians: Array) -> float:
    """A first guess of the largest curvature; too small a one is found out on the way."""
    largest = 1e-12
    for hessian in hessians:
        direction = np.sqrt(np.maximum(np.diagonal(hessian), 0.0))
        for _ in range(POWER_STEPS):
            size = float(np.linalg.norm(direction))
            if size == 0.0:
                break
            direction = hessian @ (direction / size)
        largest = max(largest, float(np.linalg.norm(direction)))
    return largest


def _line_search(
    problem: Subproblem, weights: Array, point: Point, objective: float, move: Array, turn: Array
) -> tuple[Array, Point, float] | None:
    """Take the whole step, or half of it, and so on; None when all of them go uphill."""
    change, length = problem.scores(move), 1.0
    for _ in range(MAX_HALVINGS):
        trial = weights + length * move
        at_trial = problem.target.evaluate(
            point.scores + length * change, point.intercept + length * turn
        )
        value = problem.penalty.value(trial) + at_trial.value
        if value <= objective + ROUNDING * abs(objective):
            return trial, at_trial, value
        length *= 0.5
    return None

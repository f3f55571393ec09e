"""The k-support problem by Newton's method with the penalty kept whole.

    minimise over w  penalty(w) + (w - w0)'g + 1/2 (w - w0)' H (w - w0),   H = X' (D - D11'D / 1'D1) X

again and again, with g and the curvature D of the loss at w0; the intercept is minimised over in closed
form. This looks at the rows a few times in all where proximal gradient steps do so twice each. It is
for columns that can make ``X' D X`` at little cost (see sources/device/active.py).
"""

from __future__ import annotations

import numpy as np

from handful.kernels.ksupport import minimize_quadratic
from handful.losses.sums import column_sums
from handful.methods.fgm.solvers.base import Array, Point, Solution, Subproblem, padded
from handful.methods.fgm.solvers.hessians import reduced_hessians
from handful.status import Status

MAX_NEWTON, MAX_HALVINGS = 50, 30
INNER_STEPS = 2000
# How closely the small problem is solved, relative to the gradient at zero: this share of the gap wanted.
CLOSER, CLOSER_EACH = 0.1, 0.1
ROUNDING, TINY = 1e-13, 1e-300
POWER_STEPS = 8
SHORTER, MAX_IDLE = 0.9, 5  # a step that does not shorten the gap by this factor is idle


def proximal_newton(problem: Subproblem, previous: Solution) -> Solution | None:
    """Solve from a warm start; None when the loss is flat, where Newton has nothing to go by."""
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

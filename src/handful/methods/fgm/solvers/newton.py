"""Ridge on the active columns by truncated Newton.

``min 1/2 |W|^2 + loss(X W + b)``: what the penalty becomes once no more rows are active than the
budget allows. Exactly-k selection generates and eliminates with it, and every refit is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from handful.methods.fgm.solvers.base import (
    MOST_AT_ONCE,
    Array,
    Point,
    RidgeSolver,
    Solution,
    Subproblem,
    Target,
    map_blocks,
    padded,
    together,
)
from handful.methods.fgm.solvers.hessians import (
    Grams,
    distinct,
    hessian_product,
    makes_hessians,
    reduced_hessians,
)
from handful.methods.fgm.solvers.quadratic import DiagonalModel, Dropping, QuadraticModel
from handful.sizes import current_sizes
from handful.spaces.units import are_of_one_kind
from handful.status import Status

MAX_NEWTON, MAX_CG = 50, 200
FORCING = 0.1  # residual of the linear system, relative to the gradient
# The Hessians of r columns are factored once a step has taken more products with them than this, and than
# r / 40: about what the factors cost, one large product being much cheaper than many small ones. Where factors of an
# earlier step are there, which should leave next to nothing to do, sooner.
PATIENCE, PATIENCE_WITH_FACTORS, COLUMNS_PER_PRODUCT = 8, 3, 40
MOST_FACTORED = 2000  # columns
MOST_NUMBERS = 2e7  # in the factors of all outputs; beyond, those of their mean are taken
# A feature's worth is taken for up to so many outputs from the Hessian of each, and beyond from their mean.
MOST_OUTPUTS = 4
ARMIJO = 1e-4
ROUNDING = 1e-14  # changes of the objective below this share of it say nothing


class Newton(RidgeSolver):
    """Newton-CG with the intercept eliminated; ``tol`` is relative to the gradient at zero.

    A tolerance relative to the warm start would stop too early: the warm start is already good.
    """

    name = "newton"
    drop_share = 0.3

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        target, point = problem.target, previous.point
        weights = padded(previous.weights, problem.n_active)
        if problem.n_outputs > 1 and sp.issparse(problem.columns):
            problem = replace(problem, columns=problem.columns.tocsr())
        a = target.at_zero.a
        if problem.n_outputs <= MOST_AT_ONCE:
            return _solve(problem, target, weights, point, a)
        # Outputs do not touch each other: each block of them ends when it is done.
        scores, dual = np.empty_like(target.y), np.empty_like(target.y)

        def solve_some(outputs: slice) -> Solution:
            some = target.of_outputs(outputs)
            start = some.part_of(point, outputs)
            one = _solve(problem, some, weights[:, outputs].copy(), start, a[:, outputs])
            # Each thread puts what it has found in its place: one that did so for all would take as long as some solutions.
            scores[:, outputs], dual[:, outputs] = one.point.scores, one.point.a
            none = np.empty((0, one.weights.shape[1]))
            return replace(one, point=replace(one.point, scores=none, a=none))

        solution = together(map_blocks(solve_some, problem.n_outputs))
        return replace(solution, point=replace(solution.point, scores=scores, a=dual))

    def quadratic(
        self, problem: Subproblem, solution: Solution, grams: Grams | None = None
    ) -> Dropping:
        """The model at the end of one more Newton step, which the inverse Hessian gives for nothing."""
        target, columns, point = problem.target, problem.columns, solution.point
        bend = target.loss.curvature(target.y, point.z, target.weight)
        kept = np.arange(len(problem.widths))
        # Weights of columns in different units cannot be compared: there the rise alone decides.
        power = target.loss.rise_power if are_of_one_kind(problem.squared_norms) else 1.0
        if problem.n_active > current_sizes().hessian_columns:
            diagonal = 1.0 + float(bend.mean()) * problem.squared_norms
            return DiagonalModel(solution.weights, diagonal[:, None], problem.widths, kept, power)
        if bend.shape[1] > MOST_OUTPUTS and bend.strides[1] != 0:
            bend = bend.mean(axis=1, keepdims=True)
        grams = Grams.of(columns, bend) if grams is None else grams.update(columns, bend)
        inverses, _ = grams.reduced(target.fit_intercept)
        gradient = solution.weights - problem.dots(point.a)
        weights = solution.weights.copy()
        for m in range(len(inverses)):
            inverses[m] = _inverse(inverses[m])
            outputs = slice(None) if len(inverses) == 1 else slice(m, m + 1)
            weights[:, outputs] -= inverses[m] @ gradient[:, outputs]
        return QuadraticModel(weights, inverses, problem.widths, kept, power, grams)


def _solve(problem: Subproblem, target: Target, weights: Array, point: Point, a: Array) -> Solution:
    """Solve for the outputs of a target; ``a`` is their dual point with all weights at zero."""
    small = problem.tol * float(np.linalg.norm(problem.dots(a)))
    return ridge(problem.columns, problem.squared_norms, target, weights, point, small)


def _inverse(hessian: Array) -> Array:
    """``(I + X' D X)^-1``; by NumPy's BLAS, which the Gram matrix has just used: SciPy has another."""
    hessian[np.diag_indices_from(hessian)] += 1.0
    return np.asarray(np.linalg.inv(hessian))


def ridge(
    columns: Any,
    squared_norms: Array,
    target: Target,
    weights: Array,
    point: Point,
    small: float,
) -> Solution:
    """Minimise ``1/2 |W|^2 + loss`` over the columns from a warm start, until the gradient is small."""
    curvature = target.loss.max_curvature * float(target.weight.mean())
    precondition: Precondition = _Scaling(1.0 + curvature * squared_norms)
    objective = 0.5 * float(np.vdot(weights, weights)) + point.value
    status, steps, before, is_slow = Status.MAX_STEPS, 0, (np.inf, np.inf), False
    while steps < MAX_NEWTON:
        gradient = weights - columns.T @ point.a
        size = float(np.linalg.norm(gradient))
        if size <= small:
            status = Status.CONVERGED
            break
        # Close to the solution only the gradient still shows progress.
        is_flat = objective >= before[0] - ROUNDING * abs(objective)
        if is_flat and size >= 0.5 * before[1]:
            status = Status.STALLED
            break
        before = (objective, size)
        steps += 1
        bend = target.loss.curvature(target.y, point.z, target.weight)
        if makes_hessians(columns, bend.shape[1]):
            move, n_products = -Factors(columns, bend, target.fit_intercept)(gradient), 0
        else:
            if is_slow:
                precondition = Factors.near(columns, bend, target.fit_intercept)
            move, n_products = _newton_direction(
                columns, bend, gradient, precondition, target.fit_intercept
            )
        is_slow = _worth_factoring(precondition, columns, n_products)
        moved = _line_search(columns, target, weights, point, objective, gradient, move)
        if moved is None:
            status = Status.STALLED
            break
        weights, point, objective = moved
    return Solution(weights, point, objective, -np.inf, steps, status)


class _Scaling:
    """The diagonal of the Hessian: costs nothing, and does for most."""

    def __init__(self, diagonal: Array) -> None:
        self.inverse = 1.0 / diagonal[:, None]

    def __call__(self, residual: Array) -> Array:
        return self.inverse * residual


class Factors:
    """The Hessians of all outputs, factored: of an earlier step worth their price where columns depend on each other."""

    def __init__(self, columns: Any, bend: Array, fit_intercept: bool) -> None:
        self.factors = []
        for one in distinct(
            bend
        ).T:  # one after the other: together they would be there three times
            [hessian], _ = reduced_hessians(columns, one[:, None], fit_intercept)
            hessian[np.diag_indices_from(hessian)] += 1.0
            factor = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
            self.factors.append(factor)

    @classmethod
    def near(
        cls, columns: Any, bend: Array, fit_intercept: bool, most: float = MOST_NUMBERS
    ) -> Factors:
        """Those of all outputs, or of their mean where they were too many numbers."""
        if bend.shape[1] * columns.shape[1] ** 2 > most:
            bend = bend.mean(axis=1, keepdims=True)
        return cls(columns, bend, fit_intercept)

    def __call__(self, residual: Array) -> Array:
        if len(self.factors) == 1:
            return np.asarray(cho_solve(self.factors[0], residual, check_finite=False))
        lifted = np.empty_like(residual)
        for k, factor in enumerate(self.factors):
            lifted[:, k] = cho_solve(factor, residual[:, k], check_finite=False)
        return lifted


Precondition: TypeAlias = _Scaling | Factors


def _worth_factoring(precondition: Precondition, columns: Any, n_products: int) -> bool:
    n_columns = columns.shape[1]
    if n_columns > MOST_FACTORED:
        return False
    patience = PATIENCE_WITH_FACTORS if isinstance(precondition, Factors) else PATIENCE
    is_slow = n_products > max(patience, n_columns / COLUMNS_PER_PRODUCT)
    return is_slow and (isinstance(columns, np.ndarray) or sp.issparse(columns))


def _newton_direction(
    columns: Any, bend: Array, gradient: Array, precondition: Precondition, fit_intercept: bool
) -> tuple[Array, int]:
    """Preconditioned CG on ``(I + X' (D - D 1 1' D / 1'D1) X) move = -gradient``, output by output.

    The subtracted term is the Schur complement of the intercept. Also returns how many products it
    took.
    """
    hessian = hessian_product(columns, bend, fit_intercept)
    move = np.zeros_like(gradient)
    residual = -gradient
    goal = FORCING * np.linalg.norm(gradient, axis=0)
    lifted = precondition(residual)
    direction = lifted
    energy = (residual * lifted).sum(axis=0)
    n_products = 0
    while n_products < MAX_CG:
        open_ = np.linalg.norm(residual, axis=0) > goal
        if not open_.any():
            break
        image = hessian(direction)
        n_products += 1
        along = (direction * image).sum(axis=0)
        length = np.where(open_, energy / np.where(along > 0, along, 1.0), 0.0)
        move = move + length * direction
        residual = residual - length * image
        lifted = precondition(residual)
        next_energy = (residual * lifted).sum(axis=0)
        ratio = np.where(open_, next_energy / np.where(energy > 0, energy, 1.0), 0.0)
        direction, energy = lifted + ratio * direction, next_energy
    return move, n_products


def _line_search(
    columns: Any,
    target: Target,
    weights: Array,
    point: Point,
    objective: float,
    gradient: Array,
    move: Array,
) -> tuple[Array, Point, float] | None:
    """Backtrack from the full step; None when rounding leaves nothing to gain."""
    slope = float(np.vdot(gradient, move))
    change = np.asarray(columns @ move)
    length = 1.0
    for _ in range(30):
        trial = weights + length * move
        trial_point = target.at(point.scores + change, point.intercept)
        trial_objective = 0.5 * float(np.vdot(trial, trial)) + trial_point.value
        if trial_objective <= objective + ARMIJO * length * slope + ROUNDING * abs(objective):
            return trial, trial_point, trial_objective
        length *= 0.5
        change *= 0.5  # exactly
    return None

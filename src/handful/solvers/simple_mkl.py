"""MKL-FGM (Tan et al. 2010): SimpleMKL's reduced gradient on the weights of the cuts.

With ``mu`` on the simplex, ``J(mu) = min over w of 1/2 sum_t |w_t|^2 / mu_t + loss``, and the kernel
``sum_t mu_t X_t X_t'`` is that of the union with column j scaled by the root of
``d_j = sum of mu_t over the cuts that hold j``. It is the baseline the paper compares with: every
evaluation of J trains one SVM. The SVM is solved in the primal and its dual read off the loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.solvers.base import Array, Point, Solution, Solver, Subproblem
from handful.solvers.newton import ridge
from handful.status import Status

SEARCH_STEPS = 10
FLAT = 0.1  # a step is long enough once the slope along it has fallen to this share
NEGLIGIBLE = 1e-12


class SimpleMKL(Solver):
    """Reduced gradient descent over the simplex with an exact SVM inside."""

    name = "mkl"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        svm = _WeightedSVM(problem)
        n_blocks = len(problem.blocks)
        mu = np.full(n_blocks, 1.0 / n_blocks)
        if "mu" in previous.warm:
            # Keep what was learnt and give the newest cut its share.
            mu = np.append(previous.warm["mu"] * (1.0 - 1.0 / n_blocks), 1.0 / n_blocks)
        now = svm.train(mu)
        status, steps = Status.MAX_STEPS, 0
        while steps < problem.max_steps:
            if now.objective - now.bound <= problem.tol * abs(now.objective):
                status = Status.CONVERGED
                break
            steps += 1
            moved = _descend(svm, now)
            if moved.objective >= now.objective - NEGLIGIBLE * abs(now.objective):
                status = Status.STALLED
                break
            now = moved
        weights = svm.shares(now.mu)[:, None] * now.dots
        return Solution(
            weights, now.point, now.objective, now.bound, svm.n_trained, status, {"mu": now.mu}
        )


@dataclass(frozen=True)
class _Trained:
    """J at mu, its gradient, and the certificate."""

    mu: Array
    objective: float
    bound: float
    gradient: Array
    dots: Array
    point: Point


class _WeightedSVM:
    """Trains the SVM for given cut weights, warm-started from the last one."""

    def __init__(self, problem: Subproblem) -> None:
        self.problem = problem
        self.dots = np.zeros((problem.n_active, problem.n_outputs))
        self.intercept = problem.target.at_zero.intercept
        self.n_trained = 0

    def shares(self, mu: Array) -> Array:
        """``d_j``: one for must-keep columns, else the weights of the cuts that hold j."""
        shares = np.zeros(self.problem.n_active)
        for weight, block in zip(mu, self.problem.blocks, strict=True):
            shares[block] += weight
        shares[: self.problem.penalty.n_always] = 1.0
        return shares

    def train(self, mu: Array) -> _Trained:
        problem, target = self.problem, self.problem.target
        self.n_trained += 1
        roots = np.sqrt(self.shares(mu))
        columns = problem.columns * roots[None, :]
        start = roots[:, None] * self.dots
        point = target.at(np.asarray(columns @ start), self.intercept)
        norms = problem.squared_norms * roots**2
        solution = ridge(columns, norms, target, start, point, min(0.01 * problem.tol, 1e-4))
        a = target.dual_point(solution.point.a)
        dots = problem.dots(a)
        self.dots, self.intercept = dots, solution.point.intercept
        squares = np.einsum("jk,jk->j", dots, dots)
        of_cuts = np.array([squares[block].sum() for block in problem.blocks])
        always = squares[: problem.penalty.n_always].sum()
        bound = target.bound(a, 0.5 * float(always + of_cuts.max(initial=0.0)))
        return _Trained(mu, solution.objective, bound, -0.5 * of_cuts, dots, solution.point)


def _descend(svm: _WeightedSVM, now: _Trained) -> _Trained:
    """One step of SimpleMKL: walk to the border of the simplex while J falls, then search."""
    direction = _reduced_direction(now)
    best, longest = now, 0.0
    while (direction < 0).any():
        falling = np.flatnonzero(direction < 0)
        limits = -now.mu[falling] / direction[falling]
        longest = float(limits.min())
        edge = np.maximum(now.mu + longest * direction, 0.0)
        edge[falling[limits.argmin()]] = 0.0
        trial = svm.train(edge / edge.sum())
        if trial.objective >= best.objective:
            break
        # J fell all the way: that cut leaves, its share of the direction goes to the largest.
        best = now = trial
        direction = _reduced_direction(now)
    return _search(svm, now, direction, longest, best)


def _reduced_direction(now: _Trained) -> Array:
    """Minus the gradient reduced by the largest component, kept inside the simplex."""
    largest = int(now.mu.argmax())
    reduced = now.gradient - now.gradient[largest]
    direction = np.where((now.mu <= 0) & (reduced > 0), 0.0, -reduced)
    direction[largest] = 0.0
    direction[largest] = -direction.sum()
    return direction


def _search(
    svm: _WeightedSVM, now: _Trained, direction: Array, longest: float, best: _Trained
) -> _Trained:
    """Find where the slope of J along the direction vanishes on [0, longest] (regula falsi).

    J is convex, and every training gives its gradient too.
    """
    low, high = 0.0, longest
    slope_low = start = float(now.gradient @ direction)
    slope_high = abs(start)
    for _ in range(SEARCH_STEPS):
        step = low + (high - low) * min(max(slope_low / (slope_low - slope_high), 0.1), 0.9)
        mu = np.maximum(now.mu + step * direction, 0.0)
        trial = svm.train(mu / mu.sum())
        best = min(best, trial, key=lambda trained: trained.objective)
        slope = float(trial.gradient @ direction)
        if abs(slope) <= FLAT * abs(start):
            break
        if slope < 0:
            low, slope_low = step, slope
        else:
            high, slope_high = step, slope
    return best

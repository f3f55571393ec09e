"""MKL-FGM (Tan et al. 2010): SimpleMKL's reduced gradient on the weights of the cuts.

With ``mu`` on the simplex, ``J(mu) = min over w of 1/2 sum_t |w_t|^2 / mu_t + loss``, and the kernel
``sum_t mu_t X_t X_t'`` is that of the union with column j scaled by the root of
``d_j = sum of mu_t over the cuts that hold j``. It is the baseline the paper compares with: every
evaluation of J trains one SVM. The SVM is solved in the primal and its dual read off the loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from handful.losses.sums import inner
from handful.methods.fgm.solvers.apg import Blocks
from handful.methods.fgm.solvers.base import Array, Point, Solution, Solver, Subproblem
from handful.methods.fgm.solvers.newton import ridge
from handful.spaces.base import Columns
from handful.spaces.columns import scaled
from handful.status import Status

SEARCH_STEPS = 20
FLAT = 0.5  # a step is long enough once the slope along it has fallen to this share
LONGER = 4.0  # how much further to look while J still falls
TRAINING_SHARE = 0.1  # how much closer the SVM is solved than the gap reached so far
# Looser, and rounding decides where the search goes: equal problems would end at different solutions.
FIRST_TRAINING = 1e-10
NEAR = 1.1
ROUNDING = 1e-13
MAX_IDLE = 10  # steps in a row that bring neither J nor the bound any further


class SimpleMKL(Solver):
    """Reduced gradient descent over the simplex with an exact SVM inside."""

    name = "mkl"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        n_blocks = len(problem.blocks)
        mu = np.full(n_blocks, 1.0 / n_blocks)
        if "mu" in previous.warm:
            # Keep what was learnt and give the newest cut its share.
            mu = np.append(previous.warm["mu"] * (1.0 - 1.0 / n_blocks), 1.0 / n_blocks)
        svm = _WeightedSVM(problem)
        best = now = before = svm.train(mu)
        bound, idle, steps, status = now.bound, 0, 0, Status.MAX_STEPS
        # A step so short that max_steps of them would not close the gap is no progress.
        least = max(ROUNDING, problem.tol / problem.max_steps)
        while steps < problem.max_steps:
            gap = best.objective - bound
            if gap <= problem.tol * abs(best.objective):
                status = Status.CONVERGED
                break
            if idle > MAX_IDLE:
                status = Status.STALLED
                break
            steps += 1
            wanted = min(gap / abs(best.objective), svm.tol if idle else FIRST_TRAINING)
            svm.ask_for(TRAINING_SHARE * wanted, best.objective)
            before, now = now, _descend(svm, now, _step_guess(before, now))
            slack = least * abs(best.objective)
            better = now.objective < best.objective - slack or now.bound > bound + slack
            idle = 0 if better else idle + 1
            best = min(best, now, key=attrgetter("objective"))
            bound = max(bound, now.bound)
        warm = {"mu": best.mu}
        return Solution(
            best.weights, best.point, best.objective, bound, svm.n_trained, status, warm
        )


@dataclass(frozen=True)
class _Trained:
    """J at mu, its gradient, and the certificate."""

    mu: Array
    objective: float
    bound: float
    gradient: Array
    weights: Array
    point: Point


class _WeightedSVM:
    """Trains the SVM for given cut weights, warm-started from the last one."""

    def __init__(self, problem: Subproblem) -> None:
        self.problem = problem
        self.blocks = Blocks(problem.blocks, problem.n_active)
        self.weights = self.dots = np.zeros((problem.n_active, problem.n_outputs))
        self.intercept = problem.target.at_zero.intercept
        self.n_trained = 0
        self.ask_for(FIRST_TRAINING, problem.target.at_zero.value)

    def ask_for(self, tol: float, objective: float) -> None:
        """Set how closely J and its gradient are wanted, relative to their size."""
        self.tol = tol
        # The gap of an SVM is half the squared gradient that is left.
        self.most_left = np.sqrt(2.0 * tol * objective)

    def shares(self, mu: Array) -> Array:
        """``d_j``: one for must-keep columns, else the weights of the cuts that hold j."""
        shares = self.blocks.sum_by_column(mu[self.blocks.owners])
        shares[: self.problem.penalty.n_always_rows] = 1.0
        return shares

    def train(self, mu: Array) -> _Trained:
        problem, target = self.problem, self.problem.target
        self.n_trained += 1
        roots = np.sqrt(self.shares(mu))
        columns = scaled(problem.columns, roots)
        start, point = self._start(columns, roots)
        norms = problem.squared_norms * roots**2
        size = float(np.linalg.norm(columns.T @ target.at_zero.a))
        small = min(self.tol * size, self.most_left)
        solution = ridge(columns, norms, target, start, point, small)
        a = target.dual_point(solution.point)
        dots = problem.dots(a)
        weights = roots[:, None] * solution.weights
        self.dots, self.weights, self.intercept = dots, weights, solution.point.intercept
        squares = np.einsum("jk,jk->j", dots, dots)
        of_cuts = self.blocks.sum_by_block(squares[self.blocks.columns])
        always = squares[: problem.penalty.n_always_rows].sum()
        bound = target.bound(a, 0.5 * float(always + of_cuts.max(initial=0.0)))
        return _Trained(mu, solution.objective, bound, -0.5 * of_cuts, weights, solution.point)

    def _start(self, columns: Columns, roots: Array) -> tuple[Array, Point]:
        """Keep the last dual point: near it, that is right to first order; else the last weights."""
        target, inverse = self.problem.target, np.zeros_like(roots)
        np.divide(1.0, roots, out=inverse, where=roots > 0)
        starts = []
        for start in (roots[:, None] * self.dots, inverse[:, None] * self.weights):
            point = target.at(np.asarray(columns @ start), self.intercept)
            starts.append((0.5 * inner(start, start) + point.value, start, point))
        by_dual, by_weights = starts
        return (by_dual if by_dual[0] <= NEAR * by_weights[0] else by_weights)[1:]


def _descend(svm: _WeightedSVM, start: _Trained, guess: float) -> _Trained:
    """Follow the reduced gradient while J falls.

    Where J falls up to the border of the simplex the cut that is zero there leaves, its share of
    the direction goes to the largest, and the walk goes on.
    """
    now = start
    largest = int(now.mu.argmax())
    direction = -_reduced(now.gradient, largest)
    direction[(now.mu <= 0) & (direction < 0)] = 0.0
    direction[largest] = -direction.sum()
    # When all cuts but one have left, rounding alone may still point somewhere.
    while (direction < 0).any() and now.gradient @ direction < 0:
        falling = np.flatnonzero(direction < 0)
        limits = -now.mu[falling] / direction[falling]
        leaving, longest = falling[limits.argmin()], float(limits.min())
        now, at_border = _search(svm, now, direction, longest, guess)
        if not at_border:
            break
        now.mu[leaving] = 0.0  # exactly
        direction[largest] += direction[leaving]
        direction[leaving] = 0.0
    # Without a way down, what is left of the gap is the SVM's.
    return now if now is not start else svm.train(start.mu)


def _reduced(gradient: Array, largest: int) -> Array:
    """Gradient on the simplex with the largest component as the dependent one."""
    return gradient - gradient[largest]


def _step_guess(before: _Trained, now: _Trained) -> float:
    """The step that fits the last change of the gradient (Barzilai and Borwein 1988)."""
    largest = int(now.mu.argmax())
    moved = now.mu - before.mu
    change = _reduced(now.gradient - before.gradient, largest)
    bend, size = float(moved @ change), float(change @ change)
    return bend / size if bend > 0 else np.inf


def _search(
    svm: _WeightedSVM, now: _Trained, direction: Array, longest: float, guess: float
) -> tuple[_Trained, bool]:
    """Find where the slope of J vanishes on [0, longest]; true when it is negative up to the end.

    J is convex and every training gives its gradient, so this is a secant method in a bracket.
    """
    steepest = float(now.gradient @ direction)
    low, slope_low, high, slope_high = 0.0, steepest, np.inf, np.inf
    step, best = min(guess, longest), now
    for _ in range(SEARCH_STEPS):
        mu = np.maximum(now.mu + step * direction, 0.0)
        trial = svm.train(mu / mu.sum())
        slope = float(trial.gradient @ direction)
        if step == longest and slope <= 0:
            return trial, True
        if abs(slope) <= FLAT * abs(steepest):
            return trial, False
        best = min(best, trial, key=attrgetter("objective"))
        if slope < 0:
            low, slope_low = step, slope
        else:
            high, slope_high = step, slope
        if high == np.inf:
            step = min(LONGER * step, longest)
        else:
            share = slope_low / (slope_low - slope_high)
            step = low + (high - low) * min(max(share, 0.1), 0.9)
    return best, False

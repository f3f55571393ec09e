"""The linear systems of margins, where they are hardest to solve."""

import cvxpy as cp
import numpy as np
import pytest

from handful.methods.reweighted.margins import bordered
from handful.methods.reweighted.projected import (
    FIRST_GAP,
    SHARE_LEFT,
    STRENGTH,
    Fit,
    ProjectedSystem,
    RowGram,
    projected_margin,
)


@pytest.mark.parametrize("rho", [1.0, 1e6, 1e12])
def test_a_level_that_no_column_has_is_found_to_rounding(rho):
    """Columns without their means cannot make a level: only the intercept can, at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 5))
    X -= X.mean(axis=0)
    goal = X @ rng.standard_normal((5, 2)) + 3.0
    a, intercept = bordered(X @ X.T + np.eye(20) / rho, goal, fit_intercept=True)
    np.testing.assert_allclose(a.sum(axis=0), 0.0, atol=1e-9)
    short = a / rho
    np.testing.assert_allclose(X @ (X.T @ a) + short + intercept, goal, atol=1e-12)
    np.testing.assert_allclose(intercept, 3.0, atol=1e-12)


def test_products_of_rows_are_those_of_the_rows_now_in():
    """Few rows or nearly all, a few changed or all of them, hundreds of times."""
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((60, 9)))
    gram = RowGram(basis)
    is_in = rng.random(60) < 0.3
    for step in range(300):
        share = 0.5 if step % 50 == 49 else 0.03
        is_in ^= rng.random(60) < share
        if step % 70 == 0:
            is_in = rng.random(60) < (0.9 if step % 140 else 0.1)
        rows = np.flatnonzero(is_in)
        np.testing.assert_allclose(gram.of(rows), basis[rows].T @ basis[rows], atol=1e-14)
    np.testing.assert_array_equal(gram.of(np.arange(0)), np.zeros((9, 9)))


class Counting(ProjectedSystem):
    """Counts the linear systems."""

    n_solved = 0

    def best(self, rows, rho, goal):
        self.n_solved += 1
        return super().best(rows, rho, goal)


def projected_problem(seed, separable):
    """Many more rows than columns; one direction has the signs of y, or none has."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(300) < 0.4, 1.0, -1.0)
    X = rng.standard_normal((300, 12))
    if separable:
        X[:, 0] = y * rng.uniform(0, 1, 300)
    basis, _ = np.linalg.qr(X)
    rooted = basis.T @ X * rng.uniform(0.01, 1.0, 12)
    return Counting(basis, rooted @ rooted.T, RowGram(basis)), y


def least_value(system, y):
    """``1/2 v'Hv`` where it is least: minus the least of ``1/2 v'Hv - y'Qv`` with the signs of y."""
    v = cp.Variable(system.basis.shape[1])
    cost = 0.5 * cp.quad_form(v, cp.psd_wrap(system.curvature)) - (system.basis.T @ y) @ v
    limits = [cp.multiply(y, system.basis @ v) >= 0]
    return -cp.Problem(cp.Minimize(cost), limits).solve(solver=cp.CLARABEL)


def solve(system, y, worth, warm=None):
    rank = system.basis.shape[1]
    start = warm or Fit(np.zeros(rank), np.zeros(len(y)), STRENGTH)
    found = projected_margin(system, y, np.ones(len(y)), start, worth)
    return found, 0.5 * found.v @ system.curvature @ found.v


@pytest.mark.parametrize("seed", range(5))
def test_a_reweighting_is_solved_as_closely_as_it_gains(seed):
    """Loosely where much is gained, to the last where nothing is; every answer keeps the margins."""
    system, y = projected_problem(seed, separable=True)
    best = least_value(system, y)
    first, value = solve(system, y, None)
    assert 0 <= value - best <= 2 * FIRST_GAP * best + 1e-7 * best
    much, value = solve(system, y, 10 * best)
    assert -1e-7 * best <= value - best <= 2 * SHARE_LEFT * (10 * best - value)
    nothing, value = solve(system, y, best, warm=first)
    assert value == pytest.approx(best, rel=1e-6)
    for found in (first, much, nothing):
        goal = system.basis.T @ (y + y * found.multipliers)
        np.testing.assert_allclose(system.curvature @ found.v, goal, atol=1e-8 * abs(goal).max())
        assert (found.multipliers >= 0).all()


def test_a_class_that_overlaps_in_every_direction_is_known_after_a_few_steps():
    system, y = projected_problem(0, separable=False)
    found, _ = solve(system, y, None)
    assert found.is_zero
    assert system.n_solved < 60
    again, _ = solve(system, y, 0.0, warm=found)
    assert again is found

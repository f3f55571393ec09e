"""What every solver of a restricted problem promises, on columns dense and sparse."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from reference.convex import loss_term, solve, squares_over_shares

from handful.losses import known_losses
from handful.losses.smooth import best_intercept
from handful.methods.fgm.solvers import Newton, Subproblem, Target, known_solvers
from handful.methods.fgm.solvers.base import Solution
from handful.methods.fgm.solvers.penalty import Penalty
from handful.status import Status

SOLVERS = {**known_solvers(), "newton": Newton}
N_SAMPLES, N_COLUMNS = 30, 8

every_solver = pytest.mark.parametrize("solver", SOLVERS)
every_loss = pytest.mark.parametrize("loss", known_losses())
with_and_without_intercept = pytest.mark.parametrize("intercept", [False, True])


def make_target(loss, n_outputs, intercept, C=0.7):
    """Targets that the columns explain in part, and uneven weights with a zero."""
    loss = known_losses()[loss]()
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N_SAMPLES, N_COLUMNS)) + 0.3
    X[rng.random(X.shape) < 0.3] = 0.0
    y = X @ rng.standard_normal((N_COLUMNS, n_outputs)) + rng.standard_normal(
        (N_SAMPLES, n_outputs)
    )
    if loss.task == "classification":
        y = np.where(y > 0.5, 1.0, -1.0)
    weight = C * rng.uniform(0.2, 2.0, (N_SAMPLES, 1))
    weight[3] = 0.0
    return X, Target(loss, y, weight, intercept)


def make_problem(X, target, blocks, budget, n_always=0, tol=1e-7, max_steps=10_000):
    squared_norms = np.asarray((X * X).sum(axis=0)).ravel()
    penalty = Penalty(budget, n_always)
    return Subproblem(X, squared_norms, target, penalty, blocks, tol, max_steps)


def nothing(problem):
    """The solution before the first round."""
    point = problem.target.at_zero
    weights = np.zeros((problem.penalty.n_always, problem.n_outputs))
    return Solution(weights, point, point.value, -np.inf, 0, Status.MAX_ROUNDS)


def evaluate(problem, solution):
    """The loss at the solution's weights and intercept, from scratch."""
    z = problem.columns @ solution.weights + solution.point.intercept
    return problem.target.loss.value(problem.target.y, z, problem.target.weight), z


def cvxpy_optimum(problem, by_block):
    """Minimum of the restricted problem: block form of the paper, or k-support form."""
    X, target, n_always = problem.columns, problem.target, problem.penalty.n_always
    shape = (problem.n_active, problem.n_outputs)
    always = np.arange(shape[0]) < n_always
    b = cp.Variable((1, shape[1])) if target.fit_intercept else np.zeros((1, shape[1]))
    limits = []
    if by_block:
        parts = [cp.Variable((len(block), shape[1])) for block in problem.blocks]
        place = [np.eye(shape[0])[:, block] for block in problem.blocks]
        W = sum(matrix @ part for matrix, part in zip(place, parts, strict=True))
        total = cp.sum(cp.hstack([cp.norm(part, "fro") for part in parts]))
        penalty = 0.5 * cp.square(total)
        if n_always:
            kept = cp.Variable((n_always, shape[1]))
            W = W + np.eye(shape[0])[:, always] @ kept
            penalty = penalty + 0.5 * cp.sum_squares(kept)
    else:
        W, d = cp.Variable(shape), cp.Variable(shape[0], nonneg=True)
        squares, limits = squares_over_shares(W, d)
        penalty = 0.5 * squares
        limits += [d <= 1, cp.sum(d[n_always:]) <= problem.penalty.budget]
    z = X @ W + np.ones((len(target.y), 1)) @ b
    value = penalty + loss_term(target.loss.name, target.y, z, target.weight)
    return solve(value, limits)


@every_solver
@every_loss
@with_and_without_intercept
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("n_always", [0, 3])
def test_one_block_within_the_budget_is_ridge(solver, loss, intercept, n_outputs, n_always):
    X, target = make_target(loss, n_outputs, intercept)
    blocks = [np.arange(n_always, N_COLUMNS)]
    problem = make_problem(X, target, blocks, budget=N_COLUMNS, n_always=n_always, tol=1e-8)
    solution = SOLVERS[solver]().solve(problem, nothing(problem))
    value, z = evaluate(problem, solution)
    # Optimality of ridge: W = X' a.
    a = -target.loss.gradient(target.y, z, target.weight)
    np.testing.assert_allclose(solution.weights, X.T @ a, atol=2e-3)
    expected = 0.5 * (solution.weights**2).sum() + value
    assert solution.objective == pytest.approx(expected, rel=1e-9)
    if intercept:
        np.testing.assert_allclose(a.sum(axis=0), 0.0, atol=1e-6)
    else:
        np.testing.assert_array_equal(solution.point.intercept, 0.0)


@pytest.mark.parametrize("solver", known_solvers())
@every_loss
@with_and_without_intercept
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("n_always", [0, 2])
def test_overlapping_blocks_equal_cvxpy(solver, loss, intercept, n_outputs, n_always):
    X, target = make_target(loss, n_outputs, intercept)
    blocks = [np.array([2, 3, 4]), np.array([4, 5, 6]), np.array([7, 3, 2])]
    problem = make_problem(X, target, blocks, budget=3, n_always=n_always)
    solution = SOLVERS[solver]().solve(problem, nothing(problem))
    optimum = cvxpy_optimum(problem, by_block=solver != "ksupport")
    assert solution.objective == pytest.approx(optimum, rel=1e-5)
    assert solution.status is Status.CONVERGED
    assert solution.objective - solution.bound <= problem.tol * solution.objective
    assert solution.bound <= optimum * (1 + 1e-6)


@every_solver
@every_loss
@with_and_without_intercept
def test_solution_is_one_model(solver, loss, intercept):
    """Weights, predictions, loss and dual point of a solution belong together, however loose tol is."""
    X, target = make_target(loss, 2, intercept)
    for tol in (1e-1, 1e-3):
        blocks = [np.array([2, 3, 4]), np.array([4, 5, 6]), np.array([7, 3, 2])]
        problem = make_problem(X, target, blocks, budget=3, n_always=2, tol=tol)
        solution = SOLVERS[solver]().solve(problem, nothing(problem))
        value, z = evaluate(problem, solution)
        np.testing.assert_allclose(solution.point.z, z, atol=1e-10)
        assert solution.point.value == pytest.approx(value, rel=1e-10)
        a = -target.loss.gradient(target.y, z, target.weight)
        np.testing.assert_allclose(solution.point.a, a, atol=1e-10)
        # Every form of the penalty lies above the k-support norm; Newton's is plain ridge.
        if solver != "newton":
            assert problem.penalty.value(solution.weights) + value <= solution.objective * (
                1 + 1e-9
            )


@every_solver
@every_loss
def test_sparse_columns_give_what_dense_columns_give(solver, loss):
    X, target = make_target(loss, 2, True)
    blocks = [np.array([2, 3, 4]), np.array([4, 5, 6]), np.array([7, 3, 2])]
    both = []
    for columns in (X, np.asfortranarray(X), sp.csc_array(X)):
        problem = make_problem(columns, target, blocks, budget=3, n_always=2, tol=1e-8)
        both.append(SOLVERS[solver]().solve(problem, nothing(problem)))
    for other in both[1:]:
        assert other.objective == pytest.approx(both[0].objective, rel=1e-7)
        np.testing.assert_allclose(other.weights, both[0].weights, atol=1e-3)


@every_solver
@every_loss
def test_warm_start_ends_where_a_cold_start_ends(solver, loss):
    X, target = make_target(loss, 1, True)
    blocks = [np.array([1, 2, 3]), np.array([4, 2, 5]), np.array([6, 7, 1])]
    made, previous = SOLVERS[solver](), None
    for n_blocks, n_columns in ((1, 4), (2, 6), (3, 8)):
        problem = make_problem(X[:, :n_columns], target, blocks[:n_blocks], 3, n_always=1)
        if previous is None:
            previous = nothing(problem)
        before = previous.weights.copy()
        warm = made.solve(problem, previous)
        np.testing.assert_array_equal(previous.weights, before)
        cold = SOLVERS[solver]().solve(problem, nothing(problem))
        assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
        previous = warm


@every_solver
@every_loss
def test_out_of_steps_is_said(solver, loss):
    X, target = make_target(loss, 1, True)
    blocks = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    problem = make_problem(X, target, blocks, budget=3, tol=1e-9, max_steps=1)
    solution = SOLVERS[solver]().solve(problem, nothing(problem))
    if solver != "newton":  # has its own limit, and needs fewer
        assert solution.status is Status.MAX_STEPS
    value, _ = evaluate(problem, solution)
    assert solution.point.value == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("solver", known_solvers())
@every_loss
@with_and_without_intercept
def test_an_unreachable_tolerance_ends_at_the_rounding_floor(solver, loss, intercept):
    X, target = make_target(loss, 1, intercept, C=30.0)
    blocks = [np.array([2, 3, 4]), np.array([4, 5, 6]), np.array([7, 3, 2])]
    problem = make_problem(X, target, blocks, budget=3, tol=1e-17, max_steps=100_000)
    solution = SOLVERS[solver]().solve(problem, nothing(problem))
    assert solution.status in (Status.STALLED, Status.CONVERGED)
    assert solution.objective - solution.bound <= 1e-5 * solution.objective


@every_loss
@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0])
def test_best_intercept_is_where_the_slope_vanishes(loss, size):
    _, target = make_target(loss, 3, True)
    scores = size * np.random.default_rng(0).standard_normal(target.y.shape)
    for start in (np.zeros(3), np.array([50.0, -50.0, 1e3])):
        intercept = best_intercept(target.loss, target.y, scores, start, target.weight)
        gradient = target.loss.gradient(target.y, scores + intercept, target.weight)
        np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-9 * np.abs(gradient).sum())


@pytest.mark.parametrize("solver", known_solvers())
@every_loss
@pytest.mark.parametrize("C", [1e-9, 1e6])
def test_extreme_weights_of_the_loss_still_give_a_model(solver, loss, C):
    """Rounding may leave a gap, but what is returned is one model and its bound is a bound."""
    X, target = make_target(loss, 1, True, C)
    blocks = [np.array([2, 3, 4]), np.array([4, 5, 6]), np.array([7, 3, 2])]
    problem = make_problem(X, target, blocks, budget=3, tol=1e-4, max_steps=500)
    solution = SOLVERS[solver]().solve(problem, nothing(problem))
    value, _ = evaluate(problem, solution)
    assert solution.point.value == pytest.approx(value, rel=1e-6, abs=1e-9 * C)
    assert problem.penalty.value(solution.weights) + value <= solution.objective * (1 + 1e-6)
    assert solution.bound <= solution.objective
    assert solution.objective <= target.at_zero.value


@every_loss
@with_and_without_intercept
def test_many_outputs_are_evaluated_as_each_is_alone(loss, intercept):
    """More than are evaluated at once."""
    X, target = make_target(loss, 75, intercept)
    scores = X @ np.random.default_rng(2).standard_normal((N_COLUMNS, 75))
    point = target.at(scores, np.zeros(75))
    for c in (0, 40, 74):
        one = Target(target.loss, target.y[:, [c]], target.weight, intercept)
        alone = one.at(scores[:, [c]], np.zeros(1))
        np.testing.assert_allclose(point.intercept[c], alone.intercept[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(point.a[:, [c]], alone.a, rtol=1e-7, atol=1e-9)
    whole = target.loss.value(target.y, point.z, target.weight)
    np.testing.assert_allclose(point.value, whole, rtol=1e-12)

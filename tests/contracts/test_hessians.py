"""Columns that make their Gram matrix: Newton steps end where the other solvers do."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from contracts.test_solver import (
    every_loss,
    make_problem,
    make_target,
    nothing,
    with_and_without_intercept,
)

from handful.kernels.ksupport import share_factor
from handful.losses import resolve_loss
from handful.methods.fgm.solvers import KSupport, Newton, Target
from handful.methods.fgm.solvers.fista import fista
from handful.methods.fgm.solvers.hessians import (
    hessian_product,
    makes_hessians,
    reduced_hessians,
)
from handful.methods.fgm.solvers.ksupport import PATIENCE, proximal_newton
from handful.methods.fgm.solvers.newton import Factors
from handful.methods.fgm.solvers.penalty import prox_shares
from handful.status import Status


class Columns(np.ndarray):
    """An array with the method that columns on a GPU have."""

    def weighted_gram(self, weight):
        X = np.asarray(self)
        return X.T @ (weight[:, None] * X), X.T @ weight


def both_ways(solver, problem):
    assert makes_hessians(problem.columns.view(Columns), problem.n_outputs)
    assert not makes_hessians(problem.columns, problem.n_outputs)
    made = replace(problem, columns=problem.columns.view(Columns))
    return solver.solve(problem, nothing(problem)), solver.solve(made, nothing(made))


@every_loss
@with_and_without_intercept
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n_always", [0, 2])
@pytest.mark.parametrize("widths", [None, [1, 2, 3, 2]])
def test_k_support_equals_proximal_gradient_steps(loss, intercept, n_outputs, n_always, widths):
    X, target = make_target(loss, n_outputs, intercept)
    problem = make_problem(X, target, [], budget=2, n_always=n_always, tol=1e-8)
    if widths is not None:
        penalty = replace(problem.penalty, widths=np.array(widths), n_always=min(n_always, 1))
        problem = replace(problem, penalty=penalty)
    expected, found = both_ways(KSupport(), problem)
    assert found.status is Status.CONVERGED
    assert found.n_steps < expected.n_steps, "without Hessians: is the curvature 0 at z = 0?"
    assert found.objective == pytest.approx(expected.objective, rel=3e-8)
    assert found.bound <= found.objective <= found.bound + 2e-8 * abs(found.objective)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-3)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_columns_that_depend_on_each_other_take_few_steps(loss):
    """Similarities to near neighbours, which gradients take hundreds of steps for."""
    rng = np.random.default_rng(0)
    x, atoms = rng.random(80), np.linspace(0.0, 1.0, 60)
    X = np.exp(-20.0 * (x[:, None] - atoms) ** 2)
    y = np.sign(np.sin(9.0 * x))[:, None]
    target = Target(resolve_loss(loss, "classification"), y, np.full((80, 1), 1e3), True)
    problem = make_problem(X, target, [], budget=5, tol=1e-4)
    found = KSupport().solve(problem, nothing(problem))
    assert found.status is Status.CONVERGED
    assert PATIENCE < found.n_steps < PATIENCE + 50
    plain = fista(problem, problem.penalty, np.zeros((60, 1)), target.at_zero, 1.0)
    assert plain.n_steps > 5 * PATIENCE
    assert found.objective <= plain.objective * (1.0 + 2e-4)
    assert found.objective >= plain.bound


@every_loss
@with_and_without_intercept
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_ridge_equals_conjugate_gradients(loss, intercept, n_outputs):
    X, target = make_target(loss, n_outputs, intercept)
    problem = make_problem(X, target, [], budget=X.shape[1], tol=1e-10)
    expected, found = both_ways(Newton(), problem)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-8)
    np.testing.assert_allclose(found.point.intercept, expected.point.intercept, atol=1e-8)


def test_a_flat_loss_is_left_to_others():
    X, target = make_target("squared_hinge", 1, True)
    problem = make_problem(X.view(Columns), target, [], budget=2)
    start = nothing(problem)
    far = target.evaluate(100.0 * target.y, np.zeros(1))  # all beyond their margin
    assert proximal_newton(problem, replace(start, point=far)) is None


def test_the_intercept_is_taken_out():
    X, _ = make_target("squared", 1, True)
    bend = np.random.default_rng(0).random((len(X), 2))
    hessians, shifts = reduced_hessians(X.view(Columns), bend, fit_intercept=True)
    for k, (hessian, shift) in enumerate(zip(hessians, shifts, strict=True)):
        d = bend[:, k]
        np.testing.assert_allclose(shift, d @ X / d.sum())
        centred = X - shift
        np.testing.assert_allclose(hessian, centred.T @ (d[:, None] * centred), atol=1e-12)


@pytest.mark.parametrize("tau", [1e-6, 0.5, 1e8])
@pytest.mark.parametrize("budget", [1, 7, 39])
def test_shares_are_those_of_the_penalty(tau, budget):
    rng = np.random.default_rng(2)
    lengths = np.exp(3.0 * rng.standard_normal(40))
    kappa = share_factor(lengths, 0, tau, budget)
    shares = np.clip((kappa * lengths - 1.0) / tau, 0.0, 1.0)
    np.testing.assert_allclose(shares.sum(), budget, rtol=1e-6)
    np.testing.assert_allclose(shares, prox_shares(lengths, tau, budget), atol=1e-6)
    assert share_factor(lengths, 0, tau, 40) == np.inf


@with_and_without_intercept
@pytest.mark.parametrize("n_outputs", [2, 5])
def test_rows_of_a_sparse_matrix_give_the_product_of_its_columns(intercept, n_outputs):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 7)) * (rng.random((30, 7)) < 0.3)
    bend = rng.random((30, n_outputs)) * (rng.random((30, n_outputs)) < 0.6)
    bend[:, 0] = 0.0  # an output without curvature
    direction = rng.standard_normal((7, n_outputs))
    found = hessian_product(sp.csr_array(X), bend, intercept)(direction)
    np.testing.assert_allclose(found, hessian_product(X, bend, intercept)(direction), atol=1e-12)
    for k, hessian in enumerate(reduced_hessians(X, bend, intercept)[0]):
        expected = direction[:, k] + hessian @ direction[:, k]
        np.testing.assert_allclose(found[:, k], expected, atol=1e-12)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
@with_and_without_intercept
def test_factors_undo_the_product_with_each_hessian(storage, intercept):
    rng = np.random.default_rng(0)
    X, bend = rng.standard_normal((60, 7)), rng.random((60, 3)) * (rng.random((60, 3)) > 0.6)
    direction = rng.standard_normal((7, 3))
    image = hessian_product(storage(X), bend, intercept)(direction)
    np.testing.assert_allclose(Factors(storage(X), bend, intercept)(image), direction, rtol=1e-9)


def test_outputs_of_one_curvature_share_a_factor_and_too_many_have_their_mean():
    rng = np.random.default_rng(0)
    X, bend = rng.standard_normal((30, 5)), rng.random((30, 1))
    shared = Factors(X, np.broadcast_to(bend, (30, 4)), True)
    assert len(shared.factors) == 1
    bend, direction = rng.random((30, 2)), rng.standard_normal((5, 2))
    both = Factors.near(X, bend, True, most=49)
    assert len(both.factors) == 1
    assert len(Factors.near(X, bend, True, most=50).factors) == 2
    mean = np.repeat(bend.mean(axis=1, keepdims=True), 2, axis=1)
    image = hessian_product(X, mean, True)(direction)
    np.testing.assert_allclose(both(image), direction, rtol=1e-9)

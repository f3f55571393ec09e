"""What a feature is worth: the rise of the objective without it, and models that lose features."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from contracts.test_solver import every_loss, make_problem, make_target, nothing

from handful.losses import known_losses, resolve_loss
from handful.methods.fgm.solvers import Newton, RidgeBundle, Target
from handful.methods.fgm.solvers.hessians import Grams, weighted_gram
from handful.methods.fgm.solvers.quadratic import DiagonalModel, QuadraticModel
from handful.sizes import changed_sizes
from handful.spaces import DenseSpace
from handful.spaces.groups.membership import make_groups
from handful.spaces.groups.space import GroupedSpace, activate

WIDTHS = {"single": [1] * 8, "groups": [1, 3, 2, 2]}


def solved(loss, n_outputs=1, intercept=True, widths="single", C=0.7, sparse=False):
    """A ridge problem solved to the last digit."""
    X, target = make_target(loss, n_outputs, intercept, C)
    problem = make_problem(X, target, [], budget=8, tol=1e-13)
    penalty = replace(problem.penalty, widths=np.array(WIDTHS[widths]))
    columns = sp.csc_array(X) if sparse else X
    problem = replace(problem, penalty=penalty, columns=columns)
    return problem, Newton().solve(problem, nothing(problem))


def without(problem, gone):
    """The same problem without the columns of one feature, solved anew."""
    stops = np.cumsum(problem.widths)
    left = np.r_[0 : stops[gone] - problem.widths[gone], stops[gone] : stops[-1]]
    widths = np.delete(problem.widths, gone)
    smaller = replace(
        problem,
        columns=problem.columns[:, left],
        squared_norms=problem.squared_norms[left],
        penalty=replace(problem.penalty, widths=widths),
    )
    return smaller, Newton().solve(smaller, nothing(smaller))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("sparse", [False, True])
def test_of_squared_error_the_rise_is_exact(intercept, n_outputs, widths, sparse):
    problem, solution = solved("squared", n_outputs, intercept, widths, sparse=sparse)
    model = Newton().quadratic(problem, solution)
    for feature, rise in enumerate(model.rises()):
        _, fresh = without(problem, feature)
        assert rise == pytest.approx(fresh.objective - solution.objective, rel=1e-8)


@every_loss
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_to_first_order_the_rise_is_right_for_every_loss(loss, n_outputs):
    # The less a column can do, the closer the quadratic model is to the loss.
    errors = []
    for size in (0.1, 0.02):
        X, target = make_target(loss, n_outputs, True)
        X = X.copy()
        X[:, 5] *= size
        problem = make_problem(X, target, [], budget=8, tol=1e-13)
        solution = Newton().solve(problem, nothing(problem))
        rise = Newton().quadratic(problem, solution).rises()[5]
        _, fresh = without(problem, 5)
        errors.append(abs(rise / (fresh.objective - solution.objective) - 1.0))
    assert errors[1] < 0.03
    assert errors[1] <= max(errors[0], 1e-5)


def test_a_rough_solution_is_led_to_the_minimum_first():
    problem, solution = solved("squared")
    rough = Newton().solve(replace(problem, tol=0.3), nothing(problem))
    assert not np.allclose(rough.weights, solution.weights, rtol=1e-3)
    np.testing.assert_allclose(
        Newton().quadratic(problem, rough).rises(),
        Newton().quadratic(problem, solution).rises(),
        rtol=1e-8,
    )


@every_loss
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("widths", WIDTHS)
def test_a_downdate_is_the_inverse_made_anew(loss, n_outputs, widths):
    problem, solution = solved(loss, n_outputs, True, widths)
    model = Newton().quadratic(problem, solution)
    whole, weights = np.linalg.inv(model.inverse), model.weights.copy()
    rise = model.drop(2)
    left = np.isin(np.repeat(np.arange(len(problem.widths)), problem.widths), model.kept)
    hessian = whole[:, left][:, :, left]
    np.testing.assert_allclose(model.inverse, np.linalg.inv(hessian), rtol=1e-7, atol=1e-10)
    # The minimum of the quadratic model over the columns that are left, and its value.
    expected, total = np.zeros_like(model.weights), 0.0
    for k in range(n_outputs):
        H = whole[min(k, len(whole) - 1)]
        expected[:, k] = np.linalg.solve(H[np.ix_(left, left)], (H @ weights[:, k])[left])
        full, part = weights[:, k], expected[:, k]
        total += 0.5 * (full @ H @ full - part @ H[np.ix_(left, left)] @ part)
    np.testing.assert_allclose(model.weights, expected, rtol=1e-7, atol=1e-10)
    assert rise == pytest.approx(total, rel=1e-7)


def random_model(n_columns, seed=0, n_outputs=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * n_columns, n_columns)) @ np.diag(rng.uniform(0.1, 2, n_columns))
    X[:, 1::7] = X[:, ::7][:, : X[:, 1::7].shape[1]] + 0.01 * rng.standard_normal(X[:, 1::7].shape)
    hessian = X.T @ X + np.eye(n_columns)
    weights = np.linalg.solve(hessian, X.T @ rng.standard_normal((len(X), n_outputs)))
    ones = np.ones(n_columns, dtype=np.int64)
    return QuadraticModel(weights, np.linalg.inv(hessian)[None], ones, np.arange(n_columns))


def test_drops_are_the_best_one_at_a_time():
    model, slow = random_model(40), random_model(40)
    model.drop(25, n_always=3)
    for _ in range(25):
        rises = slow.rises()
        rises[:3] = np.inf
        gone = np.array([rises.argmin()])
        slow._downdate(gone, np.delete(np.arange(len(rises)), gone))
        slow.kept, slow.widths = np.delete(slow.kept, gone), slow.widths[1:]
    assert list(model.kept) == list(slow.kept)
    assert {0, 1, 2} <= set(model.kept)
    np.testing.assert_allclose(model.weights, slow.weights, rtol=1e-8)


def test_drops_may_heed_the_weights_too():
    model, slow = random_model(40), random_model(40)
    model.power = slow.power = 0.5
    model.drop(25)
    for _ in range(25):
        gone = np.array([np.argmin(slow.rises() * slow.weights[:, 0] ** 2)])
        slow._downdate(gone, np.delete(np.arange(len(slow.weights)), gone))
        slow.kept, slow.widths = np.delete(slow.kept, gone), slow.widths[1:]
    assert list(model.kept) == list(slow.kept)
    by_rise = random_model(40)
    by_rise.drop(25)
    assert list(model.kept) != list(by_rise.kept)


def test_pools_of_many_columns_give_up_little():
    pooled = random_model(700)
    rise = pooled.drop(400)
    one_by_one = random_model(700)
    with changed_sizes(dropped_singly=700):
        least = one_by_one.drop(400)
    assert len(pooled.kept) == 300
    assert least * 0.999 <= rise <= 1.02 * least


def test_of_two_copies_only_one_is_spared():
    rng = np.random.default_rng(0)
    signal = rng.standard_normal((100, 2))
    X = np.column_stack([signal[:, 0], signal[:, 0], signal[:, 0], 0.7 * signal[:, 1]])
    y = 2.0 * signal.sum(axis=1, keepdims=True)
    target = Target(known_losses()["squared"](), y, np.ones((100, 1)), True)
    problem = make_problem(X, target, [], budget=4, tol=1e-13)
    solution = Newton().solve(problem, nothing(problem))
    sizes = np.abs(solution.weights[:, 0])
    assert sizes[3] > sizes[:3].max()  # by size all three copies would go
    model = Newton().quadratic(problem, solution)
    model.drop(2)
    assert 3 in model.kept
    assert len(set(model.kept) & {0, 1, 2}) == 1


def test_gram_matrices_are_kept_through_changes():
    rng = np.random.default_rng(3)
    X, bend = rng.standard_normal((50, 6)), rng.uniform(0, 1, (50, 2))
    few = bend.copy()
    few[::7] = 0.0
    many = rng.uniform(0, 1, (50, 2))
    for changed in (few, many):
        for columns in (X, sp.csc_array(X)):
            made = Grams.of(columns, bend).update(columns, changed)
            fresh = Grams.of(X, changed)
            np.testing.assert_allclose(made.grams, fresh.grams, atol=1e-12)
            np.testing.assert_allclose(made.sums, fresh.sums, atol=1e-12)
    grams = Grams.of(X, bend)
    assert grams.update(X, bend.copy()) is grams
    wider = np.hstack([X, rng.standard_normal((50, 1))])
    grown, fresh = grams.update(wider, few), Grams.of(wider, few)
    np.testing.assert_allclose(grown.grams, fresh.grams, atol=1e-12)
    np.testing.assert_allclose(grown.sums, fresh.sums, atol=1e-12)
    kept = grams.keep(np.array([1, 4]))
    np.testing.assert_allclose(kept.grams, Grams.of(X[:, [1, 4]], bend).grams)


def test_gram_matrix_of_columns_that_groups_share():
    X = np.random.default_rng(0).standard_normal((30, 5))
    groups = make_groups([np.array([0, 1]), np.array([1, 2, 3])], None, 5)
    active = activate(GroupedSpace(DenseSpace(X), groups), np.array([0, 1]))
    dense = X[:, [0, 1, 1, 2, 3]]
    weight = np.linspace(0.0, 1.0, 30)
    gram, sums = weighted_gram(active.matrix, weight)
    np.testing.assert_allclose(gram, dense.T @ (weight[:, None] * dense), atol=1e-12)
    np.testing.assert_allclose(sums, dense.T @ weight, atol=1e-12)


def test_very_many_columns_have_the_diagonal_only():
    problem, solution = solved("squared_hinge")
    with changed_sizes(hessian_columns=4):
        model = Newton().quadratic(problem, solution)
    assert isinstance(model, DiagonalModel)
    rises = model.rises()
    worths = np.sqrt(rises * np.square(model.weights[:, 0]))  # labels are what counts
    model.drop(3, n_always=1)
    assert len(model.kept) == 5
    assert 0 in model.kept
    assert max(worths[np.setdiff1d(np.arange(8), model.kept)]) <= min(worths[model.kept[1:]])


@pytest.mark.parametrize("measure", ["f1", "accuracy", "roc_auc"])
def test_under_a_measure_the_rise_is_never_less_than_told(measure):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 6))
    y = np.where(X[:, 0] + 0.7 * X[:, 1] + 0.5 * rng.standard_normal(40) > 0.3, 1.0, -1.0)
    loss = resolve_loss(measure, "classification").of_samples(y, np.ones(40))
    target = Target(loss, y[:, None], np.full((40, 1), 0.02), loss.has_threshold)
    problem = make_problem(X, target, [], budget=6, tol=1e-12)
    solver = RidgeBundle()
    solution = solver.solve(problem, nothing(problem))
    rises = solver.quadratic(problem, solution).rises()
    true = []
    for j in range(6):
        left = np.delete(np.arange(6), j)
        smaller = replace(problem, columns=X[:, left], squared_norms=problem.squared_norms[left])
        true.append(solver.solve(smaller, nothing(smaller)).objective - solution.objective)
    assert (rises <= np.array(true) + 1e-8 * solution.objective).all()
    assert set(np.argsort(rises)[-2:]) == set(np.argsort(true)[-2:])
    assert max(true[j] for j in np.argsort(rises)[:2]) < 0.1 * max(true)

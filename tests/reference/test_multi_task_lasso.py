"""The l1/l-infinity lasso against CVXPY, scikit-learn's Lasso, and its optimality conditions."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Lasso

from handful import MultiTaskLassoInf
from handful.kernels.clipped_blocks import clip_height
from handful.sizes import changed_sizes
from handful.status import Status

FORMATS = {"dense": np.asarray, "csr": sp.csr_array, "csc": sp.csc_array}


def draw(n_samples=40, n_features=15, n_outputs=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features)) + rng.uniform(-1, 3, n_features)
    X[rng.random(X.shape) < 0.4] = 0.0
    weights = rng.standard_normal((4, n_outputs))
    Y = X[:, :4] @ weights + 0.5 * rng.standard_normal((n_samples, n_outputs)) + 2.0
    return X, Y


def optimum(X, Y, alpha, *, intercept, share=None):
    """The least objective, by CVXPY."""
    share = np.full(len(X), 1 / len(X)) if share is None else share / share.sum()
    W, b = cp.Variable((X.shape[1], Y.shape[1])), cp.Variable((1, Y.shape[1]))
    errors = X @ W - Y + (np.ones((len(X), 1)) @ b if intercept else 0.0)
    squares = cp.sum_squares(cp.multiply(np.sqrt(share)[:, None], errors))
    value = 0.5 * squares + alpha * cp.sum(cp.max(cp.abs(W), axis=1))
    return cp.Problem(cp.Minimize(value)).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )


def objective(model, X, Y, alpha):
    errors = np.asarray(X @ model.coef_.T + model.intercept_ - Y)
    return (errors**2).sum() / (2 * len(Y)) + alpha * np.abs(model.coef_).max(axis=0).sum()


@pytest.mark.parametrize("storage", FORMATS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("n_features", "n_outputs"), [(15, 3), (60, 5), (10, 1)])
@pytest.mark.parametrize("alpha", [0.02, 0.3, 2.0])
def test_objective_equals_cvxpy(storage, intercept, n_features, n_outputs, alpha):
    X, Y = draw(n_features=n_features, n_outputs=n_outputs)
    expected = optimum(X, Y, alpha, intercept=intercept)
    model = MultiTaskLassoInf(alpha, fit_intercept=intercept, tol=1e-11)
    model.fit(FORMATS[storage](X), Y)
    assert model.status_ is Status.CONVERGED
    assert model.objective_ == pytest.approx(expected, rel=1e-7)
    assert model.objective_ == pytest.approx(objective(model, X, Y, alpha), rel=1e-9)
    assert 0 <= model.dual_gap_ <= 1e-11 * model.objective_
    assert model.objective_ - model.dual_gap_ <= expected * (1 + 1e-7)


@pytest.mark.parametrize("intercept", [False, True])
def test_one_output_is_the_lasso(intercept):
    X, Y = draw(n_features=60, n_outputs=1)
    ours = MultiTaskLassoInf(0.05, fit_intercept=intercept, tol=1e-13).fit(X, Y[:, 0])
    theirs = Lasso(0.05, fit_intercept=intercept, tol=1e-14, max_iter=10**6).fit(X, Y[:, 0])
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)


def test_sample_weights_equal_cvxpy():
    X, Y = draw()
    share = np.random.default_rng(1).uniform(0, 3, len(X)).round()
    expected = optimum(X, Y, 0.1, intercept=True, share=share)
    for data in (X, sp.csr_array(X)):
        model = MultiTaskLassoInf(0.1, tol=1e-11).fit(data, Y, sample_weight=share)
        assert model.objective_ == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("storage", FORMATS)
def test_columns_made_known_one_by_one_give_the_same(storage):
    """What is done when X has too many columns for all moments at once."""
    X, Y = draw(n_features=200, n_outputs=4)
    X = FORMATS[storage](X)
    at_once = MultiTaskLassoInf(0.1, tol=1e-12).fit(X, Y)
    by_number = MultiTaskLassoInf(n_features_to_select=7, tol=1e-9).fit(X, Y)
    with changed_sizes(moments_columns=0, block_entries=400):  # two outputs at a time
        lazily = MultiTaskLassoInf(0.1, tol=1e-12).fit(X, Y)
        numbered = MultiTaskLassoInf(n_features_to_select=7, tol=1e-9).fit(X, Y)
    np.testing.assert_array_equal(lazily.support_ids_, at_once.support_ids_)
    np.testing.assert_allclose(lazily.weights_, at_once.weights_, atol=1e-6)
    assert lazily.dual_gap_ <= 1e-12 * lazily.objective_
    np.testing.assert_array_equal(numbered.support_ids_, by_number.support_ids_)
    assert numbered.alpha_ == pytest.approx(by_number.alpha_, rel=1e-2)


def test_large_offsets_do_no_harm():
    X, Y = draw()
    plain = MultiTaskLassoInf(0.1, tol=1e-12).fit(X, Y)
    moved = MultiTaskLassoInf(0.1, tol=1e-12).fit(X + 1e6, Y - 1e4)
    np.testing.assert_allclose(moved.weights_, plain.weights_, atol=1e-6)


def test_float32_is_the_same_to_its_precision():
    X, Y = draw()
    X = X.astype(np.float32)
    expected = optimum(X.astype(float), Y, 0.1, intercept=True)
    for data in (X, sp.csr_array(X), sp.csc_array(X)):
        model = MultiTaskLassoInf(0.1, tol=1e-9).fit(data, Y)
        assert model.objective_ == pytest.approx(expected, rel=1e-7)


def test_clip_height_is_that_of_sorting():
    rng = np.random.default_rng(0)
    for _ in range(500):
        sizes = np.abs(rng.standard_normal(rng.integers(1, 9))).round(rng.integers(0, 4))
        radius = rng.choice([0.1, 0.5, 1.0, 3.0])
        height = clip_height(sizes.copy(), radius)
        if sizes.sum() <= radius:
            assert height == 0.0
        else:
            assert np.maximum(sizes - height, 0).sum() == pytest.approx(radius)

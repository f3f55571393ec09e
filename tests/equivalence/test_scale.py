"""Features in other units."""

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import (
    N_FEATURES,
    assert_same_model,
    coefficients,
    draw,
    every_case,
    every_mode,
    fit,
)
from sklearn.preprocessing import StandardScaler

every_form = pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array])


@every_case
@every_mode
@pytest.mark.parametrize("factor", [1e-3, 0.1, 1e3])
def test_automatic_C_follows_the_scale_of_X(loss, n_classes, mode, factor):
    """Scaling X by t and C by 1/t^2 scales the weights by 1/t and leaves the objective's shape."""
    X, y = draw(n_classes)
    options = {"C": "auto", "max_rounds": 8, "tol": 1e-4} if mode == "plain" else {"C": "auto"}
    expected = fit(X, y, mode, loss, **options)
    model = fit(factor * X, y, mode, loss, **options)
    assert model.C_ * factor**2 == pytest.approx(expected.C_)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    size = np.abs(coefficients(expected)).max()
    np.testing.assert_allclose(factor * model.coef_, expected.coef_, atol=1e-3 * size)


@every_case
@every_mode
@every_form
def test_scale_norm_is_a_normalised_copy(loss, n_classes, mode, convert):
    X, y = draw(n_classes)
    X = X * np.random.default_rng(4).uniform(0.01, 100.0, N_FEATURES)
    X[:, 9] = 0.0
    lengths = np.linalg.norm(X, axis=0)
    lengths[9] = 1.0
    expected = fit(X / lengths, y, mode, loss, C=20.0)
    model = fit(convert(X), y, mode, loss, C=20.0, scale="norm")
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    size = np.abs(coefficients(expected)).max()
    rescaled = coefficients(model) * lengths
    np.testing.assert_allclose(rescaled, coefficients(expected), atol=1e-3 * size)
    np.testing.assert_allclose(model.predict(X), expected.predict(X / lengths), atol=1e-2)


@every_case
@every_mode
@every_form
def test_scale_std_is_the_standard_scaler(loss, n_classes, mode, convert):
    X, y = draw(n_classes)
    rng = np.random.default_rng(4)
    X = X * rng.uniform(0.01, 100.0, N_FEATURES) + rng.uniform(-300.0, 300.0, N_FEATURES)
    X[:, 9], X[:, 11] = 0.0, 1.1
    scaler = StandardScaler().fit(X)
    expected = fit(scaler.transform(X), y, mode, loss, C=0.1)
    model = fit(convert(X), y, mode, loss, C=0.1, scale="std")
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    size = np.abs(coefficients(expected)).max()
    rescaled = coefficients(model) * scaler.scale_
    np.testing.assert_allclose(rescaled, coefficients(expected), atol=1e-3 * size)
    np.testing.assert_allclose(model.predict(X), expected.predict(scaler.transform(X)), atol=1e-2)


def test_scale_std_counts_weights():
    X, y = draw(2)
    weight = np.random.default_rng(3).integers(0, 3, len(y)).astype(float)
    weight[:2] = 0.0
    X[:2] *= 1e3
    model = fit(X, y, "exactly k", "squared_hinge", C=0.1, scale="std", sample_weight=weight)
    often = np.repeat(np.arange(len(y)), weight.astype(int))
    expected = fit(X[often], y[often], "exactly k", "squared_hinge", C=0.1, scale="std")
    np.testing.assert_allclose(coefficients(model), coefficients(expected), atol=1e-8)


@every_case
@every_mode
@pytest.mark.parametrize("scale", ["norm", "std"])
def test_scale_makes_units_irrelevant(loss, n_classes, mode, scale):
    X, y = draw(n_classes)
    units = np.random.default_rng(4).uniform(0.01, 100.0, N_FEATURES)
    C = 20.0 if scale == "norm" else 0.1
    expected = fit(X, y, mode, loss, C=C, scale=scale)
    model = fit(X * units, y, mode, loss, C=C, scale=scale)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)


@every_mode
@every_form
def test_targets_of_regression_may_have_any_unit(mode, convert):
    X, y = draw(1)
    expected = fit(X, y, mode, "squared")
    model = fit(convert(X), 100.0 * y + 7.0, mode, "squared")
    np.testing.assert_allclose(model.coef_, 100.0 * expected.coef_, atol=0.1)
    assert model.intercept_ == pytest.approx(100.0 * expected.intercept_ + 7.0, abs=0.1)
    assert model.objective_ == pytest.approx(1e4 * expected.objective_, rel=1e-6)


@every_case
@every_mode
def test_an_intercept_absorbs_what_is_added_to_a_column(loss, n_classes, mode):
    X, y = draw(n_classes)
    expected = fit(X, y, mode, loss)
    moved = X + np.random.default_rng(5).uniform(-3.0, 3.0, N_FEATURES)
    model = fit(moved, y, mode, loss)
    np.testing.assert_allclose(
        coefficients(model),
        coefficients(expected),
        atol=1e-2 * np.abs(coefficients(expected)).max(),
    )
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    assert_same_model(fit(moved, y, mode, loss, scale=None), model)

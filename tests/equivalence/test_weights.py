"""Sample weights count rows, and class weights are sample weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import N_SAMPLES, assert_same_model, draw, every_case, every_mode, fit
from sklearn.utils.class_weight import compute_sample_weight

every_form = pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
with_and_without_intercept = pytest.mark.parametrize("fit_intercept", [True, False])


@every_case
@every_mode
@every_form
@with_and_without_intercept
def test_weight_two_is_the_row_twice(loss, n_classes, mode, convert, fit_intercept):
    X, y = draw(n_classes)
    counts = np.random.default_rng(2).integers(0, 4, N_SAMPLES)
    rows = np.repeat(np.arange(N_SAMPLES), counts)
    options = {"fit_intercept": fit_intercept}
    expected = fit(convert(X[rows]), y[rows], mode, loss, **options)
    model = fit(convert(X), y, mode, loss, sample_weight=counts, **options)
    assert_same_model(model, expected)


@every_case
@every_mode
@every_form
@with_and_without_intercept
def test_weight_zero_is_no_row(loss, n_classes, mode, convert, fit_intercept):
    X, y = draw(n_classes)
    weight = np.ones(N_SAMPLES)
    weight[::5] = 0.0
    X[::5] = 1e3  # whatever stands there
    kept = weight > 0
    options = {"fit_intercept": fit_intercept}
    expected = fit(convert(X[kept]), y[kept], mode, loss, **options)
    assert_same_model(fit(convert(X), y, mode, loss, sample_weight=weight, **options), expected)


@every_case
@pytest.mark.parametrize("counts", ["zero", "repeated"])
def test_automatic_C_counts_rows_too(loss, n_classes, counts):
    X, y = draw(n_classes)
    number = np.random.default_rng(2).integers(0, 4, N_SAMPLES) if counts == "repeated" else None
    number = np.arange(N_SAMPLES) % 5 if number is None else number
    number = np.minimum(number, 1) if counts == "zero" else number
    rows = np.repeat(np.arange(N_SAMPLES), number)
    expected = fit(X[rows], y[rows], "exactly k", loss, C="auto")
    model = fit(X, y, "exactly k", loss, sample_weight=number, C="auto")
    assert pytest.approx(expected.C_) == model.C_
    assert_same_model(model, expected)


@every_case
@every_mode
def test_weights_are_factors_of_C(loss, n_classes, mode):
    X, y = draw(n_classes)
    expected = fit(X, y, mode, loss, C=0.5)
    model = fit(X, y, mode, loss, sample_weight=np.full(N_SAMPLES, 5.0), C=0.1)
    assert_same_model(model, expected)


every_classifier = pytest.mark.parametrize(
    ("loss", "n_classes"),
    [("squared_hinge", 2), ("squared_hinge", 3), ("logistic", 2), ("logistic", 3)],
)
CLASS_WEIGHT = {0: 3.0, 1: 0.5, 2: 2.0}


@every_mode
@every_classifier
def test_class_weights_are_factors_of_sample_weights(mode, loss, n_classes):
    X, y = draw(n_classes)
    class_weight = {label: CLASS_WEIGHT[label] for label in range(n_classes)}
    own = np.random.default_rng(3).uniform(0.5, 2.0, N_SAMPLES)
    together = own * compute_sample_weight(class_weight, y)
    expected = fit(X, y, mode, loss, sample_weight=together)
    model = fit(X, y, mode, loss, sample_weight=own, class_weight=class_weight)
    assert_same_model(model, expected)


@every_mode
@every_classifier
def test_balanced_classes_are_sample_weights(mode, loss, n_classes):
    X, y = draw(n_classes)
    expected = fit(X, y, mode, loss, sample_weight=compute_sample_weight("balanced", y))
    assert_same_model(fit(X, y, mode, loss, class_weight="balanced"), expected)


@every_mode
@every_classifier
def test_balanced_classes_count_weighted_rows(mode, loss, n_classes):
    X, y = draw(n_classes)
    counts = np.random.default_rng(2).integers(0, 4, N_SAMPLES)
    rows = np.repeat(np.arange(N_SAMPLES), counts)
    expected = fit(X[rows], y[rows], mode, loss, class_weight="balanced")
    model = fit(X, y, mode, loss, sample_weight=counts, class_weight="balanced")
    assert_same_model(model, expected)

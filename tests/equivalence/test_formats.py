"""The same numbers in another format, type, or order give the same model."""

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import (
    N_FEATURES,
    N_SAMPLES,
    assert_same_model,
    draw,
    every_case,
    every_mode,
    fit,
)
from stores import stored


def with_int64_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


FORMS = {
    "column-major": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSR int64": lambda X: with_int64_indices(sp.csr_array(X)),
    "CSC int64": lambda X: with_int64_indices(sp.csc_matrix(X)),
    "dense store": stored,
    "sparse store": lambda X: stored(sp.csc_array(X)),
    "CSR with stored zeros": lambda X: sp.csr_array((X.ravel(), *full_pattern()), shape=X.shape),
}


def full_pattern():
    columns = np.tile(np.arange(N_FEATURES), N_SAMPLES)
    return columns, np.arange(0, N_SAMPLES * N_FEATURES + 1, N_FEATURES)


@every_case
@every_mode
@pytest.mark.parametrize("scale", [None, "norm"])
@pytest.mark.parametrize("form", FORMS)
def test_format(form, loss, n_classes, mode, scale):
    X, y = draw(n_classes)
    expected = fit(X, y, mode, loss, scale=scale, C=2.0)
    model = fit(FORMS[form](X), y, mode, loss, scale=scale, C=2.0)
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict(X), expected.predict(X), atol=1e-2)


@every_case
@every_mode
@pytest.mark.parametrize(
    "convert",
    [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array, stored, FORMS["sparse store"]],
)
def test_float32(convert, loss, n_classes, mode):
    X, y = draw(n_classes)
    X = X.astype(np.float32)
    expected = fit(X.astype(np.float64), y, mode, loss)
    assert_same_model(fit(convert(X), y, mode, loss), expected, tolerance=1e-5)


@every_case
@every_mode
def test_permuted_columns(loss, n_classes, mode):
    X, y = draw(n_classes)
    order = np.random.default_rng(1).permutation(N_FEATURES)
    model = fit(X[:, order], y, mode, loss)
    assert_same_model(model, fit(X, y, mode, loss), columns=np.argsort(order))


@every_case
@every_mode
def test_permuted_rows(loss, n_classes, mode):
    X, y = draw(n_classes)
    order = np.random.default_rng(1).permutation(N_SAMPLES)
    assert_same_model(fit(X[order], y[order], mode, loss), fit(X, y, mode, loss))


@every_case
@every_mode
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_one_thread_and_two(convert, loss, n_classes, mode):
    X, y = draw(n_classes)
    one, two = (fit(convert(X), y, mode, loss, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_same_model(one, two)


@every_mode
def test_names_of_classes_do_not_matter(mode):
    X, y = draw(3)
    expected = fit(X, y, mode, "logistic")
    names = np.array(["ant", "bee", "cat"], dtype=object)
    model = fit(X, names[y], mode, "logistic")
    assert_same_model(model, expected)
    np.testing.assert_array_equal(model.predict(X), names[expected.predict(X)])


@every_mode
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_swapped_classes_change_the_sign(mode, loss):
    X, y = draw(2)
    model, expected = fit(X, 1 - y, mode, loss), fit(X, y, mode, loss)
    np.testing.assert_allclose(model.coef_, -expected.coef_, atol=1e-3 * np.abs(model.coef_).max())
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)

"""Zero, constant and equal columns neither break a fit nor change what they should not."""

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import (
    N_FEATURES,
    N_SAMPLES,
    K,
    assert_same_model,
    coefficients,
    draw,
    every_case,
    every_mode,
    fit,
)

from handful.spaces import resolve_space

every_form = pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array])


def with_columns(X, extra):
    """Extra columns before, between and after; and where the old ones went."""
    middle = N_FEATURES // 2
    parts = [extra, X[:, :middle], extra, X[:, middle:], extra]
    width = extra.shape[1]
    old = np.concatenate([width + np.arange(middle), 2 * width + np.arange(middle, N_FEATURES)])
    return np.hstack(parts), old


@every_case
@every_mode
@every_form
@pytest.mark.parametrize("scale", [None, "norm"])
def test_zero_columns_are_not_there(loss, n_classes, mode, convert, scale):
    X, y = draw(n_classes)
    wider, old = with_columns(X, np.zeros((N_SAMPLES, 2)))
    expected = fit(X, y, mode, loss, scale=scale, C=2.0)
    model = fit(convert(wider), y, mode, loss, scale=scale, C=2.0)
    assert set(model.support_ids_) <= set(old)
    assert_same_model(model, expected, columns=old)


@every_case
@every_mode
@every_form
@pytest.mark.parametrize("constant", [1.0, -0.1, 1e6])
def test_constant_columns_are_not_chosen_beside_an_intercept(
    loss, n_classes, mode, convert, constant
):
    X, y = draw(n_classes)
    wider, old = with_columns(X, np.full((N_SAMPLES, 1), constant))
    model = fit(convert(wider), y, mode, loss)
    assert set(model.support_ids_) <= set(old)
    assert_same_model(model, fit(X, y, mode, loss), columns=old)


@every_case
@every_form
def test_exactly_k_of_equal_columns(loss, n_classes, convert):
    """Any choice on X is a choice on its copies: the certificate must cover it."""
    X, y = draw(n_classes)
    model = fit(convert(np.hstack([X, X])), y, "exactly k", loss)
    assert len(set(model.support_ids_)) == K
    original = fit(X, y, "exactly k", loss)
    assert model.objective_ - model.dual_gap_ <= original.objective_


@every_case
@every_form
def test_equal_columns_do_not_worsen_plain_fgm(loss, n_classes, convert):
    """Copies enlarge the feasible set, and the weights of copies add up to a model on the original."""
    X, y = draw(n_classes)
    model = fit(convert(np.hstack([X, X])), y, "plain", loss)
    original = fit(X, y, "plain", loss)
    assert model.objective_ <= original.objective_ * (1 + 1e-6)
    assert model.objective_ - model.dual_gap_ <= original.objective_
    both = coefficients(model)
    together = both[:, :N_FEATURES] + both[:, N_FEATURES:]
    z = X @ together.T + model.intercept_
    expected = X @ coefficients(original).T + original.intercept_
    assert np.corrcoef(z[:, 0], expected[:, 0])[0, 1] > 0.9


@every_mode
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared"])
def test_all_columns_equal(mode, loss):
    X, y = draw(1 if loss == "squared" else 2)
    X = np.tile(X[:, [3]], 8)
    model = fit(X, y, mode, loss)
    assert np.isfinite(model.objective_)
    assert model.objective_ - model.dual_gap_ <= model.objective_
    if mode == "exactly k":
        assert len(model.support_ids_) == K
        np.testing.assert_allclose(model.weights_, model.weights_[0, 0], rtol=1e-3)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("n_rows", [60, 512, 1001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_of_equal_columns_is_taken(convert, n_rows, dtype):
    """Sums of equal columns are equal to the last bit, wherever they stand: the lower id wins.

    (A dense product may round them differently.)
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 301)).astype(dtype)
    good = rng.choice(301, 3, replace=False)
    y = (X[:, good].sum(axis=1) > 0).astype(int)
    copies = np.setdiff1d(rng.choice(301, 60, replace=False), good)
    X[:, copies] = X[:, good[np.arange(len(copies)) % 3]]
    first = {min(np.flatnonzero((X[:, [j]] == X).all(axis=0))) for j in good}
    space = resolve_space(convert(X), n_jobs=1)
    for j in good:
        ids, _ = space.top(X[:, j].astype(np.float64), 1)
        assert ids[0] in first
    assert first & set(fit(convert(X), y, "exactly k", "squared_hinge").support_ids_)

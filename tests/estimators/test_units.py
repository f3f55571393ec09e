"""Columns in different units: C follows from the features that matter, not from those with large numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from handful import FGMClassifier, FGMRegressor
from handful.spaces import Polynomial

UNITS = np.array([500.0, 300.0, 200.0, 200.0, 10.0, 1000.0, 800.0, 60.0])
N_TRAIN = 300


def products(seed):
    """Three products of columns in their own units decide."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 1.0, (2 * N_TRAIN, len(UNITS))) * UNITS
    signal = X[:, 0] * X[:, 4] / 2000 + X[:, 2] * X[:, 7] / 4000 - X[:, 5] * X[:, 4] / 8000
    return X, signal + 0.3 * rng.standard_normal(len(X))


def scores(model, X, y):
    """In the units as they are, and with all columns in one."""
    train, test = slice(N_TRAIN), slice(N_TRAIN, None)
    return [model.fit(data[train], y[train]).score(data[test], y[test]) for data in (X, X / UNITS)]


@pytest.mark.parametrize("C", ["fast", "auto"])
def test_pairs_of_quantities(C):
    found = [scores(FGMRegressor(8, space=Polynomial(), C=C), *products(seed)) for seed in range(3)]
    as_they_are, in_one_unit = np.mean(found, axis=0)
    assert as_they_are > in_one_unit - 0.01


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "f1"])
def test_pairs_of_classes(loss):
    found = []
    for seed in range(3):
        X, y = products(seed)
        model = FGMClassifier(8, space=Polynomial(), loss=loss, C="fast")
        found.append(scores(model, X, y > np.median(y)))
    as_they_are, in_one_unit = np.mean(found, axis=0)
    assert as_they_are > in_one_unit - 0.02


def test_several_outputs():
    X, y = products(0)
    classes = np.digitize(y, np.quantile(y, [0.33, 0.67]))
    model = FGMClassifier(8, space=Polynomial(), loss="f1", C="fast")
    as_they_are, in_one_unit = scores(model, X, classes)
    assert as_they_are > in_one_unit - 0.03


def test_one_unit_for_all_changes_nothing():
    """Of columns of one kind the ten best scores decide, and their unit drops out."""
    X, y = products(1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    one, other = (FGMRegressor(4, C="fast").fit(data, y) for data in (X, 1024.0 * X))
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    assert pytest.approx(one.C_ / 1024.0**2, rel=1e-12) == other.C_


def test_the_rule_by_hand():
    """The median of the sizes of the ten columns that correlate most, of the fifty with the best scores."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 60)) * 10.0 ** rng.uniform(-3, 3, 60)
    y = X @ rng.standard_normal(60) / X.std(axis=0).max() + rng.standard_normal(200)
    centred, k = X - X.mean(axis=0), 5
    marks = (centred.T @ (y - y.mean())) ** 2
    fifty = np.argsort(-marks)[:50]
    sizes = (centred**2).sum(axis=0)
    ten = fifty[np.argsort(-(marks / sizes)[fifty])[:10]]
    assert sizes[fifty].max() > 1e6 * sizes[fifty].min()
    expected = 1.0 / (1.0 / 20.0 + k / (2.0 * len(y))) / np.exp(np.median(np.log(sizes[ten])))
    assert pytest.approx(expected, rel=1e-9) == FGMRegressor(k, C="fast", scale="raw").fit(X, y).C_


@pytest.mark.parametrize("size", [2.0**-100, 2.0**100])
def test_float32_in_units_far_from_one(size):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30)).astype(np.float32)
    y = X[:, 3] + X[:, 7] - X[:, 11] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = FGMClassifier(3).fit((size * X).astype(np.float32), y)
    near = FGMClassifier(3).fit(X, y)
    assert np.array_equal(far.support_ids_, near.support_ids_)
    assert [one.n_active for one in far.history_] == [one.n_active for one in near.history_]
    np.testing.assert_allclose(far.weights_ * size, near.weights_, rtol=1e-4)


def quantities(units, seed=0):
    """Columns of which the small numbers decide."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, len(units)))
    return X * units, X[:, 0] - X[:, 1] > 0


def warnings_of(model, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(one.message) for one in caught]


NAMES = ["share", "ratio", "age", "height", "income"]


@pytest.mark.parametrize("C", ["auto", "fast"])
@pytest.mark.parametrize("convert", [np.asarray, lambda X: pd.DataFrame(X, columns=NAMES)])
def test_columns_in_different_units_are_scaled(convert, C):
    X, y = quantities(np.array([0.01, 0.01, 1.0, 1.0, 5e3]))
    model = FGMClassifier(2, C=C)
    assert warnings_of(model, convert(X), y) == []
    assert model.scaling_ == "std"
    scaled = FGMClassifier(2, C=C, scale="std").fit(convert(X), y)
    np.testing.assert_array_equal(model.support_ids_, [0, 1])
    np.testing.assert_array_equal(model.coef_, scaled.coef_)
    paths = [one.fit_path(convert(X), y, [1, 2]) for one in (model, scaled)]
    np.testing.assert_array_equal(paths[0][1].coef_, paths[1][1].coef_)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array, pd.DataFrame])
def test_what_stays_in_its_units_is_told_with_the_remedy(convert):
    """Sparse columns, and any with a C of the user's own."""
    X, y = quantities(np.array([0.01, 0.01, 1.0, 1.0, 5e3]))
    table = convert(X)
    if convert is pd.DataFrame:
        table.columns = NAMES
    model = FGMClassifier(2, C="fast" if sp.issparse(table) else 1e-3)
    [sentence] = warnings_of(model, table, y)
    assert model.scaling_ is None
    wide, narrow = ("'income'", "'ratio'") if convert is pd.DataFrame else ("'x4'", "'x1'")
    assert f"{wide} ranges over " in sentence
    assert f"{narrow} over " in sentence
    assert "scale='std'" in sentence
    assert warnings_of(model.set_params(scale="raw"), table, y) == []
    assert model.scaling_ is None
    assert warnings_of(model.set_params(scale="std"), table, y) == []
    assert model.scaling_ == "std"
    np.testing.assert_array_equal(model.support_ids_, [0, 1])


def test_one_column_with_large_numbers_is_chosen_where_it_decides():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 400))
    X[:, 277] *= 1e5
    y = X[:, 277] + 1e5 * rng.standard_normal(len(X)) > 0
    for scale in (None, "raw", "std", "norm"):
        model = FGMClassifier(1, C="fast", scale=scale).fit(X, y)
        np.testing.assert_array_equal(model.support_ids_, [277])


def test_a_large_column_of_a_sparse_matrix_is_noticed_where_it_is_chosen():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 400))
    X[:, 277] *= 1e5
    y = X[:, 277] + 1e5 * rng.standard_normal(len(X)) > 0
    assert len(warnings_of(FGMClassifier(1, C="fast"), sp.csc_array(X), y)) == 1


@pytest.mark.parametrize(
    ("units", "options"),
    [
        (np.array([1.0, 100.0, 1.0]), {}),
        (np.array([1.0, 1e5, 0.0]), {"space": Polynomial()}),
        (np.array([1.0, 1e5, 1.0]), {"scale": "norm"}),
    ],
    ids=["one kind", "features made of columns", "scaled"],
)
def test_nothing_is_told_or_done_where_nothing_can_be_or_need_be(units, options):
    X, y = quantities(units)
    for C in ("fast", 0.1):
        model = FGMClassifier(1, C=C, **options)
        assert warnings_of(model, X, y) == []
        assert getattr(model, "scaling_", None) == options.get("scale")


def test_rows_without_weight_have_no_unit():
    X, y = quantities(np.ones(4))
    X[:3, 1] *= 1e6
    weight = np.ones(len(y))
    weight[:3] = 0.0
    assert FGMClassifier(2, C="fast").fit(X, y, sample_weight=weight).scaling_ is None
    assert FGMClassifier(2, C="fast").fit(X, y).scaling_ == "std"


def test_rare_and_frequent_words_are_of_one_kind():
    rng = np.random.default_rng(0)
    X = sp.random_array((20_000, 50), density=0.4, rng=rng, format="csc", dtype=np.float64)
    X.data[:] = 1.0
    rare = sp.csc_array(([1.0], ([5], [0])), shape=(20_000, 1))
    y = X[:, [3]].toarray().ravel() > 0
    assert warnings_of(FGMClassifier(2, C="fast"), sp.hstack([X, rare], format="csc"), y) == []


def test_numbers_too_large_are_refused_and_not_scaled_to_nothing():
    X, y = quantities(np.array([1.0, 1.0, 1e200]))
    with pytest.raises(ValueError, match="too large to compute with"):
        FGMClassifier(1, C="fast").fit(X, y)

"""Columns that are there twice: FGM takes each once."""

import numpy as np
import pytest

from handful import FGMClassifier, FGMRegressor
from handful.losses import Squared

N_COLUMNS, TRUE = 100, (2.0, 1.5, 1.0, 0.7, 0.5)
K = len(TRUE)


def draw(seed, n_samples=200, noise=0.0):
    """Five columns decide, weaker and weaker; every column is there again, with little noise or none."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, N_COLUMNS))
    true = rng.choice(N_COLUMNS, K, replace=False)
    score = X[:, true] @ TRUE + rng.logistic(size=n_samples)
    again = X + noise * rng.standard_normal(X.shape)
    return X, np.hstack([X, again]), score, true


def n_twice(ids):
    return len(ids) - len(np.unique(ids % N_COLUMNS))


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "f1"])
def test_none_is_taken_twice(loss, noise):
    """And as many true ones are found as if no column were there again, or nearly."""
    found = []
    for seed in range(6):
        X, both, score, true = draw(seed, n_samples=400, noise=noise)
        model = FGMClassifier(K, loss=loss, C="fast").fit(both, score > 0)
        assert n_twice(model.support_ids_) == 0
        once = FGMClassifier(K, loss=loss, C="fast").fit(X, score > 0).support_ids_
        found.append([np.isin(true, ids % N_COLUMNS).sum() for ids in (model.support_ids_, once)])
    with_copies, without = np.mean(found, axis=0)
    assert with_copies >= without - 0.35


def test_the_lower_id_of_equals_is_taken():
    _, both, score, _ = draw(0)
    for model in (
        FGMClassifier(K, C="fast").fit(both, score > 0),
        FGMRegressor(K).fit(both, score),
    ):
        assert (model.support_ids_ < N_COLUMNS).all()


def test_other_signs_units_and_origins_are_copies_too():
    X, _, score, _ = draw(1)
    both = np.hstack([X, 7.0 - 30.0 * X])
    assert n_twice(FGMClassifier(K, C="fast").fit(both, score > 0).support_ids_) == 0
    # Without an intercept another origin is another column.
    moved = FGMClassifier(K, C="fast", fit_intercept=False).fit(
        np.hstack([X, -30.0 * X]), score > 0
    )
    assert n_twice(moved.support_ids_) == 0


def test_what_must_be_there_stands_for_its_copies():
    _, both, score, true = draw(2)
    wanted = true[:1] + N_COLUMNS  # the strongest, its second copy
    model = FGMClassifier(K, C="fast", include=wanted).fit(both, score > 0)
    assert wanted[0] in model.support_ids_
    assert true[0] not in model.support_ids_
    # Two that must both be there both stay.
    pair = FGMClassifier(K, C="fast", include=[true[0], wanted[0]]).fit(both, score > 0)
    assert {true[0], wanted[0]} <= set(pair.support_ids_)


def test_where_too_few_are_different_copies_fill_up():
    X, _, score, _ = draw(3)
    both = np.hstack([X[:, :3], X[:, :3], X[:, :3]])
    ids = FGMClassifier(5, C="fast").fit(both, score > 0).support_ids_
    assert len(ids) == 5
    assert set(ids % 3) == {0, 1, 2}


def test_columns_that_are_less_alike_are_left_alone():
    """Two columns below the limit whose difference decides are both taken."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 30))
    X[:, 1] = X[:, 0] + 0.05 * rng.standard_normal(300)
    assert np.corrcoef(X[:, 0], X[:, 1])[0, 1] < Squared.alike
    y = 10 * (X[:, 0] - X[:, 1]) + 0.1 * rng.standard_normal(300)
    assert FGMRegressor(2).fit(X, y).support_ids_.tolist() == [0, 1]


def test_many_rows_are_screened_first():
    """Above two thousand rows a part of them shows whether there are any copies at all."""
    _, both, score, true = draw(5, n_samples=3000)
    model = FGMClassifier(K, C="fast").fit(both, score > 0)
    np.testing.assert_array_equal(model.support_ids_, np.sort(true))

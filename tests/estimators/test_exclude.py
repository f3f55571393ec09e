"""``exclude`` of estimators whose rows of weights vanish: as if X did not have the columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from problems import N_FEATURES, TRUE_IDS, features, more_classes, quantities, two_classes

from handful import (
    DirectSparsityClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    load_model,
    save_model,
)
from handful.sizes import changed_sizes

X, TWO = two_classes()
_, THREE = more_classes(3)
_, T = quantities()
OUT = np.array([1, TRUE_IDS[0], TRUE_IDS[2], 50])
LEFT = np.setdiff1d(np.arange(N_FEATURES), OUT)
MODELS = {
    "hard": (DirectSparsityClassifier(margin="hard", p=1.0), features(30), TWO[:30]),
    "projected": (DirectSparsityClassifier(3, margin="projected"), X, THREE),
    "soft": (DirectSparsityClassifier(3, margin="soft", p=1.0), X, THREE),
    "wide by the excluded alone": (DirectSparsityClassifier(3), X[:58], TWO[:58]),
    "grid": (DirectSparsityClassifier(3, margin="soft", p=[0.5, 1.0]), X, TWO),
    "robust": (RFSClassifier(3), X, TWO),
    "robust, own bias": (RFSClassifier(penalize_intercept=True, scale="std"), X + 3.0, TWO),
    "robust, quantities": (RFSRegressor(3, alpha=[0.5, 2.0]), X, T),
    "lasso": (MultiTaskLassoInf(0.2), X, T),
    "lasso, exactly 3": (MultiTaskLassoInf(n_features_to_select=3), X, T),
    "lasso, no intercept": (MultiTaskLassoInf(0.2, fit_intercept=False), X, T),
}
every_model = pytest.mark.parametrize("name", MODELS)


def fit(name, data, **options):
    model, _, y = MODELS[name]
    return type(model)(**model.get_params(deep=False) | options).fit(data, y)


@every_model
@pytest.mark.parametrize("convert", [np.asarray, sp.csc_array], ids=["dense", "sparse"])
def test_the_columns_are_not_there(name, convert):
    _, data, _ = MODELS[name]
    model = fit(name, convert(data), exclude=OUT)
    expected = fit(name, convert(data[:, LEFT]))
    np.testing.assert_array_equal(model.support_ids_, LEFT[expected.support_ids_])
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-6, atol=1e-9)
    assert model.objective_ == pytest.approx(expected.objective_)
    assert model.dual_gap_ == pytest.approx(expected.dual_gap_, rel=1e-3, abs=1e-8)
    if hasattr(model, "scores_"):
        assert not model.scores_[OUT].any()


def test_moments_that_are_made_as_they_are_needed():
    expected = fit("lasso", X, exclude=OUT)
    with changed_sizes(moments_columns=0):
        model = fit("lasso", X, exclude=OUT)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert not np.isin(OUT, model.support_ids_).any()


@pytest.mark.parametrize("name", ["grid", "robust, quantities", "lasso, exactly 3"])
def test_names_and_masks(name):
    table = pd.DataFrame(X, columns=[f"f{j}" for j in range(N_FEATURES)])
    expected = fit(name, X, exclude=OUT)
    mask = np.isin(np.arange(N_FEATURES), OUT)
    for model in (
        fit(name, table, exclude=[f"f{j}" for j in OUT]),
        fit(name, X, exclude=mask),
    ):
        np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
        np.testing.assert_array_equal(model.weights_, expected.weights_)


@pytest.mark.parametrize("name", ["soft", "robust", "robust, quantities", "lasso, exactly 3"])
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"exclude": [60]}, "exclude has the feature id 60; ids go from 0 to 59"),
        ({"exclude": ["f1"]}, "exclude has feature names, but X has none"),
        ({"exclude": [1.5]}, "exclude must hold feature ids, feature names or be a mask"),
        (
            {"exclude": np.arange(58)},
            "n_features_to_select=3 is more than the 2 features that are left of 60 after exclude",
        ),
    ],
)
def test_wrong_choices(name, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(name, X, **wrong)


def test_nothing_is_left():
    for name in ("soft", "robust"):
        with pytest.raises(ValueError, match="No feature carries any signal"):
            fit(name, X, exclude=np.arange(N_FEATURES), n_features_to_select=None)
    assert not len(fit("lasso", X, exclude=np.arange(N_FEATURES)).support_ids_)


@pytest.mark.parametrize("name", ["soft", "robust", "lasso"])
def test_a_model_file_keeps_it(name, tmp_path):
    save_model(fit(name, X, exclude=OUT), tmp_path / "m.handful")
    np.testing.assert_array_equal(load_model(tmp_path / "m.handful").exclude, OUT)

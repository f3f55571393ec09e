"""``scale`` means the same wherever it is: what is made one of every column, and None looks at X."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from every_estimator import ESTIMATORS, OF_BAGS, quick
from parameters_page import defaults
from sklearn.base import clone

from handful import (
    Bags,
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    MILESClassifier,
    RFSClassifier,
    RFSRegressor,
)
from handful.io import load_model, save_model

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 6)) + 0.5
Y = X[:, 0] - X[:, 1] + 0.1 * X[:, 2]
UNITS = np.array([0.01, 0.01, 1.0, 1.0, 1.0, 5e3])
OF_COLUMNS = {
    "FGM": FGMClassifier(3, C="fast"),
    "FGM, quantities": FGMRegressor(3, C="fast"),
    "direct, soft": DirectSparsityClassifier(3, margin="soft"),
    "direct, hard": DirectSparsityClassifier(3, margin="hard"),
    "direct, penalised": DirectSparsityClassifier(3, penalize_intercept=True),
    "direct, of several p": DirectSparsityClassifier(3, p=[0.5, 1.0]),
    "RFS": RFSClassifier(3),
    "RFS, of several alphas": RFSClassifier(3, alpha=[0.1, 1.0]),
    "RFS, quantities": RFSRegressor(3),
}
BAGS = {
    "MILES": MILESClassifier(3, C="fast"),
    "MILES, each class": MILESClassifier(2, C="fast", per_class=True, max_rounds=2),
    "dictionary": DictionaryMILClassifier(3, max_iter=3, random_state=0),
}


def target(model):
    return Y if "Regressor" in type(model).__name__ else np.median(Y) < Y


def fitted(model, data, scale=None, **options):
    return clone(model).set_params(scale=scale, **options).fit(data, target(model))


def said(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit()
    return model, [str(one.message) for one in caught if "units" in str(one.message)]


@pytest.mark.parametrize(
    "name", [name for name, cls in ESTIMATORS.items() if "scale" in defaults(cls)]
)
def test_everyone_says_what_was_done(name):
    data = X if name not in OF_BAGS else Bags.of_sizes(X, np.full(40, 2))
    y = Y if "Regressor" in name else Y > 0
    model = quick(name, 2, scale="std").fit(data, y[: len(data)])
    assert model.scaling_ == "std"


@pytest.mark.parametrize("model", OF_COLUMNS.values(), ids=OF_COLUMNS)
def test_columns_in_different_units_have_deviation_one(model):
    (open_, told), std = said(lambda: fitted(model, X * UNITS)), fitted(model, X * UNITS, "std")
    assert (open_.scaling_, told) == ("std", [])
    np.testing.assert_array_equal(open_.coef_, std.coef_)
    np.testing.assert_array_equal(open_.intercept_, std.intercept_)
    for mine, theirs in zip(
        *(getattr(one, "cv_results_", {}).values() for one in (open_, std)), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("model", OF_COLUMNS.values(), ids=OF_COLUMNS)
def test_columns_of_one_kind_stay_as_they_are(model):
    open_, raw = fitted(model, X), fitted(model, X, "raw")
    assert open_.scaling_ is raw.scaling_ is None
    np.testing.assert_array_equal(open_.coef_, raw.coef_)
    assert raw.objective_ != pytest.approx(fitted(model, X, "norm").objective_)


@pytest.mark.parametrize("model", OF_COLUMNS.values(), ids=OF_COLUMNS)
def test_the_same_as_columns_that_were_divided_before(model):
    data = X * np.array([1.0, 3.0, 0.2, 5.0, 1.0, 10.0])
    model = clone(model).set_params(**({"tol": 1e-9} if hasattr(model, "max_iter") else {}))
    for scale, sizes in (("std", data.std(axis=0)), ("norm", np.linalg.norm(data, axis=0))):
        mine, theirs = fitted(model, data, scale), fitted(model, data / sizes, "raw")
        np.testing.assert_array_equal(mine.support_ids_, theirs.support_ids_)
        scaled = mine.weights_ * sizes[mine.support_ids_]
        np.testing.assert_allclose(scaled, theirs.weights_, rtol=1e-4, atol=1e-6)
        assert mine.objective_ == pytest.approx(theirs.objective_, rel=1e-6)


@pytest.mark.parametrize("name", ["direct, of several p", "RFS, of several alphas"])
def test_folds_have_the_unit_of_all_rows(name):
    """Without the one row that tells it a fold would be compared as it is."""
    data = X * np.array([0.02, 0.02, 1.0, 1.0, 1.0, 5.0])
    assert fitted(OF_COLUMNS[name], data).scaling_ is None
    data[5, 5] = 500.0
    open_, std = fitted(OF_COLUMNS[name], data), fitted(OF_COLUMNS[name], data, "std")
    assert open_.scaling_ == "std"
    np.testing.assert_array_equal(open_.cv_results_["scores"], std.cv_results_["scores"])


@pytest.mark.parametrize(
    ("model", "convert"),
    [
        (DirectSparsityClassifier(3, C=1.0), np.asarray),
        (DirectSparsityClassifier(3), sp.csr_array),
        (RFSClassifier(3), sp.csc_array),
        (RFSRegressor(3), sp.csc_array),
    ],
)
def test_what_stays_in_its_units_is_told(model, convert):
    model, [sentence] = said(lambda: fitted(model, convert(X * UNITS)))
    assert model.scaling_ is None
    assert "'x5' ranges over" in sentence
    assert "scale='std'" in sentence
    for scale in ("raw", "std"):
        assert said(lambda scale=scale: fitted(model, convert(X * UNITS), scale))[1] == []


def test_rows_without_weight_have_no_unit():
    data, weight = X.copy(), np.ones(len(X))
    data[:3, 1] *= 1e6
    weight[:3] = 0.0
    for model in (DirectSparsityClassifier(3), RFSClassifier(3)):
        assert model.fit(data, Y > 0, sample_weight=weight).scaling_ is None
        assert model.fit(data, Y > 0).scaling_ == "std"


@pytest.mark.parametrize("model", BAGS.values(), ids=BAGS)
class TestOfBags:
    """The default is "std"; None and "raw" are as elsewhere."""

    def fit(self, model, units, **options):
        bags = Bags.of_sizes(X * units, np.full(40, 2))
        y = np.digitize(Y[::2], np.quantile(Y[::2], [0.33, 0.67]))
        return clone(model).set_params(**options).fit(bags, y)

    def test_different_units(self, model):
        std, open_ = self.fit(model, UNITS), self.fit(model, UNITS, scale=None)
        assert std.scale == std.scaling_ == open_.scaling_ == "std"
        np.testing.assert_array_equal(std.weights_, open_.weights_)
        assert not np.array_equal(std.gamma_, self.fit(model, UNITS, scale="raw").gamma_)

    def test_one_kind(self, model):
        raw, open_ = (self.fit(model, 1.0, scale=scale) for scale in ("raw", None))
        assert raw.scaling_ is open_.scaling_ is None
        np.testing.assert_array_equal(raw.weights_, open_.weights_)

    def test_a_width_of_the_user_is_in_the_units_of_the_columns(self, model):
        model, told = said(lambda: self.fit(model, UNITS, scale=None, gamma=1e-8))
        assert model.scaling_ is None
        assert set(told)
        assert all("'x5' ranges over" in one for one in told)

    def test_new_bags_after_saving(self, model, tmp_path):
        model = self.fit(model, UNITS, scale=None)
        save_model(model, tmp_path / "model.handful")
        again, new = (
            load_model(tmp_path / "model.handful"),
            Bags.of_sizes(X[::-1] * UNITS, np.full(40, 2)),
        )
        assert again.scaling_ == "std"
        np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))

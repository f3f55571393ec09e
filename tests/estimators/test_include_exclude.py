"""Features that must be in the model, and features that must not."""

import numpy as np
import pandas as pd
import pytest
from problems import TRUE_IDS, quantities, two_classes

from handful import FGMClassifier, FGMRegressor
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

NAMES = [f"gene {j}" for j in range(60)]
FORMS = {
    "ids": list,
    "array": np.array,
    "names": lambda ids: [NAMES[j] for j in ids],
    "index": lambda ids: pd.Index([NAMES[j] for j in ids]),
    "mask": lambda ids: np.isin(np.arange(60), ids),
    "truth values": lambda ids: np.isin(np.arange(60), ids).tolist(),
}
in_any_form = pytest.mark.parametrize("form", FORMS)
in_any_mode = pytest.mark.parametrize("mode", [{}, {"n_features_to_select": 5}])
with_any_solver = pytest.mark.parametrize("solver", ["auto", "apg", "ksupport", "mkl"])


@pytest.fixture(scope="module")
def table():
    X, y = two_classes()
    return pd.DataFrame(X, columns=NAMES), y


@in_any_form
@in_any_mode
def test_every_form(table, form, mode):
    include, exclude = [50, 2], [3, 17]
    given = {"include": FORMS[form](include), "exclude": FORMS[form](exclude)}
    model = FGMClassifier(**mode, **given, C="fast").fit(*table)
    assert set(include) <= set(model.support_ids_)
    assert not set(exclude) & set(model.support_ids_)
    expected = FGMClassifier(**mode, include=include, exclude=exclude, C="fast").fit(*table)
    np.testing.assert_array_equal(model.weights_, expected.weights_)


def test_one_name_or_one_id(table):
    by_name = FGMClassifier(3, include="gene 50", C="fast").fit(*table)
    by_id = FGMClassifier(3, include=50, C="fast").fit(*table)
    np.testing.assert_array_equal(by_name.support_ids_, by_id.support_ids_)
    assert 50 in by_name.support_ids_


@with_any_solver
def test_included_features_count_towards_k(table, solver):
    model = FGMClassifier(5, include=[50, 2], solver=solver, max_rounds=4).fit(*table)
    assert len(model.support_ids_) == 5
    assert {2, 50} <= set(model.support_ids_)


@with_any_solver
@pytest.mark.parametrize("refit", [True, False])
def test_all_k_included(table, solver, refit):
    """Nothing is left to choose: the certificate says that this is the best such model."""
    model = FGMClassifier(2, include=[3, 50], solver=solver, refit=refit).fit(*table)
    assert model.support_ids_.tolist() == [3, 50]
    assert model.dual_gap_ <= 1e-6 * model.objective_
    assert np.abs(model.weights_).min() > 0


@with_any_solver
@pytest.mark.parametrize("k", [None, 2])
def test_only_the_included_features_may_be_used(solver, k):
    X, y = quantities()
    model = FGMRegressor(
        k, include=[3, 50], exclude=np.setdiff1d(np.arange(60), [3, 50]), solver=solver, refit=False
    ).fit(X, y)
    assert model.support_ids_.tolist() == [3, 50]
    assert abs(model.weights_[0, 0]) > 0.1
    assert model.dual_gap_ <= 1e-6 * model.objective_


@pytest.mark.parametrize("loss", ["f1", "squared_hinge", "accuracy", "roc_auc"])
@pytest.mark.parametrize("targets", ["two classes", "three classes", "labels"])
@pytest.mark.parametrize("others", ["none", "constant", "excluded"])
def test_where_all_that_varies_is_included_C_follows_from_it(loss, targets, others):
    """As if there were no include: which features there will be is known either way."""
    X = two_classes()[0][:, :5]
    y = {
        "two classes": X[:, 0] > 0,
        "three classes": X[:, :3].argmax(axis=1),
        "labels": (X[:, :2] > 0).astype(int),
    }[targets]
    expected = FGMClassifier(5, loss=loss, C="fast").fit(X, y)
    wider = np.c_[X, np.full(len(X), 3.7)] if others != "none" else X
    exclude = [5] if others == "excluded" else None
    model = FGMClassifier(5, loss=loss, C="fast", include=range(5), exclude=exclude).fit(wider, y)
    assert model.support_ids_.tolist() == [0, 1, 2, 3, 4]
    assert pytest.approx(expected.C_) == model.C_
    scores, wanted = model.decision_function(wider), expected.decision_function(X)
    # Measures are solved to a thousandth of the objective.
    np.testing.assert_allclose(scores, wanted, atol=0.05 * np.abs(wanted).max())


def test_a_constant_leaves_a_ranking_no_choice_without_an_intercept_too():
    X = two_classes()[0][:, :5]
    y, settings = X[:, 0] > 0, {"loss": "roc_auc", "C": "fast", "fit_intercept": False}
    model = FGMClassifier(5, include=range(5), **settings).fit(np.c_[X, np.full(len(X), 3.7)], y)
    assert pytest.approx(FGMClassifier(5, **settings).fit(X, y).C_) == model.C_


def test_included_features_are_outside_the_budget():
    X, y = two_classes()
    model = FGMClassifier(budget=2, max_rounds=1, include=[50, 51, 52], tol=1e-9).fit(X, y)
    assert {50, 51, 52} < set(model.support_ids_)
    assert len(model.support_ids_) == 5


def test_useless_features_stay_when_included():
    X, y = two_classes()
    X[:, 7] = 1.0
    for k in (None, 3):
        assert 7 in FGMClassifier(k, include=[7], C="fast").fit(X, y).support_ids_


def test_all_true_features_excluded(table):
    model = FGMClassifier(4, exclude=TRUE_IDS, C="fast").fit(*table)
    assert len(model.support_ids_) == 4
    assert not set(TRUE_IDS) & set(model.support_ids_)


def test_empty_choices_are_no_choices(table):
    plain = FGMClassifier(4, C="fast").fit(*table)
    empty = FGMClassifier(4, include=[], exclude=np.zeros(60, dtype=bool), C="fast").fit(*table)
    np.testing.assert_array_equal(plain.weights_, empty.weights_)


class TestNamesOfMadeFeatures:
    """With ``space`` a feature is called as ``get_feature_names_out`` calls it."""

    @pytest.mark.parametrize(
        ("wanted", "name"),
        [
            *(("gene 7", "gene 7"), ("gene 7^2", "gene 7^2")),
            *(("gene 7 gene 30", "gene 7 gene 30"), ("gene 30 gene 7", "gene 7 gene 30")),
        ],
    )
    def test_pairs(self, table, wanted, name):
        model = FGMClassifier(3, include=[wanted], C="fast", space=Polynomial()).fit(*table)
        assert name in model.get_feature_names_out()

    def test_they_are_the_ids(self, table):
        space, names = Polynomial().sized(60), list(table[0].columns)
        position = {name: [j] for j, name in enumerate(names)}
        for ids in np.array_split(np.arange(space.n_features), 50):
            found = [
                space.find(name, lambda x: position.get(x, [])) for name in space.names(ids, names)
            ]
            assert found == [[j] for j in ids.tolist()]

    def test_pairs_that_must_not(self, table):
        X, _ = table
        y = X["gene 3"] * X["gene 17"] > 0
        given = {"C": "fast", "space": Polynomial()}
        assert FGMClassifier(1, **given).fit(X, y).get_feature_names_out() == ["gene 3 gene 17"]
        model = FGMClassifier(1, exclude=["gene 17 gene 3"], **given).fit(X, y)
        assert "gene 3 gene 17" not in model.get_feature_names_out()

    @pytest.mark.parametrize("space", [HistogramIntersection(), AdditiveKernel()])
    def test_kernels(self, table, space):
        model = FGMClassifier(3, include=["gene 7"], exclude=["gene 3"], C="fast", space=space)
        model.fit(*table)
        assert 7 in model.support_ids_
        assert 3 not in model.support_ids_

    def test_unknown_names(self, table):
        for name in ("gene 99", "gene 1 gene 99", "gene 99^2", "gene 1 gene 1"):
            with pytest.raises(ValueError, match=f"include has the unknown feature '{name[:6]}"):
                FGMClassifier(include=[name], space=Polynomial()).fit(*table)

    def test_a_name_of_two_features(self, table):
        X, y = table
        X = X.rename(columns={"gene 0": "a", "gene 1": "b", "gene 2": "a b"})
        with pytest.raises(ValueError, match="include has 'a b', the name of two features"):
            FGMClassifier(include=["a b"], space=Polynomial()).fit(X, y)


@pytest.mark.parametrize("loss", ["f1", "roc_auc"])
def test_include_under_a_measure(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    y = np.sign(X[:, 0] + 0.3 * rng.standard_normal(60))
    model = FGMClassifier(3, loss=loss, C=0.01, include=[4, 6]).fit(X, y)
    assert model.support_ids_.tolist() == [0, 4, 6]

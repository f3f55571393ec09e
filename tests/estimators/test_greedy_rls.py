"""The estimators of greedy RLS: attributes, shorter models, budgets, progress, checkpoints, files."""

import os
import pickle
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from problems import N_FEATURES, TRUE_IDS, features, more_classes, quantities, scores, two_classes
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.history import History
from handful.status import Status

K = len(TRUE_IDS)
SETTINGS = [
    {},
    {"n_features_to_select": 1},
    {"n_features_to_select": None},
    {"alpha": [0.1, 1.0, 10.0]},
    {"fit_intercept": False},
    {"n_jobs": 2},
]
PER_OUTPUT = [
    {"alpha_per_output": True},
    {"alpha_per_output": [0.1, 10.0], "alpha": [1.0, 5.0], "fit_intercept": False},
]


@pytest.mark.exhaustive
@parametrize_with_checks(
    [GreedyRLSClassifier(**setting) for setting in SETTINGS[1:]]
    + [GreedyRLSRegressor(**setting) for setting in SETTINGS[1:]]
)
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)


@parametrize_with_checks([GreedyRLSClassifier(), GreedyRLSRegressor()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [GreedyRLSClassifier(**PER_OUTPUT[0]), GreedyRLSRegressor(**PER_OUTPUT[0])]
)
def test_scikit_learn_check_of_alphas_of_outputs(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [GreedyRLSClassifier(**PER_OUTPUT[1]), GreedyRLSRegressor(**PER_OUTPUT[1])]
)
def test_scikit_learn_check_of_alphas_of_outputs_in_more_settings(estimator, check):
    check(estimator)


def many_labels():
    X = features()
    return X, (scores(X, 5) > 0).astype(int)


def many_quantities():
    X = features()
    return X, scores(X, 5)


CASES = {
    "two classes": (GreedyRLSClassifier, two_classes, (1,)),
    "four classes": (GreedyRLSClassifier, lambda: more_classes(4), (4,)),
    "labels": (GreedyRLSClassifier, many_labels, (5,)),
    "quantity": (GreedyRLSRegressor, quantities, ()),
    "quantities": (GreedyRLSRegressor, many_quantities, (5,)),
}
ATTRIBUTES = {
    *("support_ids_", "weights_", "intercept_", "objective_", "selection_order_", "loo_errors_"),
    *("loo_path_", "alphas_", "alpha_", "alpha_path_", "history_", "n_iter_", "status_"),
    *("n_features_in_", "path_", "dual_gap_"),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def public(model):
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


def test_attributes(case):
    make, draw, outputs = case
    X, y = draw()
    model = make(K).fit(X, y)
    classifier = {"classes_"} if make is GreedyRLSClassifier else set()
    labels = {"label_values_"} if make is GreedyRLSClassifier and np.ndim(y) == 2 else set()
    assert public(model) == ATTRIBUTES | classifier | labels
    np.testing.assert_array_equal(model.support_ids_, TRUE_IDS)
    assert model.support_ids_.dtype == model.selection_order_.dtype == np.int64
    np.testing.assert_array_equal(np.sort(model.selection_order_), TRUE_IDS)
    assert model.weights_.shape == (max(outputs, default=1), K)
    assert model.coef_.shape == (*outputs, N_FEATURES)
    assert np.shape(model.intercept_) == outputs
    np.testing.assert_array_equal(np.atleast_2d(model.coef_)[:, TRUE_IDS], model.weights_)
    assert model.loo_errors_.shape == (K,)
    assert (np.diff(model.loo_errors_) < 0).all()
    np.testing.assert_array_equal(model.loo_path_[:, 0], model.loo_errors_)
    assert isinstance(model.history_, History)
    assert [record.objective for record in model.history_] == model.loo_errors_.tolist()
    assert [record.n_active for record in model.history_] == list(range(1, K + 1))
    assert {record.phase for record in model.history_} == {"add"}
    assert model.n_iter_ == K
    assert model.status_ is Status.CHOSEN


def test_predictions(case):
    make, draw, _ = case
    X, y = draw()
    model = make(K).fit(X, y)
    predictions = model.predict(X)
    assert predictions.shape == y.shape
    raw = X @ np.atleast_2d(model.coef_).T + model.intercept_
    ours = model.decision_function(X) if make is GreedyRLSClassifier else predictions
    np.testing.assert_allclose(ours.reshape(raw.shape), raw, atol=1e-12)
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize(
    "code",
    [
        lambda Y: Y.astype(bool),
        lambda Y: 2 * Y - 1,
        lambda Y: Y.astype(np.float64),
        sp.csr_array,
        lambda Y: pd.DataFrame(Y, columns=list("abcde")),
    ],
)
def test_labels_in_any_form(code):
    X, Y = many_labels()
    expected = GreedyRLSClassifier(3).fit(X, Y)
    coded = code(Y)
    model = GreedyRLSClassifier(3).fit(X, coded)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-12)
    values = np.unique(coded.toarray() if sp.issparse(coded) else np.asarray(coded))
    np.testing.assert_array_equal(np.unique(model.predict(X)), values)
    np.testing.assert_array_equal(model.predict(X) == 1, expected.predict(X) == 1)


def test_alphas_of_outputs_are_gone_after_a_fit_without():
    model = GreedyRLSClassifier(3, alpha_per_output=True).fit(*many_labels())
    assert model.output_alphas_.shape == (5,)
    assert not hasattr(
        model.set_params(alpha_per_output=False).fit(*many_labels()), "output_alphas_"
    )


def test_labels_and_then_classes():
    model = GreedyRLSClassifier(3).fit(*many_labels())
    X, y = two_classes()
    assert model.fit(X, y).predict(X).shape == y.shape
    assert not hasattr(model, "label_values_")


def test_transform_and_names():
    X, y = two_classes()
    table = pd.DataFrame(X, columns=[f"gene {j}" for j in range(N_FEATURES)])
    model = GreedyRLSClassifier(K, include=["gene 50"], exclude=["gene 3"]).fit(table, y)
    assert model.selection_order_[0] == 50
    assert 3 not in model.support_ids_
    chosen = model.set_output(transform="pandas").transform(table)
    assert chosen.columns.tolist() == [f"gene {j}" for j in model.support_ids_]
    np.testing.assert_array_equal(np.flatnonzero(model.get_support()), model.support_ids_)
    np.testing.assert_array_equal(model.get_support(indices=True), model.support_ids_)


def same(model, expected):
    assert public(model) == public(expected)
    # A shorter path still has the data and the bound of the longer one.
    for name in public(expected) - {"history_", "path_", "dual_gap_"}:
        ours, theirs = getattr(model, name), getattr(expected, name)
        if np.asarray(theirs).dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
        else:
            np.testing.assert_array_equal(ours, theirs)
    assert [(r.number, r.n_active, r.objective) for r in model.history_] == [
        (r.number, r.n_active, r.objective) for r in expected.history_
    ]


TRUNCATED = {
    "one alpha": {},
    "grid": {"alpha": [0.1, 1.0, 10.0, 100.0]},
    "own alphas": {"alpha_per_output": True},
    "own alphas and grid": {"alpha": [0.1, 1.0, 100.0], "alpha_per_output": [0.1, 3.0, 1e3]},
    "own alphas and groups": {"alpha_per_output": True, "groups": np.arange(N_FEATURES) // 3},
    "include": {"include": [50]},
    "costs": {"feature_costs": np.linspace(1, 2, N_FEATURES)},
    "labelled groups": {"groups": np.arange(N_FEATURES) // 3},
    "overlapping groups": {"groups": [[1, 2, 3], [3, 4], [17, 29]]},
}


@pytest.mark.parametrize("name", TRUNCATED)
def test_truncate_is_a_fit_with_fewer(case, name):
    make, draw, _ = case
    X, y = draw()
    model = make(6, **TRUNCATED[name]).fit(X, y)
    for k in (1, 2, 5, 6):
        shorter = model.truncate(k)
        same(shorter, make(k, **TRUNCATED[name]).fit(X, y))
        assert shorter.n_features_to_select == k
        np.testing.assert_array_equal(
            shorter.truncate(1).support_ids_, model.truncate(1).support_ids_
        )
        np.testing.assert_array_equal(shorter.predict(X).shape, y.shape)
    assert len(model.selection_order_) == 6  # the long one is as it was


@pytest.mark.parametrize(("k", "least"), [(0, 1), (7, 1), (2.0, 1)])
def test_truncate_to_what_is_not_there(k, least):
    model = GreedyRLSClassifier(6).fit(*two_classes())
    with pytest.raises(ValueError, match=f"n_features_to_select must be .* from {least} to 6; got"):
        model.truncate(k)


def test_truncate_keeps_include():
    model = GreedyRLSClassifier(6, include=[1, 2]).fit(*two_classes())
    with pytest.raises(ValueError, match="from 2 to 6; got 1"):
        model.truncate(1)


def test_the_budget_is_spent_and_not_exceeded():
    X, y = quantities()
    costs = np.random.default_rng(0).uniform(1, 5, N_FEATURES)
    model = GreedyRLSRegressor(None, feature_costs=costs, max_cost=20.0).fit(X, y)
    assert model.status_ is Status.SPENT
    np.testing.assert_allclose(model.cost_path_, np.cumsum(costs[model.selection_order_]))
    left = 20.0 - model.cost_path_[-1]
    assert 0 <= left < np.delete(costs, model.support_ids_).min()


def test_a_dear_feature_waits():
    X, y = quantities()
    plain = GreedyRLSRegressor(K).fit(X, y)
    dear = plain.selection_order_[0]
    costs = np.ones(N_FEATURES)
    costs[dear] = 1000.0
    model = GreedyRLSRegressor(K, feature_costs=costs).fit(X, y)
    assert model.selection_order_[0] != dear


def test_groups_come_together_and_are_paid_once():
    X, y = quantities()
    groups = np.array([f"sensor {j // 6}" for j in range(N_FEATURES)])
    model = GreedyRLSRegressor(
        None, groups=groups, group_costs=dict.fromkeys(groups, 2.0), max_cost=7.0
    ).fit(X, y)
    np.testing.assert_array_equal(model.cost_path_, [2.0, 4.0, 6.0])
    assert len(model.support_ids_) == 18
    chosen = model.group_labels_[model.group_support_]
    assert set(groups[model.support_ids_]) == set(chosen)
    np.testing.assert_array_equal(np.sort(model.selection_order_), model.group_support_)


def test_one_hot_columns_are_groups():
    X, y = quantities()
    codes = np.random.default_rng(0).integers(0, 3, len(y))
    table = pd.DataFrame(X[:, :5], columns=list("abcde"))
    table[["colour_red", "colour_green", "colour_blue"]] = np.eye(3)[codes]
    model = GreedyRLSRegressor(1, groups="columns").fit(table, np.array([0.0, 5.0, 9.0])[codes])
    np.testing.assert_array_equal(model.support_ids_, [5, 6, 7])
    assert model.group_labels_[model.group_support_].tolist() == ["colour"]
    np.testing.assert_array_equal(model.truncate(1).support_ids_, [5, 6, 7])


def test_constant_columns_are_not_selected():
    X, y = two_classes()
    X[:, :55] = 1.7
    X[:, 30] = 0.0
    with pytest.warns(UserWarning, match="Only 5 of the 8 features asked for carry any signal"):
        model = GreedyRLSClassifier(8).fit(X, y)
    np.testing.assert_array_equal(model.support_ids_, np.arange(55, 60))
    assert model.status_ is Status.EXHAUSTED
    model = GreedyRLSClassifier(1, fit_intercept=False, exclude=range(55, 60)).fit(X, y)
    assert model.support_ids_[0] < 55  # without an intercept a constant is a feature


def test_of_equal_columns_the_first_is_taken():
    X, y = quantities()
    X[:, 10] = X[:, 3]
    order = GreedyRLSRegressor(5).fit(X, y).selection_order_
    assert 3 in order[:K]
    assert 10 not in order[:K]


@pytest.mark.parametrize("make_X", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_given_is_changed(make_X, dtype):
    X, y = two_classes()
    X = make_X(X.astype(dtype))
    before = X.copy()
    X_data = X.data if sp.issparse(X) else X
    X_data.flags.writeable = False
    GreedyRLSClassifier(3, alpha=[0.1, 1.0]).fit(X, y)
    assert abs(X - before).max() == 0
    assert X.dtype == dtype


@pytest.mark.parametrize(("dtype", "rel"), [(np.float32, 1e-5), (np.float64, 1e-8)])
@pytest.mark.parametrize("alpha", [1e-3, 10.0])
def test_steps_are_stable_over_hundreds(dtype, rel, alpha):
    """Strong correlations far from zero, 300 steps: errors are those of the model anew."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal((400, 20)) @ rng.standard_normal((20, 350))
    X = (100.0 + common + 0.1 * rng.standard_normal((400, 350))).astype(dtype)
    y = X[:, :10] @ rng.standard_normal((10, 4)) + rng.standard_normal((400, 4))
    model = GreedyRLSRegressor(300, alpha=alpha).fit(X, y)
    for k in (100, 200, 300):
        chosen = X[:, model.selection_order_[:k]].astype(np.float64)
        again = GreedyRLSRegressor(k, alpha=alpha, include=range(k)).fit(chosen, y)
        assert model.loo_errors_[k - 1] == pytest.approx(again.loo_errors_[-1], rel=rel)


def test_composition():
    X, Y = make_multilabel_classification(120, 30, n_classes=4, random_state=0)
    pipeline = make_pipeline(StandardScaler(), GreedyRLSClassifier(5))
    search = GridSearchCV(
        pipeline, {"greedyrlsclassifier__n_features_to_select": [2, 5]}, cv=2, scoring="f1_macro"
    )
    search.fit(X, Y)
    assert search.best_params_["greedyrlsclassifier__n_features_to_select"] in (2, 5)
    assert np.isfinite(cross_val_score(clone(pipeline), X, Y, scoring="roc_auc", cv=3)).all()
    model = search.best_estimator_[-1]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.truncate(2).weights_, model.truncate(2).weights_)


def test_verbose(capsys):
    seen = []
    GreedyRLSRegressor(3, verbose=seen.append).fit(*quantities())
    assert [record.number for record in seen] == [1, 2, 3]
    assert capsys.readouterr().out == ""
    GreedyRLSRegressor(3, verbose=True).fit(*quantities())
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(
        f"round   1  add        active     1  objective {seen[0].objective:.6g}"
    )
    assert "gap" not in lines[0]  # there is none


def test_ctrl_c(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(record):
        if record.number == 3:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        model = GreedyRLSClassifier(6, verbose=interrupt).fit(*two_classes())
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.status_ is Status.INTERRUPTED
    assert len(model.support_ids_) == 3


@pytest.mark.parametrize("groups", [None, np.arange(12) // 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_an_alpha_beside_which_columns_are_nothing_is_told(groups, fit_intercept):
    """The same columns in metres and in nanometres: predictions of the second are all but the mean."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 12))
    y = X[:, :3].sum(axis=1)
    model = GreedyRLSRegressor(2, groups=groups, fit_intercept=fit_intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
        clone(model).set_params(alpha=[1e-6, 1.0]).fit(1e-3 * X, y)
    with pytest.warns(UserWarning, match=r"^alpha=1 shrinks all predictions by more than 99 %"):
        model.fit(1e-3 * X, y)
    middle = y.mean() if fit_intercept else 0.0
    found = model.predict(1e-3 * X) - middle
    assert np.linalg.norm(found) < 0.01 * np.linalg.norm(y - middle)

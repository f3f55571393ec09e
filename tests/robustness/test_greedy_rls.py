"""Greedy RLS: wrong input gets one sentence, and a killed fit goes on to the identical result."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import N_FEATURES, features, quantities, scores, two_classes
from sklearn.exceptions import NotFittedError

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.sizes import changed_sizes

X, Y = two_classes()
LABELS = (scores(features(), 4) > 0).astype(int)
COSTS = np.linspace(1.0, 3.0, N_FEATURES)
PARAMETERS = {
    "k zero": (
        {"n_features_to_select": 0},
        "whole number of at least 1, a share between 0 and 1, or None; got 0",
    ),
    "k above the features": (
        {"n_features_to_select": 61},
        r"n_features_to_select=61 is more than the 60 features there are to choose from",
    ),
    "k above what exclude leaves": (
        {"n_features_to_select": 59, "exclude": [1, 2]},
        "n_features_to_select=59 is more than the 58 features that are left of 60 after exclude",
    ),
    "k below include": (
        {"n_features_to_select": 1, "include": [1, 2]},
        "n_features_to_select=1 is fewer than the 2 features of include",
    ),
    "include and exclude": ({"include": [3], "exclude": [3]}, "3 is in include and in exclude"),
    "alpha zero": ({"alpha": 0}, "alpha must be a number above 0; got 0"),
    "alpha negative": ({"alpha": -1.0}, "alpha must be a number above 0; got -1.0"),
    "alpha nan": ({"alpha": np.nan}, "alpha must be a number above 0; got nan"),
    "alpha in a grid": ({"alpha": [1.0, 0.0]}, "alpha must be a number above 0; got 0.0"),
    "alpha a word": ({"alpha": "auto"}, "alpha must be a number above 0 or a list of such"),
    "alpha empty": ({"alpha": []}, r"alpha must be a number above 0 or a list .*; got \[\]"),
    "alpha nested": ({"alpha": [[1.0]]}, "alpha must be a number above 0 or a list of such"),
    "alpha of outputs a word": (
        {"alpha_per_output": "auto"},
        "alpha_per_output must be True, False or a list of numbers above 0; got 'auto'",
    ),
    "alpha of outputs a number": (
        {"alpha_per_output": 1.0},
        "alpha_per_output must be True, False or a list of numbers above 0; got 1.0",
    ),
    "alpha of outputs None": ({"alpha_per_output": None}, "alpha_per_output must .*; got None"),
    "alpha of outputs empty": ({"alpha_per_output": []}, r"alpha_per_output must .*; got \[\]"),
    "alpha of outputs zero": (
        {"alpha_per_output": [1.0, 0.0]},
        "alpha_per_output must be a number above 0; got 0.0",
    ),
    "costs zero": (
        {"feature_costs": np.where(np.arange(60) == 4, 0.0, 1.0)},
        "feature_costs must be finite and above 0; feature 4 has 0",
    ),
    "costs negative": (
        {"feature_costs": np.where(np.arange(60) == 9, -2.0, 1.0)},
        "feature_costs must be finite and above 0; feature 9 has -2",
    ),
    "costs nan": ({"feature_costs": np.full(60, np.nan)}, "feature 0 has nan"),
    "costs too few": (
        {"feature_costs": np.ones(59)},
        r"feature_costs must hold one number for each of the 60 features; got shape \(59,\)",
    ),
    "costs a word": (
        {"feature_costs": "high"},
        "feature_costs must hold one number .*; got 'high'",
    ),
    "budget zero": ({"feature_costs": COSTS, "max_cost": 0}, "max_cost must be a number above 0"),
    "budget buys nothing": (
        {"feature_costs": COSTS, "max_cost": 0.5},
        "max_cost=0.5 buys nothing: the cheapest feature costs 1; raise max_cost",
    ),
    "budget buys no group": (
        {"feature_costs": COSTS, "max_cost": 1.5, "groups": np.arange(60) // 20},
        "max_cost=1.5 buys nothing: the cheapest group costs",
    ),
    "budget buys not what exclude leaves": (
        {"feature_costs": COSTS, "max_cost": 1.0, "exclude": [0]},
        "max_cost=1 buys nothing: the cheapest feature costs 1.03",
    ),
    "budget below include": (
        {"feature_costs": COSTS, "max_cost": 2.0, "include": [0, 1]},
        "include costs 2.03.*, which is more than max_cost=2; include less or raise max_cost",
    ),
    "budget without prices": ({"max_cost": 5.0}, "max_cost needs to know what features cost; give"),
    "group costs without groups": ({"group_costs": [1.0]}, "group_costs needs groups; give those"),
    "group costs too few": (
        {"groups": np.arange(60) // 20, "group_costs": [1.0, 2.0]},
        r"group_costs must hold one number for each of the 3 groups; got shape \(2,\)",
    ),
    "group costs zero": (
        {"groups": np.arange(60) // 20, "group_costs": [1.0, 2.0, 0.0]},
        "group_costs must be finite and above 0; group 2 has 0",
    ),
    "group costs by unknown label": (
        {"groups": ["a", "b"] * 30, "group_costs": {"a": 1.0}},
        "group_costs has no cost for the group 'b'",
    ),
    "group costs by label of lists": (
        {"groups": [[0, 1]], "group_costs": {"a": 1.0}},
        "group_costs can be a dictionary only when groups holds labels",
    ),
    "fit_intercept": ({"fit_intercept": None}, "fit_intercept must be True or False; got None"),
    "verbose": ({"verbose": "yes"}, 'verbose must be True, False, "bar" or a function'),
    "n_jobs": ({"n_jobs": 0}, "n_jobs must be a whole number"),
    "checkpoint": ({"checkpoint": 3}, "checkpoint must be the path of a file or None; got 3"),
}


def refused(model, X, y, sentence, **options):
    with pytest.raises(ValueError, match=sentence) as caught:
        model.fit(X, y, **options)
    assert "\n" not in str(caught.value) or "Input X contains" in str(caught.value)
    assert [name for name in vars(model) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name):
    parameters, sentence = PARAMETERS[name]
    refused(GreedyRLSClassifier(**parameters), X, Y, sentence)


def with_value(value):
    changed = X.copy()
    changed[6, 4] = value
    return changed


DATA = {
    "NaN": (with_value(np.nan), Y, "Input X contains NaN"),
    "infinite": (sp.csr_array(with_value(np.inf)), Y, "Input X contains infinity"),
    "y of another length": (X, Y[:-1], r"inconsistent numbers of samples: \[120, 119\]"),
    "labels of another length": (X, LABELS[:-1], r"numbers of samples: \[120, 119\]"),
    "y missing": (X, None, "requires y to be passed, but the target y is None"),
    "y with NaN": (X, np.where(Y == 1, np.nan, 0.0), "Input y contains NaN"),
    "labels with NaN": (X, np.where(LABELS == 1, np.nan, 0.0), "Input y contains NaN"),
    "y of one class": (X, np.ones(120), r"at least 2 classes; y has one class only \(1.0\)"),
    "y continuous": (X, X[:, 0], "y must hold one class for each sample, or .*; got continuous"),
    "several classes": (X, LABELS + np.arange(4), "got multiclass-multioutput targets"),
    "all labels constant": (X, LABELS * 0, "every column of y is constant, so no feature can"),
    "all zero": (np.zeros_like(X), Y, "No feature carries any signal: every column .* is constant"),
    "all constant": (sp.csc_array(np.full_like(X, 3.7)), Y, "No feature carries any signal"),
    "too large": (X * 1e160, Y, "The numbers in X or y are too large to compute with; rescale"),
    "too small": (X * 1e-150, Y, "The numbers in X or y are too small to compute with; rescale"),
}


@pytest.mark.parametrize("name", DATA)
def test_data(name):
    wrong, y, sentence = DATA[name]
    refused(GreedyRLSClassifier(3), wrong, y, sentence)


def test_a_constant_quantity():
    refused(GreedyRLSRegressor(3), X, np.full(120, 3.0), "y is constant, so no feature can say")
    y = np.where(np.arange(120) < 5, 1.0, 3.0)
    weight = np.where(np.arange(120) < 5, 0.0, 1.0)
    refused(GreedyRLSRegressor(3), X, y, "y is constant", sample_weight=weight)


@pytest.mark.parametrize(("factor", "size"), [(1e160, "large"), (1e-150, "small")])
def test_quantities_out_of_range(factor, size):
    _, y = quantities()
    refused(GreedyRLSRegressor(3), X, factor * y, f"numbers in X or y are too {size} to compute")


def test_constant_labels_are_told_and_have_no_say():
    """Folds of rare labels have such columns: they must not end a cross-validation."""
    more = np.insert(LABELS, [1, 1, 4], [0, 1, 0], axis=1)
    with pytest.warns(UserWarning, match="Column 1 of y and 2 more are constant and have no say"):
        model = GreedyRLSClassifier(4).fit(X, more)
    expected = GreedyRLSClassifier(4).fit(X, LABELS)
    np.testing.assert_array_equal(model.selection_order_, expected.selection_order_)
    predictions = model.predict(X)
    np.testing.assert_array_equal(np.delete(predictions, [1, 2, 6], axis=1), expected.predict(X))
    np.testing.assert_array_equal(predictions[:, [1, 2, 6]], np.tile([0, 1, 0], (120, 1)))


def test_weights_of_the_wrong_kind():
    refused(GreedyRLSClassifier(3), X, Y, "one number for each of the 120", sample_weight=[1.0])
    refused(GreedyRLSClassifier(3), X, Y, "zero for every sample", sample_weight=np.zeros(120))


def test_the_default_is_all_where_there_are_fewer():
    model = GreedyRLSClassifier().fit(X[:, :4], Y)
    np.testing.assert_array_equal(model.support_ids_, np.arange(4))


FITS = {
    "plain": {"n_features_to_select": 5},
    "grid": {"n_features_to_select": 3, "alpha": [0.1, 1.0, 10.0]},
    "own alphas": {"n_features_to_select": 4, "alpha": [0.1, 1.0], "alpha_per_output": True},
    "include": {"n_features_to_select": 5, "include": [7, 30]},
    "costs": {"n_features_to_select": None, "feature_costs": COSTS, "max_cost": 9.0},
    "groups": {"n_features_to_select": 4, "groups": np.arange(N_FEATURES) // 3},
    "overlap": {"n_features_to_select": 4, "groups": [[1, 2, 3], [3, 4, 17], [17, 29]]},
}
DRIFTS = {"no drift": {}, "always drifting": {"drift_float64": -1.0}}


class KilledError(Exception):
    """The process ends here."""


def killed_after(number):
    def kill(record):
        if record.number == number:
            raise KilledError

    return kill


def identical(model, expected):
    for name in ("selection_order_", "loo_path_", "support_ids_", "weights_", "intercept_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(expected, name))
    assert model.status_ is expected.status_
    assert [(r.number, r.n_active, r.objective) for r in model.history_] == [
        (r.number, r.n_active, r.objective) for r in expected.history_
    ]


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("name", FITS)
def test_a_killed_fit_goes_on_to_the_identical_result(name, kept, drift, tmp_path):
    with changed_sizes(usable_bytes=None if kept else 1, **DRIFTS[drift]):
        go_on_to_the_identical_result(name, tmp_path)


def go_on_to_the_identical_result(name, tmp_path):
    data = quantities()
    expected = GreedyRLSRegressor(**FITS[name]).fit(*data)
    for number in range(1, expected.n_iter_ + 1):
        path = tmp_path / f"after {number}"
        with pytest.raises(KilledError):
            GreedyRLSRegressor(**FITS[name], checkpoint=path, verbose=killed_after(number)).fit(
                *data
            )
        seen = []
        model = GreedyRLSRegressor(**FITS[name], checkpoint=path, verbose=seen.append).fit(*data)
        identical(model, expected)
        assert [record.number for record in seen] == list(range(number + 1, expected.n_iter_ + 1))


OTHERS = {
    "k": ({"n_features_to_select": 6}, lambda X, y: (X, y)),
    "alpha": ({"alpha": 2.0}, lambda X, y: (X, y)),
    "own alphas": ({"alpha_per_output": True}, lambda X, y: (X, y)),
    "costs": ({"feature_costs": COSTS}, lambda X, y: (X, y)),
    "y": ({}, lambda X, y: (X, y + 1.0)),
    "one entry": ({}, lambda X, y: (np.where(X[3, 3] == X, 0.0, X), y)),
    "weights": ({}, lambda X, y: (X, y, np.arange(1.0, 121.0))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_checkpoint_of_another_fit_is_refused(name, tmp_path):
    path = tmp_path / "c"
    data = quantities()
    GreedyRLSRegressor(5, checkpoint=path).fit(*data)
    parameters, change = OTHERS[name]
    model = GreedyRLSRegressor(**{"n_features_to_select": 5, "checkpoint": path} | parameters)
    with pytest.raises(ValueError, match="belongs to other data or other parameters"):
        model.fit(*change(*data))


def test_a_checkpoint_of_another_kind_is_refused(tmp_path):
    (tmp_path / "c").write_bytes(b"no checkpoint")
    with pytest.raises(ValueError, match="cannot be read"):
        GreedyRLSRegressor(5, checkpoint=tmp_path / "c").fit(*quantities())

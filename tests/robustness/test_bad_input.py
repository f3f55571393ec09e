"""Wrong input gets one clear sentence, and the estimator stays as it was."""

import copy
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from problems import quantities, two_classes
from sklearn.exceptions import NotFittedError

from handful import FGMClassifier, FGMRegressor
from handful.files import OutputError
from handful.losses import Logistic, Squared
from handful.spaces import Polynomial

X, Y = two_classes()
NAMES = [f"gene {j}" for j in range(X.shape[1])]
TABLE = pd.DataFrame(X, columns=NAMES)


def with_value(value):
    changed = X.copy()
    changed[6, 4] = value
    return changed


PARAMETERS = {
    "k zero": (
        {"n_features_to_select": 0},
        "whole number of at least 1, a share between 0 and 1, or None; got 0",
    ),
    "k negative": (
        {"n_features_to_select": -2},
        "whole number of at least 1, a share between 0 and 1, or None; got -2",
    ),
    "k a float": ({"n_features_to_select": 2.5}, "n_features_to_select must be a whole number"),
    "k true": ({"n_features_to_select": True}, "n_features_to_select must be a whole number"),
    "k a word": ({"n_features_to_select": "all"}, "n_features_to_select must be a whole number"),
    "k above the features": (
        {"n_features_to_select": 61},
        r"n_features_to_select=61 is more than the 60 features there are to choose from; ask for fewer",
    ),
    "k above what exclude leaves": (
        {"n_features_to_select": 59, "exclude": [1, 2]},
        "n_features_to_select=59 is more than the 58 features that are left of 60 after exclude",
    ),
    "k below include": (
        {"n_features_to_select": 1, "include": [1, 2]},
        "n_features_to_select=1 is fewer than the 2 features of include; ask for at least as many",
    ),
    "budget": ({"budget": 0}, "budget must be a whole number of at least 1; got 0"),
    "max_rounds": ({"max_rounds": 1.5}, "max_rounds must be a whole number of at least 1"),
    "C zero": ({"C": 0}, "C must be a number above 0 or 'auto' or 'fast'; got 0"),
    "C negative": ({"C": -1.0}, "C must be a number above 0 or 'auto' or 'fast'; got -1.0"),
    "C nan": ({"C": np.nan}, "C must be a number above 0 or 'auto' or 'fast'; got nan"),
    "C infinite": (
        {"C": np.inf},
        "C must lie between 1e-75 and 1e[+]75 or 'auto' or 'fast'; got inf",
    ),
    "C a word": ({"C": "large"}, "C must be a number above 0 or 'auto' or 'fast'; got 'large'"),
    "tol": ({"tol": 0.0}, "tol must be a number above 0; got 0.0"),
    "loss": (
        {"loss": "hinge"},
        "loss must be one of 'logistic', 'squared_hinge', 'accuracy', .*'prec@100', .*; got 'hinge'",
    ),
    "loss of regression": ({"loss": "squared"}, "loss must be one of 'logistic', 'squared_hinge'"),
    "loss instance of regression": ({"loss": Squared()}, r"got Squared\(\)"),
    "loss unhashable": ({"loss": ["logistic"]}, r"loss must be one of .*; got \['logistic'\]"),
    "loss class": ({"loss": Logistic}, "loss must be one of .* or a classification loss instance"),
    "scale": ({"scale": "max"}, "scale must be one of None, 'raw', 'norm', 'std'; got 'max'"),
    "solver": (
        {"solver": "sgd"},
        "solver must be one of 'auto', 'apg', 'ksupport', 'mkl'; got 'sgd'",
    ),
    "refit": ({"refit": "no"}, "refit must be one of True, False, 'auto', or a .*; got 'no'"),
    "fit_intercept": ({"fit_intercept": None}, "fit_intercept must be True or False; got None"),
    "warm_start": ({"warm_start": 2}, "warm_start must be True or False; got 2"),
    "verbose": (
        {"verbose": "yes"},
        'verbose must be True, False, "bar" or a function .*; got .yes.',
    ),
    "n_jobs zero": ({"n_jobs": 0}, "n_jobs must be a whole number, .* but not 0; got 0"),
    "n_jobs a word": ({"n_jobs": "all"}, "n_jobs must be a whole number, .*; got 'all'"),
    "checkpoint": ({"checkpoint": 3}, "checkpoint must be the path of a file or None; got 3"),
    "class_weight a word": (
        {"class_weight": "equal"},
        "class_weight must be a dictionary from class to number, 'balanced' or None; got 'equal'",
    ),
    "class_weight negative": (
        {"class_weight": {0: -1.0}},
        "class_weight must be finite and not negative; class 0 has -1",
    ),
    "class_weight nan": ({"class_weight": {1: np.nan}}, "class 1 has nan"),
    "class_weight of an unknown class": (
        {"class_weight": {7: 2.0}},
        "class_weight has 7, which is no class of y; its classes are 0, 1[.]$",
    ),
    "solver an array": ({"solver": np.array([1, 2])}, r"solver must be one of .*; got array"),
    "space a class": ({"space": Polynomial}, r"the class Polynomial, so write Polynomial\(\)[.]$"),
    "groups a dictionary": (
        {"groups": {"a": [0]}},
        "groups must hold one label .*; got a dict[.]$",
    ),
    "class_weight leaves one class": (
        {"class_weight": {0: 0.0}},
        r"needs samples of at least 2 classes; y has one class only \(1\) once those of weight "
        "zero are left out",
    ),
    "include and exclude overlap": (
        {"include": [3, 5], "exclude": [5, 7]},
        "feature 5 is in include and in exclude; take it out of one",
    ),
    "include below": ({"include": [-1]}, "include has the feature id -1; ids go from 0 to 59"),
    "exclude above": ({"exclude": [60]}, "exclude has the feature id 60; ids go from 0 to 59"),
    "include mask": (
        {"include": np.ones(59, dtype=bool)},
        r"include as a mask must have one entry for each of the 60 features; got shape \(59,\)",
    ),
    "include floats": ({"include": [1.0]}, "include must hold feature ids, feature names or be a"),
    "include mixed": ({"include": [1, "gene 2"]}, "include has the unknown feature '1'"),
    "include nested": ({"include": [[1, 2], [3, 4]]}, "include must be one list of features"),
    "include a set": ({"include": {1, 2}}, "feature names or be a mask; got a set[.]$"),
    "unknown name": (
        {"include": ["gene 2", "gene3"]},
        "include has the unknown feature 'gene3'; did you mean 'gene 3' or .*[?]$",
    ),
    "unknown name like no other": ({"exclude": ["zebra"]}, "unknown feature 'zebra'[.]$"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name):
    parameters, sentence = PARAMETERS[name]
    model = FGMClassifier(**parameters)
    with pytest.raises(ValueError, match=sentence) as caught:
        model.fit(TABLE, Y)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))
    nothing_fitted(model)


def nothing_fitted(model):
    assert [name for name in vars(model) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        model.predict(X)


DATA = {
    "NaN": (with_value(np.nan), Y, r"^Input X contains NaN \(row 6, column 4\); impute"),
    "infinite": (with_value(-np.inf), Y, r"^Input X contains infinity \(row 6, column 4\)"),
    "NaN in sparse": (sp.csr_array(with_value(np.nan)), Y, r"NaN \(row 6, column 4\)"),
    "NaN by columns": (sp.csc_array(with_value(np.nan)), Y, r"NaN \(row 6, column 4\)"),
    "NaN in a table": (TABLE.where(X.min() == X, np.nan), Y, r"NaN \(row \d, column 'gene 0'\)"),
    "None in a table": (
        TABLE.astype(object).where(X.max() > X, None),
        Y,
        r"None \(row \d+, column 'gene",
    ),
    "polars": (
        pl.DataFrame(with_value(np.nan), schema=NAMES),
        Y,
        r"NaN \(row 6, column 'gene 4'\)",
    ),
    "lists": (with_value(np.nan).tolist(), Y, r"NaN \(row 6, column 4\)"),
    "text": (
        TABLE.assign(**{"gene 4": "a"}),
        Y,
        "numbers, and row 0, column 'gene 4' holds 'a'; turn",
    ),
    "complex": (X * 1j, Y, "Complex data not supported"),
    "one dimension": (X[:, 0], Y, "Expected 2D array, got 1D array instead"),
    "no rows": (X[:0], Y[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], Y, r"Found array with 0 feature\(s\)"),
    "one row": (X[:1], Y[:1], r"Found array with 1 sample\(s\) .* minimum of 2 is required"),
    "y of another length": (X, Y[:-1], r"inconsistent numbers of samples: \[120, 119\]"),
    "y missing": (X, None, "requires y to be passed, but the target y is None"),
    "y with NaN": (
        X,
        np.where(Y == 1, np.nan, 0.0),
        r"^Input y contains NaN \(sample \d\); leave such samples out",
    ),
    "all zero": (np.zeros_like(X), Y, "No feature carries any signal: every column .* is constant"),
    "all zero sparse": (sp.csc_array(X.shape), Y, "No feature carries any signal"),
    "all constant": (np.full_like(X, 3.7), Y, "No feature carries any signal"),
    "too large": (X * 1e160, Y, "The numbers in X or y are too large to compute with; rescale"),
    "too small": (X * 1e-150, Y, "The numbers in X or y are too small to compute with; rescale"),
}


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
def test_data(make, name, k):
    data, y, sentence = DATA[name]
    model = make(k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=sentence):
            model.fit(data, y)
    nothing_fitted(model)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.zeros(120, dtype=int), r"at least 2 classes; y has one class only \(0\)[.]$"),
        (np.full(120, "ill"), r"at least 2 classes; y has one class only \('ill'\)[.]$"),
        (
            np.linspace(0, 1, 120),
            "one class for each sample, or one column of 0 and 1 for each label; got continuous",
        ),
        (np.stack([X[:, 0], X[:, 1]], axis=1), "got continuous-multioutput targets"),
    ],
    ids=["one number", "one word", "quantities", "two columns"],
)
def test_labels(labels, sentence):
    model = FGMClassifier(3, C="fast")
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, labels)
    nothing_fitted(model)


def test_targets_without_variation():
    with pytest.raises(ValueError, match="No feature carries any signal"):
        FGMRegressor(3, C="fast").fit(X, np.ones(len(X)))


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.where(np.arange(120) == 8, -0.5, 1.0), "must not be negative; sample 8 has -0.5"),
        (["heavy"] * 120, "^sample_weight must hold numbers: could not convert .*'heavy'"),
        (np.zeros(120), "sample_weight is zero for every sample; give at least one a weight"),
        (np.ones(119), r"one number for each of the 120 samples; got shape \(119,\)"),
        (np.ones((120, 2)), r"one number for each of the 120 samples; got shape \(120, 2\)"),
        (
            np.where(np.arange(120) == 8, np.nan, 1.0),
            "^sample_weight must be finite; sample 8 has nan[.]$",
        ),
        (Y.astype(float), r"y has one class only \(1\) once those of weight zero are left out"),
    ],
    ids=["negative", "words", "zero", "short", "two columns", "NaN", "one class"],
)
def test_sample_weight(weight, sentence):
    model = FGMClassifier(3, C="fast")
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, Y, sample_weight=weight)
    nothing_fitted(model)


@pytest.mark.parametrize("k", [3, 6])
def test_names_without_names(k):
    with pytest.raises(ValueError, match="include has feature names, but X has none; give ids"):
        FGMClassifier(k, include=["gene 3"], C="fast").fit(X, Y)


@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
@pytest.mark.parametrize("solver", ["auto", "apg", "ksupport", "mkl"])
def test_fewer_useful_features_than_asked_for(make, solver):
    """Zero columns, constant columns: what is useful is selected, and a warning says so."""
    few = np.zeros_like(X)
    few[:, [3, 17, 29]] = X[:, [3, 17, 29]]
    few[:, 40:50] = 2.5
    with pytest.warns(UserWarning, match="Only 3 of the 5 features asked for carry any signal; 3"):
        model = make(5, solver=solver).fit(few, Y)
    assert model.support_ids_.tolist() == [3, 17, 29]
    assert model.status_.name == "EXHAUSTED"
    assert model.score(few, Y) > (0.7 if make is FGMClassifier else 0.3)


def test_a_missing_folder_is_told_before_any_work(tmp_path):
    seen = []
    model = FGMClassifier(3, checkpoint=tmp_path / "nowhere" / "c", verbose=seen.append, C="fast")
    with pytest.raises(OutputError, match=r"the folder .*nowhere does not exist; create it first"):
        model.fit(X, Y)
    assert seen == []
    nothing_fitted(model)


def test_a_failed_fit_keeps_the_model_of_the_last_one():
    model = FGMClassifier(3, C="fast").fit(TABLE, Y)
    before, expected = copy.deepcopy(vars(model)), model.predict(TABLE)
    for bad_X, bad_y in [(X[:, :7], np.zeros(120)), (np.zeros((120, 9)), Y)]:
        with pytest.raises(ValueError, match=r"classes|signal"):
            model.fit(bad_X, bad_y)
    assert set(vars(model)) == set(before)
    assert model.n_features_in_ == 60
    np.testing.assert_array_equal(model.predict(TABLE), expected)


def test_prediction_on_other_columns():
    model = FGMClassifier(3, C="fast").fit(X, Y)
    for ask in (model.predict, model.decision_function, model.transform):
        with pytest.raises(
            ValueError, match="X has 59 features, but FGMClassifier is expecting 60"
        ):
            ask(X[:, 1:])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict(with_value(np.nan))


def test_infinite_targets():
    _, t = quantities()
    t[3] = np.inf
    with pytest.raises(ValueError, match="Input y contains infinity"):
        FGMRegressor(3, C="fast").fit(X, t)


@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, pd.DataFrame])
def test_targets_without_a_column(kind, make):
    """They were told of as if X had no features, or of arrays and dtypes."""
    with pytest.raises(ValueError, match="y has no columns; give what is to be predicted"):
        make(2).fit(X, kind(np.zeros((len(X), 0))))


def test_a_measure_that_looks_at_all_samples():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 5)), np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match=r"loss='prec@2p' is the same .* it looks at all samples"):
        FGMClassifier(2, loss="prec@2p").fit(X, y)


def test_quantities_in_a_sparse_matrix():
    X = np.random.default_rng(0).standard_normal((30, 5))
    with pytest.raises(ValueError, match=r"y is a sparse matrix; .* pass y.toarray\(\)"):
        FGMRegressor(2).fit(X, sp.csr_array(X[:, :2]))

"""``to_sklearn``: the same decisions from the chosen columns, without handful."""

import pickle

import numpy as np
import pandas as pd
import pytest
from problems import TRUE_IDS, features, more_classes, quantities, scores, two_classes
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from handful import (
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    SVMPerfClassifier,
    load_model,
    save_model,
)
from handful.datasets import make_bags
from handful.estimators._narrow import used_columns
from handful.spaces import AdditiveKernel, FeatureSpace, HistogramIntersection, Polynomial

K = len(TRUE_IDS)
NAMES = [f"gene {j}" for j in range(features().shape[1])]


def three_words():
    X, y = more_classes(3)
    return X, np.array(["a", "b", "c"])[y]


def several_quantities():
    X = features()
    return X, scores(X, 3)


def several_labels():
    X, Y = several_quantities()
    return X, (Y > 0).astype(int)


def fgm(**options):
    return FGMClassifier(K, C="fast", **options)


PRODUCTS = Polynomial(gamma=0.3, interaction_only=True, include_linear=False)
CASES = {
    "svm": (fgm(), two_classes, LinearSVC),
    "svm of three": (fgm(), three_words, LinearSVC),
    "logistic": (fgm(loss="logistic"), two_classes, LogisticRegression),
    "logistic of three": (fgm(loss="logistic"), three_words, OneVsRestClassifier),
    "a measure": (fgm(loss="f1"), two_classes, LinearSVC),
    "scaled": (fgm(scale="norm"), two_classes, LinearSVC),
    "regression": (FGMRegressor(K, C="fast"), quantities, Ridge),
    "greedy": (GreedyRLSClassifier(K), two_classes, RidgeClassifier),
    "greedy of three": (GreedyRLSClassifier(K), three_words, RidgeClassifier),
    "greedy labels": (GreedyRLSClassifier(K), several_labels, RidgeClassifier),
    "fgm labels": (fgm(), several_labels, RidgeClassifier),
    "logistic labels": (fgm(loss="logistic"), several_labels, OneVsRestClassifier),
    "fgm quantities": (FGMRegressor(K, C="fast"), several_quantities, Ridge),
    "greedy regression": (GreedyRLSRegressor(K), several_quantities, Ridge),
    "direct": (DirectSparsityClassifier(K, scale="std"), three_words, LinearSVC),
    "own refit": (
        DirectSparsityClassifier(K, refit=LogisticRegression()),
        two_classes,
        LogisticRegression,
    ),
    "rfs": (RFSClassifier(K), two_classes, RidgeClassifier),
    "rfs regression": (RFSRegressor(K), quantities, Ridge),
    "lasso": (MultiTaskLassoInf(n_features_to_select=K), several_quantities, Ridge),
    "svmperf": (SVMPerfClassifier(), two_classes, LinearSVC),
    "pairs": (fgm(space=Polynomial(coef0=0.5)), two_classes, Pipeline),
    "products": (fgm(space=PRODUCTS, loss="logistic"), three_words, Pipeline),
    "squares": (FGMRegressor(K, C="fast", space=Polynomial()), quantities, Pipeline),
    "intersection": (fgm(space=HistogramIntersection(n_levels=7)), two_classes, Pipeline),
    "gaussian": (FGMRegressor(K, C="fast", space=AdditiveKernel()), quantities, Pipeline),
}
METHODS = ("predict", "decision_function", "predict_proba")


@pytest.fixture(scope="module")
def fitted():
    """Fit each model once, on a table."""
    made = {}

    def fit(name):
        if name not in made:
            model, data, kind = CASES[name]
            X, y = data()
            made[name] = model.fit(pd.DataFrame(X, columns=NAMES), y), X, kind
        return made[name]

    return fit


def check_the_same(model, theirs, X, few):
    for method in METHODS:
        if hasattr(model, method) and method != "transform":
            ours, other = getattr(model, method)(X), getattr(theirs, method)(few)
            if ours.dtype.kind in "fc":
                np.testing.assert_allclose(other, ours, rtol=1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(other, ours)


@pytest.mark.parametrize("name", CASES)
def test_decisions_are_the_same(fitted, name):
    model, X, kind = fitted(name)
    theirs = model.to_sklearn()
    assert type(theirs) is kind
    names = [NAMES[j] for j in used_columns(model)]
    assert theirs.feature_names_in_.tolist() == names
    assert theirs.n_features_in_ == len(names)
    table = pd.DataFrame(X, columns=NAMES)
    check_the_same(model, theirs, table, table[names])
    check_the_same(model, pickle.loads(pickle.dumps(theirs)), table, table[names])


@pytest.mark.parametrize("name", ["svm of three", "pairs", "squares", "intersection"])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_sparse_rows(fitted, name):
    model, X, _ = fitted(name)
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    few = csr_array(X[:, used_columns(model)])
    check_the_same(model, model.to_sklearn(), csr_array(X), few)


@pytest.mark.parametrize("name", ["logistic of three", "greedy labels", "pairs", "gaussian"])
def test_of_a_loaded_model(fitted, name, tmp_path):
    model, X, _ = fitted(name)
    save_model(model, tmp_path / "m.handful")
    theirs = load_model(tmp_path / "m.handful").to_sklearn()
    table = pd.DataFrame(X, columns=NAMES)
    check_the_same(model, theirs, table, table[[NAMES[j] for j in used_columns(model)]])


@pytest.mark.parametrize("name", ["pairs", "products", "intersection"])
def test_made_columns_keep_their_names(fitted, name):
    model, *_ = fitted(name)
    names = model.to_sklearn()[:-1].get_feature_names_out()
    assert names.tolist() == model.get_feature_names_out().tolist()


def test_the_pairs_need_no_handful(fitted):
    content = pickle.dumps(fitted("pairs")[0].to_sklearn())
    assert b"handful" not in content


def test_without_names():
    X, y = two_classes()
    model = fgm().fit(X, y)
    theirs = model.to_sklearn()
    assert not hasattr(theirs, "feature_names_in_")
    check_the_same(model, theirs, X, X[:, model.support_ids_])


class Doubled(FeatureSpace):
    """A space of one's own that does not say which columns it needs."""

    def on(self, X):
        space = Doubled()
        space.X, (space.n_samples, space.n_features), space.dtype = X, X.shape, X.dtype
        return space

    def columns(self, ids):
        return 2.0 * self.X[:, ids]


def test_a_space_of_ones_own_needs_all_columns():
    X, y = two_classes()
    model = fgm(space=Doubled()).fit(X, y)
    check_the_same(model, model.to_sklearn(), X, X)


@pytest.mark.parametrize("model", [MILESClassifier(3), DictionaryMILClassifier(2, max_iter=2)])
def test_bags_say_why_not(model):
    data = make_bags(n_bags=30, random_state=0)
    model.fit(data.bags, data.y)
    with pytest.raises(ValueError, match="looks at bags of rows, for which scikit-learn has no"):
        model.to_sklearn()


def test_nothing_selected():
    X, y = quantities()
    model = MultiTaskLassoInf(alpha=1e3).fit(X, y)
    assert not len(model.support_ids_)
    with pytest.raises(ValueError, match="has selected no feature"):
        model.to_sklearn()

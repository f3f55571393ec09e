"""Probabilities: exact for the logistic loss, through scikit-learn for the others, and never pretended."""

import numpy as np
import pytest
from problems import two_classes
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsRestClassifier

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    GreedyRLSClassifier,
    MILESClassifier,
    RFSClassifier,
    SVMPerfClassifier,
)
from handful.losses import Logistic

K = 4


@pytest.fixture(scope="module")
def three():
    X, _ = two_classes()
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 3] + X[:, 17], [-1, 1])]


@pytest.mark.parametrize("loss", ["logistic", Logistic()])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_two_classes_have_the_sigmoid_of_the_decision(loss, storage):
    X, y = two_classes()
    model = FGMClassifier(K, loss=loss, C="fast").fit(storage(X), y)
    z = model.decision_function(storage(X))
    expected = 1 / (1 + np.exp(-z))
    probability = model.predict_proba(storage(X))
    np.testing.assert_allclose(
        probability, np.column_stack([1 - expected, expected]), rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(
        model.predict_log_proba(X), np.log(probability), rtol=1e-9, atol=1e-15
    )
    assert (model.classes_[probability.argmax(axis=1)] == model.predict(X)).all()


def test_they_are_those_of_scikit_learn_with_the_same_weights():
    X, y = two_classes()
    # With nothing left to choose the objective is that of LogisticRegression.
    model = FGMClassifier(
        2, loss="logistic", C=0.5, include=[3, 17], refit=False, tol=1e-9, solver="ksupport"
    ).fit(X, y)
    chosen = X[:, [3, 17]]
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(chosen, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(chosen), atol=1e-5)


def test_several_classes_are_those_of_one_against_the_rest(three):
    X, y = three
    model = FGMClassifier(K, loss="logistic", C="fast").fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(model.transform(X), y)
    for one, weights, intercept in zip(
        theirs.estimators_, model.weights_, model.intercept_, strict=True
    ):
        one.coef_, one.intercept_ = weights[None], np.array([intercept])
    expected = theirs.predict_proba(model.transform(X))
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability, expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), probability, rtol=1e-12)


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("weight", [None, "halves"])
def test_a_label_that_all_rows_have_is_as_good_as_certain(three, per_class, weight):
    """It had the sigmoid of 1, three in four, whatever the number of rows."""
    X, y = three
    labels = np.c_[y == "a", np.ones(len(y)), np.zeros(len(y))].astype(int)
    weight = None if weight is None else np.where(np.arange(len(y)) % 2, 0.0, 2.0)
    model = FGMClassifier(K, loss="logistic", per_class=per_class, C="fast")
    with pytest.warns(UserWarning, match="Label 1 and 1 more are the same for all samples"):
        model.fit(X, labels, sample_weight=weight)
    n = len(y) if weight is None else weight.sum()
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability[:, 1], (n + 1) / (n + 2))
    np.testing.assert_allclose(probability[:, 2], 1 / (n + 2))
    assert np.array_equal(model.predict(X)[:, 1:], labels[:, 1:])


def test_labels_have_a_probability_each(three):
    X, _ = three
    Y = np.column_stack([X[:, 3] > 0, X[:, 17] > 0.3]).astype(int)
    model = FGMClassifier(K, loss="logistic", C="fast").fit(X, Y)
    expected = 1 / (1 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected), rtol=1e-9)


def test_scores_far_below_zero_still_give_probabilities(three):
    X, y = three
    model = FGMClassifier(K, loss="logistic", C="fast").fit(X, y)
    model.intercept_ = np.array([-1e4, -2e4, -3e4])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.isfinite(model.predict_log_proba(X)).all()


@pytest.mark.parametrize(
    "model",
    [
        *(FGMClassifier(K), FGMClassifier(K, loss="f1"), FGMClassifier(loss="nonsense")),
        *(GreedyRLSClassifier(K), RFSClassifier(K), DirectSparsityClassifier(K)),
        *(SVMPerfClassifier(), DirectSparsityClassifier(refit=True), MILESClassifier()),
    ],
)
@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_hasattr_is_honest_and_the_error_says_what_to_do(model, method):
    assert not hasattr(model, method)
    with pytest.raises(AttributeError, match=f"has no attribute '{method}'") as caught:
        getattr(model, method)
    if getattr(model, "loss", None) != "nonsense":
        sentence = str(caught.value.__cause__)
        assert type(model).__name__ in sentence
        assert "CalibratedClassifierCV(model, ensemble=False).fit(X, y)" in sentence


def test_those_with_the_loss_have_them_before_a_fit():
    assert hasattr(FGMClassifier(loss="logistic"), "predict_proba")
    assert hasattr(MILESClassifier(loss="logistic"), "predict_log_proba")


def test_an_estimator_given_as_refit_may_have_them():
    X, y = two_classes()
    model = DirectSparsityClassifier(K, refit=LogisticRegression())
    assert hasattr(model, "predict_proba")
    model.fit(X, y)
    expected = model.estimator_.predict_proba(model.transform(X))
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected))


@pytest.mark.parametrize("loss", ["squared_hinge", "f1"])
def test_scikit_learns_calibration(loss):
    X, y = two_classes()
    model = FGMClassifier(K, loss=loss, C="fast")
    anew = CalibratedClassifierCV(model, ensemble=False, cv=3).fit(X[::2], y[::2])
    kept = CalibratedClassifierCV(FrozenEstimator(clone(model).fit(X[::2], y[::2])))
    kept.fit(X[1::2], y[1::2])
    for calibrated in (anew, kept):
        assert log_loss(y[1::2], calibrated.predict_proba(X[1::2])) < 0.6


def test_a_new_fit_forgets_the_calibration_of_an_old_one():
    X, y = two_classes()
    model = FGMClassifier(K, C="fast").fit(X, y)
    model.calibration_ = np.array([[2.0, -0.5]])
    z = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(0.5 - 2 * z)))
    assert not hasattr(model.fit(X, y), "predict_proba")

"""Measures on real data: certificates that close, and the selections of two losses that mean the same."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from handful import FGMClassifier, SVMPerfClassifier
from handful.measures import resolve_measure
from handful.status import Status

NAMES = ["accuracy", "f1", "f2", "prec@50", "rec@2p", "prbep", "roc_auc", "average_precision"]
SETS = ["tumours", "digits"]

every_measure = pytest.mark.parametrize("name", NAMES)
every_set = pytest.mark.parametrize("data", SETS)


def load(data):
    """Malignant tumours (569 x 30, 212 positive), or the digit 8 (1797 x 64, 174 positive)."""
    if data == "tumours":
        X, y = load_breast_cancer(return_X_y=True)
        return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 0, 1.0, -1.0)
    X, y = load_digits(return_X_y=True)
    return X / 16.0, np.where(y == 8, 1.0, -1.0)


@every_set
@every_measure
def test_gap_on_all_features_is_below_the_tolerance(data, name):
    X, y = load(data)
    model = SVMPerfClassifier(name, C=0.1, tol=1e-4, fit_intercept=True).fit(X, y)
    assert model.status_ is Status.CONVERGED
    risk = resolve_measure(name).risk(y, model.decision_function(X))
    objective = 0.5 * (model.coef_**2).sum() + 0.1 * risk
    assert model.objective_ == pytest.approx(objective, rel=1e-9)
    assert 0.0 <= model.dual_gap_ <= 1e-4 * objective
    other = SVMPerfClassifier(name, C=0.1, tol=1e-2, fit_intercept=True).fit(X, y)
    assert other.objective_ >= (model.objective_ - model.dual_gap_) * (1 - 1e-12)


@every_set
@pytest.mark.parametrize("name", ["accuracy", "f1", "rec@2p", "prbep"])
def test_gap_over_all_choices_of_features_is_below_the_tolerance(data, name):
    """Blocks of five features each; the rounds end when the objective no longer moves."""
    X, y = load(data)
    machine = {"loss": name, "budget": 5, "C": 0.001, "refit": False}
    model = FGMClassifier(**machine, tol=1e-4, max_rounds=100).fit(X, y)
    assert model.dual_gap_ <= FGMClassifier().tol * model.objective_
    bound = model.objective_ - model.dual_gap_
    for rounds in (1, 3):
        other = FGMClassifier(**machine, max_rounds=rounds).fit(X, y)
        assert other.objective_ >= bound * (1 - 1e-9)
    exact = FGMClassifier(5, loss=name, C=0.001, refit=False).fit(X, y)
    assert exact.objective_ >= bound * (1 - 1e-9)
    assert exact.objective_ - exact.dual_gap_ <= model.objective_ * (1 + 1e-9)


@every_set
@pytest.mark.parametrize("k", [5, 10])
def test_accuracy_selects_like_the_squared_hinge(data, k):
    """Chance would have k^2/30 of the tumours' features in common, or k^2/64 of the pixels."""
    X, y = load(data)
    accuracy, hinge = (
        FGMClassifier(k, loss=loss, C="fast").fit(X, y) for loss in ("accuracy", "squared_hinge")
    )
    shared = np.intersect1d(accuracy.support_ids_, hinge.support_ids_)
    assert len(shared) >= 0.5 * k
    # The squared hinge tells better what a feature is worth beside the others: it may be a little ahead.
    assert abs(accuracy.score(X, y) - hinge.score(X, y)) < 0.03

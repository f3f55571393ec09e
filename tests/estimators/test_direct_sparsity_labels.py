"""Direct sparsity on a matrix of labels: margins of each label, one set of features."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import RidgeClassifier

from handful import DirectSparsityClassifier, load_model, save_model

DECIDE = [2, 7, 20]


def draw(n=60):
    """Three labels, each decided by a column of its own, and no sample near a border."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 30))
    X[:, DECIDE] += 0.5 * np.sign(X[:, DECIDE])
    return X, (X[:, DECIDE] > 0).astype(int)


@pytest.mark.parametrize("margin", ["hard", "soft", "projected", "auto"])
def test_one_set_of_features_for_all_labels(margin):
    X, Y = draw()
    model = DirectSparsityClassifier(3, margin=margin).fit(X, Y)
    np.testing.assert_array_equal(model.support_ids_, DECIDE)
    np.testing.assert_array_equal(model.predict(X), Y)
    assert model.decision_function(X).shape == Y.shape
    assert model.weights_.shape == (3, 3)


def test_margins_of_every_label_are_kept():
    X, Y = draw()
    model = DirectSparsityClassifier(margin="hard", refit=False, p=1.0).fit(X, Y)
    assert model.feasible_
    assert ((2 * Y - 1) * model.decision_function(X)).min() >= 1 - 1e-6


@pytest.mark.parametrize("margin", ["hard", "soft"])
def test_classes_are_labels_of_which_each_sample_has_one(margin):
    X, _ = draw()
    y = X[:, DECIDE].argmax(axis=1)
    X[:, DECIDE] += 2.0 * (y[:, None] == np.arange(3))
    one = DirectSparsityClassifier(3, margin=margin).fit(X, y)
    other = DirectSparsityClassifier(3, margin=margin).fit(X, (y[:, None] == np.arange(3)) * 1)
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)


@pytest.mark.parametrize(
    "make", [sp.csr_array, sp.csc_matrix, lambda Y: Y == 1, lambda Y: 2 * Y - 1]
)
def test_forms_of_labels(make):
    X, Y = draw()
    model, expected = (DirectSparsityClassifier(3, p=[0.5, 1.0]).fit(X, y) for y in (make(Y), Y))
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    np.testing.assert_array_equal(model.predict(X) == 1, Y == 1)
    assert model.cv_results_["scores"].shape == (2, 3)


def test_labels_that_all_samples_have_are_told_and_skipped():
    X, Y = draw()
    more = np.insert(Y, [1, 3], [[1, 0]], axis=1)
    with pytest.warns(UserWarning, match="Label 1 and 1 more are the same for all samples"):
        model = DirectSparsityClassifier(3).fit(X, more)
    np.testing.assert_array_equal(model.predict(X), more)
    assert not model.weights_[[1, 4]].any()


def test_another_estimator_predicts_labels():
    X, Y = draw()
    model = DirectSparsityClassifier(3, refit=RidgeClassifier()).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.9


def test_a_model_file_brings_labels_back(tmp_path):
    X, Y = draw()
    model = DirectSparsityClassifier(3).fit(X, Y)
    save_model(model, tmp_path / "labels.handful")
    again = load_model(tmp_path / "labels.handful")
    np.testing.assert_array_equal(again.predict(X), Y)

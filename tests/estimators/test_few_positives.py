"""Few positives that a model parts from the rest: the threshold leaves room for those not seen."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from handful import FGMClassifier
from handful.measures import FBeta, Measure


def few(n_positive, n_samples=400, overlap=False, seed=0):
    """Words: positives share a few of six; all other words are anybody's."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_samples, 80)) < 0.1).astype(float)
    y = np.where(np.arange(n_samples) < n_positive, 1.0, -1.0)
    X[:n_positive, :6] = rng.random((n_positive, 6)) < 0.7
    X[n_positive:, :6] = rng.random((n_samples - n_positive, 6)) < 0.02
    if overlap:
        X[n_positive : 2 * n_positive] = X[:n_positive]
    return X, y


def share_of_the_gap(model, X, y):
    """Where 0 lies between the best negative (0) and the worst positive (1)."""
    scores = model.decision_function(X)
    best_negative, worst_positive = scores[y < 0].max(), scores[y > 0].min()
    return -best_negative / (worst_positive - best_negative)


class WithoutRoom(FBeta):
    """An F that does not say that few positives decide it: its threshold stays where it is."""

    name = "f_without_room"
    needs_positives = False


@pytest.mark.parametrize("n_positive", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0])
def test_a_twentieth_of_the_gap_for_each_positive(n_positive, beta):
    X, y = few(n_positive)
    before, after = (
        FGMClassifier(8, loss=measure(beta), C="fast").fit(X, y) for measure in (WithoutRoom, FBeta)
    )
    own, share = (share_of_the_gap(model, X, y) for model in (before, after))
    assert share == pytest.approx(min(own, n_positive / 20))
    np.testing.assert_array_equal(before.weights_, after.weights_)
    assert before.objective_ == after.objective_
    assert before.dual_gap_ == after.dual_gap_
    scores = after.decision_function(X)
    np.testing.assert_array_equal(after.predict(X), np.where(scores > 0, 1.0, -1.0))
    np.testing.assert_array_equal(after.predict(X), y)


def test_it_is_moved_at_all():
    X, y = few(2)
    assert share_of_the_gap(FGMClassifier(8, loss="f1", C="fast").fit(X, y), X, y) == pytest.approx(
        0.1
    )


@pytest.mark.parametrize("loss", ["f1", "f0.5"])
def test_copies_count_and_small_weights_are_still_positives(loss):
    X, y = few(3)
    weight = np.where(y > 0, 2.0, 1.0)
    model = FGMClassifier(8, loss=loss, C="fast").fit(X, y, sample_weight=weight)
    assert share_of_the_gap(model, X, y) == pytest.approx(6 / 20)
    model.fit(X, y, sample_weight=0.01 * weight)
    assert share_of_the_gap(model, X, y) == pytest.approx(3 / 20)


def test_more_of_the_unseen_are_found(fewer):
    """Fitted to three positives, judged by others."""
    gains = []
    for seed in range(fewer(12, 2)):
        X, y = few(60, 1200, seed=seed)
        seen = np.r_[:3, 60:600]
        unseen = np.r_[3:60, 600:1200]
        before, after = (
            FGMClassifier(6, loss=loss, C="fast").fit(X[seen], y[seen]).predict(X[unseen])
            for loss in (WithoutRoom(), "f1")
        )
        gains.append(f1_score(y[unseen], after) - f1_score(y[unseen], before))
    assert np.mean(gains) > 0.02


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({}, {"n_positive": 10}),
        ({}, {"n_positive": 5, "overlap": True}),
        ({"refit": False}, {"n_positive": 3}),
        ({"fit_intercept": False}, {"n_positive": 3}),
    ],
)
def test_elsewhere_it_stays(options, data):
    X, y = few(**data)
    before, after = (
        FGMClassifier(8, C="fast", loss=loss, **options).fit(X, y) for loss in (WithoutRoom(), "f1")
    )
    np.testing.assert_array_equal(before.intercept_, after.intercept_)
    np.testing.assert_array_equal(before.weights_, after.weights_)


@pytest.mark.parametrize("loss", ["accuracy", "squared_hinge"])
def test_where_all_samples_decide_it_stays(loss):
    X, y = few(3)
    model = FGMClassifier(8, C="fast", loss=loss).fit(X, y)
    assert share_of_the_gap(model, X, y) > 1.5 * 3 / 20


class WeightedRecallOfBoth(Measure):
    """A user's measure that takes weights: mean recall of both classes."""

    accepts_weight = True
    needs_positives = needs_negatives = True

    def value(self, y_true, scores):
        right = (scores > 0) == (y_true > 0)
        return 0.5 * (right[y_true > 0].mean() + right[y_true < 0].mean())

    def most_violated(self, y, z, weight=None):
        weight = np.ones(len(y)) if weight is None else weight
        totals = np.where(y > 0, weight[y > 0].sum(), weight[y < 0].sum())
        cost = 50 * weight / totals
        flipped = 2 * y * z * weight < cost
        return 2.0 * y * weight * flipped, float(cost[flipped].sum())


def test_weights_count_as_copies():
    """Four positives, of which one has no weight and another has two."""
    X, y = few(4)
    weight = np.ones(len(y))
    weight[:2] = 0.0, 2.0
    model = FGMClassifier(8, loss=WeightedRecallOfBoth(), C="fast").fit(X, y, sample_weight=weight)
    counts = weight > 0
    assert share_of_the_gap(model, X[counts], y[counts]) <= 4 / 20 + 1e-9


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_label_that_features_do_not_tell_has_no_weights_of_rounding(order):
    """Its answer is the more frequent one for every row, however the data lie in memory."""
    rng = np.random.default_rng(4)
    X = np.asarray(rng.standard_normal((100, 30)).round(3), order=order)
    labels = np.column_stack([X[:, 1] > 0, X[:, 2] + X[:, 1] > 0.5, np.arange(100) < 4])
    model = FGMClassifier(3, loss="f1").fit(X, labels.astype(int))
    assert model.weights_[2].tolist() == [0.0, 0.0, 0.0]
    assert model.intercept_[2] < 0
    assert not model.predict(X)[:, 2].any()
    assert np.abs(model.weights_[:2]).max(axis=1).min() > 1e-6

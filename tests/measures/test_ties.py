"""Tied scores: values are means over all orders, labelings go by position."""

import itertools

import numpy as np
import pytest
from labelings import MAKERS, random_case
from sklearn.metrics import average_precision_score, roc_auc_score

from handful.measures import PRBEP, AveragePrecision, FBeta, PrecisionAtK, RecallAtK, RocAuc

FIXED_COUNTS = ("prbep", "precision_at_k", "recall_at_k")


@pytest.mark.parametrize("name", FIXED_COUNTS)
def test_value_is_the_mean_over_all_orders_of_tied_samples(name):
    rng = np.random.default_rng(0)
    for _ in range(100):
        measure, y, _ = random_case(rng, name, most=6)
        scores = rng.integers(0, 3, len(y)).astype(float)
        n_positive = int(np.count_nonzero(y > 0))
        k = measure.n_predicted(len(y), n_positive)
        hits = []
        for order in itertools.permutations(range(len(y))):
            ranked = scores[list(order)]
            if (ranked[:-1] >= ranked[1:]).all():
                hits.append(np.count_nonzero(y[list(order)][:k] > 0))
        whole = k if name == "precision_at_k" else n_positive
        assert measure.value(y, scores) == pytest.approx(np.mean(hits) / whole)


def test_tied_rankings_count_as_scikit_learn_does():
    rng = np.random.default_rng(1)
    for _ in range(200):
        _, y, _ = random_case(rng, "roc_auc", most=30)
        scores = rng.integers(0, 5, len(y)).astype(float)
        assert RocAuc().value(y, scores) == pytest.approx(roc_auc_score(y, scores))
        assert AveragePrecision().value(y, scores) == average_precision_score(y, scores)
    assert RocAuc().value(np.array([1.0, -1.0]), np.zeros(2)) == 0.5


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_all_scores_tied_is_fine(name):
    y = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
    measure = MAKERS[name](np.random.default_rng(2), 5, 2)
    for level in (0.0, 3.0, -3.0):
        z = np.full(5, level)
        a, delta = measure.most_violated(y, z)
        assert delta - a @ z >= 0.0
        assert 0.0 <= measure.value(y, z) <= 1.0


def test_first_of_tied_samples_is_taken():
    """Nobody is told apart, so that the first negatives are called positive."""
    y = np.array([1.0, -1.0, -1.0, -1.0, 1.0])
    z = np.zeros(5)
    assert (y - PRBEP().most_violated(y, z)[0]).tolist() == [-1.0, 1.0, 1.0, -1.0, -1.0]
    # One hit is missing, and three negatives are in the list of four.
    third = pytest.approx(-2.0 / 3.0)
    assert PrecisionAtK(4).most_violated(y, z)[0].tolist() == [0.0, third, third, third, 2.0]
    assert RecallAtK(1).most_violated(y, z)[0].tolist() == [1.0, -2.0, 0.0, 0.0, 1.0]
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    labels = y - FBeta().most_violated(y, np.array([-8.0, 60.0, 60.0, -8.0]))[0]
    assert labels.tolist() == [1.0, 1.0, 1.0, -1.0]
    a, _ = AveragePrecision().most_violated(y, np.array([0.0, 0.2, 0.2, 0.0]))
    assert a[0] <= a[3] <= 0.0
    assert 0.0 <= a[1] <= a[2]


def test_a_pair_exactly_one_apart_is_not_wrong():
    y = np.array([1.0, -1.0])
    assert RocAuc().most_violated(y, np.array([1.0, 0.0]))[1] == 0.0
    assert RocAuc().most_violated(y, np.array([1.0, 1e-9]))[1] == 100.0


def test_labeling_without_a_hit_adds_only_negatives_above_zero():
    """Delta is 100 whatever is added then, so that a score of zero is left alone."""
    y, z = np.array([1.0, -1.0, -1.0, -1.0]), np.array([-90.0, 0.0, 2.0, -1.0])
    a, delta = FBeta().most_violated(y, z)
    assert (y - a).tolist() == [-1.0, -1.0, 1.0, -1.0]
    assert delta == 100.0

"""Values are those of scikit-learn, where it has them."""

import numpy as np
import pytest
from labelings import MAKERS, random_case
from sklearn.metrics import fbeta_score, precision_score, recall_score

from handful.measures import PRBEP, FBeta, PrecisionAtK, RecallAtK


def test_fbeta():
    rng = np.random.default_rng(0)
    for _ in range(200):
        measure, y, z = random_case(rng, "fbeta", most=40)
        predicted = np.where(z > 0, 1.0, -1.0)
        known = fbeta_score(y, predicted, beta=measure.beta, zero_division=0.0)
        assert measure.value(y, z) == pytest.approx(known, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "known_score"),
    [("precision_at_k", precision_score), ("recall_at_k", recall_score), ("prbep", recall_score)],
)
def test_fixed_counts_without_ties(name, known_score):
    rng = np.random.default_rng(1)
    for _ in range(200):
        measure, y, _ = random_case(rng, name, most=40)
        scores = rng.permutation(len(y)).astype(float)
        k = measure.n_predicted(len(y), int(np.count_nonzero(y > 0)))
        predicted = np.where(scores >= len(y) - k, 1.0, -1.0)
        assert measure.value(y, scores) == pytest.approx(known_score(y, predicted), abs=1e-15)


def test_perfect_scores():
    y = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
    for measure in (FBeta(0.3), FBeta(), PRBEP(), PrecisionAtK("p"), RecallAtK("p"), RecallAtK(4)):
        assert measure.value(y, y) == 1.0
    assert PrecisionAtK(4).value(y, y) == 0.5
    assert RecallAtK(1).value(y, y) == 0.5


def test_none_predicted_is_no_hit():
    assert FBeta().value(np.array([1.0, -1.0]), np.array([-1.0, -2.0])) == 0.0


@pytest.mark.parametrize("name", list(MAKERS))
def test_a_constant_changes_nothing_unless_there_is_a_threshold(name):
    rng = np.random.default_rng(2)
    same = []
    for _ in range(100):
        measure, y, _ = random_case(rng, name)
        scores = rng.integers(-3, 4, len(y)).astype(float)
        same.append(measure.value(y, scores) == measure.value(y, scores + 2.0))
        n_positive = int(np.count_nonzero(y > 0))
        if not measure.has_threshold and measure.n_predicted(len(y), n_positive) in (
            None,
            n_positive,
        ):
            assert measure.risk(y, scores + 2.0) == pytest.approx(measure.risk(y, scores))
    assert all(same) is not measure.has_threshold


def test_how_many_are_predicted():
    assert FBeta().n_predicted(10, 3) is None
    assert PRBEP().n_predicted(10, 3) == 3
    assert RecallAtK("2p").n_predicted(10, 3) == 6

"""Accuracy is the measure whose risk has a name of its own: the hinge loss."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from handful.measures import Accuracy


def hinge(y, z):
    return np.maximum(0.0, 1.0 - y * z).sum()


def cases(rng, count):
    for _ in range(count):
        n_samples = int(rng.integers(1, 200))
        yield rng.choice((-1.0, 1.0), n_samples), rng.normal(scale=2.0, size=n_samples)


def test_risk_is_twice_the_summed_hinge_loss():
    for y, z in cases(np.random.default_rng(0), 1000):
        assert Accuracy().risk(y, z) == pytest.approx(2.0 * hinge(y, z), rel=1e-13, abs=1e-13)


def test_risk_is_exact_where_the_arithmetic_is():
    rng = np.random.default_rng(1)
    for _ in range(1000):
        y, z = rng.choice((-1.0, 1.0), 50), rng.integers(-16, 17, 50) / 8.0
        assert Accuracy().risk(y, z) == 2.0 * hinge(y, z)


def test_value_is_that_of_scikit_learn():
    for y, z in cases(np.random.default_rng(2), 200):
        assert Accuracy().value(y, z) == accuracy_score(y, np.where(z > 0, 1.0, -1.0))


def test_a_score_of_zero_predicts_minus_one_as_the_classifiers_do():
    assert Accuracy().value(np.array([-1.0, 1.0]), np.zeros(2)) == 0.5
    assert Accuracy().value(np.array([-1.0, -1.0]), np.zeros(2)) == 1.0


def test_cost_is_two_for_each_wrong_label():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    assert Accuracy().delta(y, np.array([1.0, -1.0, 1.0, -1.0])) == 4.0

"""A measure of one's own is one class with two methods."""

import itertools

import numpy as np
import pytest

from handful.measures import Measure, known_measures, resolve_measure
from handful.metrics import measure_score


class BalancedAccuracy(Measure):
    """Mean of the recalls of both classes; its labelings are simply tried out."""

    def value(self, y_true, scores):
        right = (np.asarray(scores) > 0) == (y_true > 0)
        return 0.5 * (right[y_true > 0].mean() + right[y_true < 0].mean())

    def most_violated(self, y, z):
        def violation(labels):
            return self.delta(y, labels) - (y - labels) @ z

        labelings = map(np.array, itertools.product((-1.0, 1.0), repeat=len(y)))
        worst = max(labelings, key=violation)
        return y - worst, self.delta(y, worst)


y = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
z = np.array([2.0, -0.1, 0.4, -0.3, -30.0])


def test_it_works_through_the_contract():
    measure = resolve_measure(BalancedAccuracy())
    measure.check(y)
    assert measure.delta(y, y) == 0.0
    assert measure.n_predicted(5, 2) is None
    assert not measure.accepts_weight
    assert str(measure) == "BalancedAccuracy"
    assert measure_score([1, 1, 0, 0, 0], z, measure) == pytest.approx(0.5 * (1 / 2 + 2 / 3))
    # It is a weighted hinge loss: 50 / P for a positive, 50 / N for a negative, divided by 2.
    share = np.where(y > 0, 50 / 2, 50 / 3)
    assert measure.risk(y, z) == pytest.approx(np.maximum(0.0, share - 2.0 * y * z).sum())


def test_it_is_not_listed_and_refuses_weights():
    assert BalancedAccuracy not in known_measures().values()
    with pytest.raises(ValueError, match=r"^BalancedAccuracy is not defined for weighted samples"):
        BalancedAccuracy().risk(y, z, np.ones(5))
    with pytest.raises(ValueError, match=r"takes labels -1 and \+1"):
        BalancedAccuracy().check(np.array([0.0, 1.0]))

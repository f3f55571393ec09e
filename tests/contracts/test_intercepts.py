"""The best intercept of a risk: against a fine grid, and the same for a weight of two and a row twice."""

import numpy as np
import pytest

from handful.losses.intercepts import middle_intercept, settle_intercept
from handful.losses.of_measure import Multivariate
from handful.measures import Accuracy, FBeta


def risk_of(measure, y, scores, weight=None):
    return Multivariate(measure, weight).along_intercept(y, scores, np.ones_like(y))


def draw(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 13))
    y = np.ones((n, 1))
    y[rng.permutation(n)[: int(rng.integers(1, n))]] = -1.0
    scores = 10.0 ** rng.uniform(-1, 1.5) * (y + rng.standard_normal((n, 1)))
    return rng, y, np.round(scores, 1)


@pytest.mark.parametrize("measure", [FBeta(), FBeta(beta=2.0), Accuracy()], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_the_middle_of_all_that_are_best(measure, seed):
    _, y, scores = draw(seed)
    risk = risk_of(measure, y, scores)
    start = risk(np.array([0.3]))
    found = float(middle_intercept(risk, start)[0])
    grid = np.linspace(found - 3.0, found + 3.0, 801)
    values = np.array([risk(np.array([one])).value for one in grid])
    lowest = values.min()
    assert risk(np.array([found])).value <= lowest + 1e-9
    best = grid[values <= lowest + 1e-9]
    if best[0] > grid[0] and best[-1] < grid[-1]:
        assert found == pytest.approx(0.5 * (best[0] + best[-1]), abs=8e-3)
    assert min(point.value for point in settle_intercept(risk, start)) <= lowest + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_copies_and_weights_have_one_middle(seed):
    rng, y, scores = draw(seed)
    times = rng.integers(1, 4, len(y))
    weighted = risk_of(FBeta(), y, scores, times.astype(float))
    repeated = risk_of(FBeta(), *(np.repeat(part, times, axis=0) for part in (y, scores)))
    one = middle_intercept(weighted, weighted(np.array([-0.7])))
    other = middle_intercept(repeated, repeated(np.array([1.1])))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("measure", [FBeta(), FBeta(beta=0.5), Accuracy()], ids=str)
@pytest.mark.parametrize("seed", range(10))
def test_a_shift_is_as_good_as_scores_that_are_shifted(measure, left_out, seed):
    rng, y, scores = draw(seed)
    loss, weight = Multivariate(measure), np.full_like(y, 0.7)
    if left_out:
        rows = np.zeros(len(y), dtype=bool)
        rows[np.flatnonzero(y[:, 0] < 0)[:1]] = True
        loss = loss.without(rows)
    along = loss.along_intercept(y, scores, weight)
    for intercept in rng.normal(scale=5.0, size=(30, 1)).round(1):
        one, other = along(intercept), loss.evaluate(y, scores, intercept, weight)
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=1e-9)
        assert one.value == pytest.approx(one.cost - float((one.a * one.z).sum()), abs=1e-9)
        if not left_out:
            cost = 0.7 * measure.delta(y[:, 0], (y - one.a / 0.7)[:, 0])
            assert one.cost == pytest.approx(cost, rel=1e-12)


def test_a_measure_of_ones_own_need_not_know_of_shifts():
    class Wrong:
        def most_violated(self, y, z):
            return Accuracy().most_violated(y, z)

    _, y, scores = draw(0)
    one, other = (risk_of(measure, y, scores)(np.array([0.3])) for measure in (Wrong(), Accuracy()))
    assert one.value == other.value
    np.testing.assert_array_equal(one.a, other.a)

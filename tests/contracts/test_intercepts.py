"""The best intercept of a risk: against a fine grid, and the same for a weight of two and a row twice."""

import numpy as np
import pytest

from handful.losses.intercepts import middle_intercept, settle_intercept
from handful.losses.of_measure import Multivariate
from handful.measures import Accuracy, FBeta


def risk_of(measure, y, scores, weight=None):
    return Multivariate(measure, weight).along(y, scores, None, np.ones_like(y))


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
    found = middle_intercept(risk, 0.3, scores)
    grid = np.linspace(found - 3.0, found + 3.0, 801)
    values = np.array([risk(one).value for one in grid])
    lowest = values.min()
    assert risk(found).value <= lowest + 1e-9
    best = grid[values <= lowest + 1e-9]
    if best[0] > grid[0] and best[-1] < grid[-1]:
        assert found == pytest.approx(0.5 * (best[0] + best[-1]), abs=8e-3)
    assert min(look.value for look in settle_intercept(risk, 0.3, scores)) <= lowest + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_copies_and_weights_have_one_middle(seed):
    rng, y, scores = draw(seed)
    times = rng.integers(1, 4, len(y))
    weighted = risk_of(FBeta(), y, scores, times.astype(float))
    twice = [np.repeat(part, times, axis=0) for part in (y, scores)]
    one = middle_intercept(weighted, -0.7, scores)
    other = middle_intercept(risk_of(FBeta(), *twice), 1.1, twice[1])
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("direction", ["intercept", "any"])
@pytest.mark.parametrize("measure", [FBeta(), FBeta(beta=0.5), Accuracy()], ids=str)
@pytest.mark.parametrize("seed", range(10))
def test_a_look_along_a_line_is_as_good_as_an_evaluation(measure, direction, left_out, seed):
    rng, y, scores = draw(seed)
    loss, weight = replace_unit(Multivariate(measure), 0.3), np.full_like(y, 0.7)
    if left_out:
        rows = np.zeros(len(y), dtype=bool)
        rows[np.flatnonzero(y[:, 0] < 0)[:1]] = True
        loss = loss.without(rows)
    change = None if direction == "intercept" else rng.standard_normal((len(y), 1)).round(1)
    along = loss.along(y, scores, change, weight)
    for place in rng.normal(scale=5.0, size=30).round(1):
        z = scores + (place if change is None else place * change)
        look, other = along(place), loss.evaluate(y, z, np.zeros(1), weight)
        a, cost = look.cut()
        assert look.value == pytest.approx(other.value, rel=1e-12, abs=1e-9)
        assert look.value == pytest.approx(cost - float((a * z).sum()), abs=1e-9)
        fall = a.sum() if change is None else (a * change).sum()
        assert look.slope == pytest.approx(-float(fall), abs=1e-9)
        if not left_out:
            cost_of_labels = 0.7 * measure.delta(y[:, 0], (y - a / (0.7 * 0.3))[:, 0])
            assert cost == pytest.approx(cost_of_labels, rel=1e-12)


def replace_unit(loss, unit):
    return Multivariate(loss.measure, loss.sample_weight, loss.n_samples, loss.rows, unit)


def test_a_measure_of_ones_own_need_not_know_of_shifts():
    class Wrong:
        def most_violated(self, y, z):
            return Accuracy().most_violated(y, z)

    _, y, scores = draw(0)
    one, other = (risk_of(measure, y, scores)(0.3) for measure in (Wrong(), Accuracy()))
    assert (one.value, one.slope) == (other.value, other.slope)
    np.testing.assert_array_equal(one.cut()[0], other.cut()[0])


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(6))
def test_negatives_that_are_passed_over_could_not_have_paid(beta, seed):
    """Most negatives lie a little below zero: each could pay alone. With weights of one all of them are looked at."""
    rng = np.random.default_rng(seed)
    y = np.full(400, -1.0)
    y[: int(rng.integers(1, 60))] = 1.0
    z = rng.normal(-12.5 / (y > 0).sum(), 10.0 ** rng.uniform(-2, 1), 400).round(2)
    measure, ones = FBeta(beta), np.ones(400)
    along = measure.most_violated_along(y, z)
    for shift in (0.0, *rng.normal(scale=2.0, size=6).round(2)):
        a, delta = measure.most_violated(y, z + shift, ones)
        found = along(float(shift))
        risk = delta - float(a @ (z + shift))
        assert found.delta - found.total == pytest.approx(risk, rel=1e-10, abs=1e-9)
        np.testing.assert_allclose(found.labeling().sum(), found.slope)

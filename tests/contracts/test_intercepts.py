"""The best intercept of a risk: against a fine grid, and the same for a weight of two and a row twice."""

from functools import partial

import numpy as np
import pytest

from handful.losses.intercepts import middle_intercept, settle_intercept
from handful.losses.of_measure import Multivariate
from handful.measures import Accuracy, FBeta


def risk_of(measure, y, weight=None):
    loss = Multivariate(measure, weight)
    return partial(loss.evaluate, y, weight=np.ones_like(y))


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
    risk = risk_of(measure, y)
    start = risk(scores, np.array([0.3]))
    found = float(middle_intercept(risk, start)[0])
    grid = np.linspace(found - 3.0, found + 3.0, 801)
    values = np.array([risk(scores, np.array([one])).value for one in grid])
    lowest = values.min()
    assert risk(scores, np.array([found])).value <= lowest + 1e-9
    best = grid[values <= lowest + 1e-9]
    if best[0] > grid[0] and best[-1] < grid[-1]:
        assert found == pytest.approx(0.5 * (best[0] + best[-1]), abs=8e-3)
    assert min(point.value for point in settle_intercept(risk, start)) <= lowest + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_copies_and_weights_have_one_middle(seed):
    rng, y, scores = draw(seed)
    times = rng.integers(1, 4, len(y))
    weighted = risk_of(FBeta(), y, times.astype(float))
    repeated = risk_of(FBeta(), np.repeat(y, times, axis=0))
    one = middle_intercept(weighted, weighted(scores, np.array([-0.7])))
    rows = np.repeat(scores, times, axis=0)
    other = middle_intercept(repeated, repeated(rows, np.array([1.1])))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)

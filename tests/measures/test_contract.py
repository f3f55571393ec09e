"""What every measure promises, checked against all labelings of a few samples."""

import itertools
import pkgutil

import numpy as np
import pytest

import handful.measures
from handful.measures import Measure, known_measures

N_CASES = 2000
MOST_SAMPLES = 10

every_measure = pytest.mark.parametrize(
    "measure", [cls() for cls in known_measures().values()], ids=list(known_measures())
)


def all_labelings(n_samples):
    return np.array(list(itertools.product((-1.0, 1.0), repeat=n_samples)))


def random_case(rng):
    """Labels and scores; every other case has scores on a coarse grid, so that there are ties."""
    n_samples = int(rng.integers(1, MOST_SAMPLES + 1))
    y = rng.choice((-1.0, 1.0), n_samples)
    if rng.random() < 0.5:
        return y, rng.integers(-8, 9, n_samples) / 4.0
    return y, rng.normal(scale=10.0 ** rng.uniform(-2, 2), size=n_samples)


def enumerate_risks(measure, y, z):
    """Return the value in the risk's maximum of every labeling, in the order of all_labelings."""
    labelings = all_labelings(len(y))
    deltas = np.array([measure.delta(y, labels) for labels in labelings])
    return deltas - (y - labelings) @ z


def test_every_file_has_its_measure():
    files = {module.name for module in pkgutil.iter_modules(handful.measures.__path__)}
    assert files - {"base"} == set(known_measures())


@every_measure
def test_most_violated_is_the_maximum_over_all_labelings(measure):
    rng = np.random.default_rng(0)
    for _ in range(N_CASES):
        y, z = random_case(rng)
        a, delta = measure.most_violated(y, z)
        best = enumerate_risks(measure, y, z).max()
        scale = 1.0 + abs(best) + np.abs(z).sum()
        assert delta - a @ z == pytest.approx(best, abs=1e-12 * scale), (y, z)


@every_measure
def test_answer_is_a_labeling_with_its_own_cost(measure):
    rng = np.random.default_rng(1)
    for _ in range(N_CASES):
        y, z = random_case(rng)
        a, delta = measure.most_violated(y, z)
        labels = y - a
        assert a.shape == y.shape
        assert np.isin(labels, (-1.0, 1.0)).all(), (y, z, a)
        assert delta == measure.delta(y, labels), (y, z, a)


@every_measure
def test_risk_is_at_least_the_cost_of_what_is_predicted(measure):
    rng = np.random.default_rng(2)
    for _ in range(N_CASES):
        y, z = random_case(rng)
        predicted = np.where(z > 0, 1.0, -1.0)
        assert measure.risk(y, z) >= measure.delta(y, predicted) - 1e-9
        assert measure.risk(y, z) >= -1e-12 * (1.0 + np.abs(z).sum())


@every_measure
def test_minus_a_is_a_subgradient(measure):
    rng = np.random.default_rng(3)
    for _ in range(N_CASES):
        y, z = random_case(rng)
        a, _ = measure.most_violated(y, z)
        other = z + rng.normal(size=len(z))
        scale = 1.0 + np.abs(z).sum() + np.abs(other).sum()
        linear = measure.risk(y, z) - a @ (other - z)
        assert measure.risk(y, other) >= linear - 1e-12 * scale, (y, z, other)


@every_measure
def test_perfect_labels_cost_nothing_and_arguments_are_left_alone(measure):
    rng = np.random.default_rng(4)
    for _ in range(100):
        y, z = random_case(rng)
        kept_y, kept_z = y.copy(), z.copy()
        assert measure.value(y, y) == 1.0
        assert measure.delta(y, y) == 0.0
        measure.most_violated(y, z)
        assert np.array_equal(y, kept_y)
        assert np.array_equal(z, kept_z)


def test_a_measure_must_say_how_it_is_computed():
    class Half(Measure):
        name = "half"

        def value(self, y_true, scores):
            return 0.5

    with pytest.raises(TypeError, match="most_violated"):
        Half()
    assert "half" not in known_measures()

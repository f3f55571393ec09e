"""A measure as a loss: what it makes of the weights of samples."""

import numpy as np
import pytest

from handful.losses.of_measure import Multivariate
from handful.measures import known_measures, resolve_measure

y = np.array([1.0, -1.0, 1.0, -1.0, -1.0])
z = np.array([[0.4], [0.7], [-0.3], [-0.2], [-0.9]])
TAKING_WEIGHTS = [
    text for cls in known_measures().values() for text in cls.example_texts() if cls.accepts_weight
]

every_taker = pytest.mark.parametrize("name", TAKING_WEIGHTS)


def loss_of(name, weight):
    return Multivariate(resolve_measure(name)).of_samples(y, weight)


@every_taker
def test_the_error_on_new_samples_counts_copies(name):
    weight = np.array([1.0, 3.0, 2.0, 1.0, 4.0])
    times = weight.astype(int)
    own = loss_of(name, weight).error(y[:, None], z, weight[:, None])
    ones = np.ones((times.sum(), 1))
    many = loss_of(name, np.ones(5)).error(np.repeat(y, times)[:, None], z.repeat(times, 0), ones)
    assert own == pytest.approx(many)


@every_taker
def test_samples_are_counted_with_their_copies(name):
    loss = loss_of(name, np.array([1.0, 3.0, 0.0, 1.0, 4.0]))
    assert loss.n_samples == 9.0
    assert loss.count(y > 0) == 1.0
    assert loss.without(np.arange(5) == 1).n_samples == 6.0
    assert loss_of(name, np.ones(5)).without(np.arange(5) == 1).n_samples == 4.0


@every_taker
def test_small_weights_do_not_make_few_samples(name):
    """Where samples are few the model is solved to the last digit, which takes long for many."""
    loss = loss_of(name, np.array([0.1, 0.3, 0.2, 0.0, 0.4]))
    assert loss.n_samples == 4.0
    assert loss.without(np.arange(5) == 1).n_samples == 3.0

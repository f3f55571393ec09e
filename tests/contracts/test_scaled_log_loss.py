"""The log loss of predictions in the unit in which they say most."""

import numpy as np
import pytest
from scipy.special import log_softmax

from handful.losses import SquaredHinge
from handful.losses.scaled_log_loss import scaled_log_losses


def draw(n_outputs=1, n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, n_outputs))
    noisy = z + rng.standard_normal(z.shape)
    if n_outputs == 1:
        return np.where(noisy > 0, 1.0, -1.0), z
    return np.where(noisy.argmax(axis=1)[:, None] == np.arange(n_outputs), 1.0, -1.0), z


def losses_of(y, z, weight=None):
    return scaled_log_losses(y, z, np.ones((len(y), 1)) if weight is None else weight[:, None])


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("unit", [1e-6, 10.0])
def test_the_unit_of_predictions_does_not_matter(n_outputs, unit):
    y, z = draw(n_outputs)
    np.testing.assert_allclose(losses_of(y, unit * z), losses_of(y, z), rtol=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_no_other_scale_is_much_better(n_outputs):
    y, z = draw(n_outputs)
    scales = np.geomspace(0.01, 100.0, 50)
    if n_outputs == 1:
        others = [np.logaddexp(0.0, -scale * y * z).sum() for scale in scales]
    else:
        others = [-log_softmax(scale * z, axis=1)[y > 0].sum() for scale in scales]
    assert min(others) - 1e-6 <= losses_of(y, z).sum() + 0.05  # the scales are some apart
    assert losses_of(y, z).sum() <= min(others) + 0.2  # one sample more is taken to be wrong


def test_predictions_that_are_all_right_still_cost_something():
    y, z = draw()
    sure, right = losses_of(y, y).sum(), losses_of(y, y * np.abs(z)).sum()
    assert 0.5 < sure < right < losses_of(y, z).sum()


def test_predictions_that_say_nothing_cost_what_guessing_does():
    y, z = draw()
    for nothing in (0.0 * z, -y):
        np.testing.assert_allclose(losses_of(y, nothing), np.log(2.0), rtol=0.01)


def test_a_weight_is_as_many_copies():
    y, z = draw()
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = losses_of(y, z, weight.astype(float))
    repeated = losses_of(np.repeat(y, weight, axis=0), np.repeat(z, weight, axis=0))
    assert weighted.sum() == pytest.approx(repeated.sum(), rel=1e-9)


def test_labels_of_which_any_number_may_be_there_are_summed():
    y, z = draw(3)
    y[0] = 1.0
    np.testing.assert_allclose(losses_of(y, 0.0 * z), 3 * np.log(2.0), rtol=0.01)


def test_folds_are_parts_of_one_sum():
    y, z = draw()
    folds = [np.arange(40) % 5 == fold for fold in range(5)]
    errors = SquaredHinge().held_out_errors(y, z, np.ones((40, 1)), folds)
    np.testing.assert_allclose(errors, [losses_of(y, z)[rows].sum() for rows in folds])

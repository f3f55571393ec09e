"""Bags made here, whose truth is known."""

import numpy as np
import pytest

from handful.datasets import make_bags


def test_positive_bags_have_one_witness_near_a_concept():
    data = make_bags(n_bags=100, mean_size=5, n_features=6, n_concepts=3, random_state=0)
    witnesses = np.add.reduceat(data.witnesses, data.bags.offsets[:-1])
    np.testing.assert_array_equal(witnesses, data.y > 0)
    near = data.bags.instances[data.witnesses]
    distances = np.linalg.norm(near[:, None] - data.concepts, axis=2).min(axis=1)
    assert distances.max() < 0.3 * 6
    assert data.bags.sizes.min() >= 1
    assert data.bags.sizes.max() <= 9
    assert 4 < data.bags.sizes.mean() < 6


def test_equal_seeds_give_equal_bags_and_test_bags_do_not_disturb():
    one, other = make_bags(random_state=3), make_bags(random_state=3, n_test_bags=0)
    np.testing.assert_array_equal(one.bags.instances, other.bags.instances)
    assert other.test_bags is None
    small = make_bags(random_state=3, dtype=np.float32)
    np.testing.assert_array_equal(small.bags.instances, one.bags.instances.astype(np.float32))


def test_the_size_of_the_spoken_digits():
    data = make_bags(8800, 40, 13, n_test_bags=0, dtype=np.float32, random_state=0)
    assert 340_000 < data.bags.n_instances < 360_000


@pytest.mark.parametrize(
    "wrong", [{"n_bags": 0}, {"mean_size": 0}, {"spread": 0}, {"dtype": "int"}]
)
def test_wrong_sizes(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make_bags(**wrong)

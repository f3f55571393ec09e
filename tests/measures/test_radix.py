"""Ordering by digits is ordering."""

import numpy as np
import pytest

from handful.kernels.radix import kth_largest, stable_order


def arrays(rng):
    yield np.zeros(1)
    yield np.zeros(7)
    yield np.array([0.0, -0.0, 0.0, -0.0, 1e-320, -1e-320, 5e-324])
    yield np.array([1.8e308, -1.8e308, 2.2e-308, 1.0, -1.0, 3.0])
    for _ in range(300):
        n_values = int(rng.integers(1, 400))
        yield rng.integers(-3, 4, n_values).astype(float)
        yield rng.normal(size=n_values) * 10.0 ** rng.uniform(-300, 300, n_values)
        yield rng.normal(size=n_values)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_order_is_that_of_a_stable_sort(rng):
    for values in arrays(rng):
        assert np.array_equal(stable_order(values), np.argsort(values, kind="stable"))


def test_kth_largest_is_that_of_a_sort(rng):
    for values in arrays(rng):
        down = np.sort(values)[::-1]
        for k in {1, len(values), int(rng.integers(1, len(values) + 1))}:
            assert kth_largest(values, k) == down[k - 1]


def test_argument_is_left_alone(rng):
    values = rng.normal(size=50)
    kept = values.copy()
    values.setflags(write=False)
    stable_order(values)
    kth_largest(values, 7)
    assert np.array_equal(values, kept)

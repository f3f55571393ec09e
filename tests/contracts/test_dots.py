"""Products of all columns with several vectors, for every way to store X."""

import numpy as np
import pytest
import scipy.sparse as sp

from handful.spaces import AdditiveKernel
from handful.spaces.resolve import resolve_space


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "storage", [np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_array]
)
@pytest.mark.parametrize("n_outputs", [1, 7])
def test_dots(storage, dtype, n_outputs):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 30)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0
    a = rng.standard_normal((700, n_outputs))
    found = resolve_space(storage(X)).dots(a)
    assert found.dtype == np.float64
    accuracy = 1e-12 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(found, X.astype(float).T @ a, atol=accuracy)


def test_dots_of_columns_that_are_made():
    rng = np.random.default_rng(0)
    space = AdditiveKernel("gaussian").on(rng.standard_normal((40, 5)))
    a = rng.standard_normal((40, 2))
    np.testing.assert_allclose(space.dots(a), space.gather(np.arange(5)).T @ a)


@pytest.mark.parametrize("storage", [np.ascontiguousarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("size", [1e-30, 1e-10, 1e30])
def test_float32_far_from_one(storage, size):
    rng = np.random.default_rng(0)
    X = (size * rng.standard_normal((700, 5))).astype(np.float32)
    a = rng.standard_normal((700, 2)) / size**2
    with np.errstate(all="raise", under="ignore"):
        found = resolve_space(storage(X)).dots(a)
    np.testing.assert_allclose(found * size, (X.astype(float).T @ a) * size, atol=1e-3)

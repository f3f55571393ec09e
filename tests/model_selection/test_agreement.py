"""Nogueira's stability index, against its definition, by hand, and where the truth is known."""

import numpy as np
import pytest
import scipy.sparse as sp

from handful.model_selection import StabilityIndex, stability_index


def by_the_book(Z):
    """The paper's index and variance, with loops over features and selections."""
    M, d = Z.shape
    p = Z.mean(axis=0)
    k = Z.sum(axis=1)
    kbar = k.mean()
    by_chance = kbar / d * (1 - kbar / d)
    value = 1 - sum(Z[:, f].var(ddof=1) for f in range(d)) / d / by_chance
    each = []
    for i in range(M):
        met = sum(Z[i, f] * p[f] for f in range(d)) / d
        correction = value / 2 * (2 * k[i] * kbar / d**2 - k[i] / d - kbar / d + 1)
        each.append((met - k[i] * kbar / d**2 + correction) / by_chance)
    variance = 4 / M**2 * sum((one - np.mean(each)) ** 2 for one in each)
    return value, variance


def test_by_hand():
    # p = (1, 2/3, 1/3, 0), s^2 = 3/2 p (1-p) = (0, 1/3, 1/3, 0): mean 1/6 over 1/2 * 1/2.
    index = stability_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert index.value == pytest.approx(1 - (1 / 6) / (1 / 4))


@pytest.mark.parametrize("seed", range(5))
def test_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    Z = (rng.random((rng.integers(2, 30), rng.integers(3, 60))) < rng.random()).astype(float)
    Z[0, 0], Z[1, 0] = 1, 0
    index = stability_index(Z)
    value, variance = by_the_book(Z)
    assert index.value == pytest.approx(value)
    assert index.low == pytest.approx(value - 1.959964 * np.sqrt(variance))
    assert index.high == pytest.approx(min(1, value + 1.959964 * np.sqrt(variance)))


def test_equal_sizes_give_kuncheva():
    """For selections of one size the index is the mean over pairs of (r - k^2/d) / (k - k^2/d)."""
    rng = np.random.default_rng(0)
    M, d, k = 8, 30, 6
    Z = np.zeros((M, d))
    for row in Z:
        row[rng.choice(d, k, replace=False)] = 1
    common = Z @ Z.T
    pairs = common[np.triu_indices(M, 1)]
    assert stability_index(Z).value == pytest.approx(((pairs - k**2 / d) / (k - k**2 / d)).mean())


def test_one_for_equal_selections_and_no_error():
    index = stability_index(np.tile([1, 0, 1, 0, 0], (7, 1)))
    assert index == StabilityIndex(1.0, 1.0, 1.0)


def test_zero_for_random_ones_within_the_interval():
    covered, values = 0, []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        Z = np.zeros((50, 40))
        for row in Z:
            row[rng.choice(40, 8, replace=False)] = 1
        index = stability_index(Z)
        values.append(index.value)
        covered += index.low <= 0 <= index.high
    assert abs(np.mean(values)) < 0.002
    assert covered >= 180  # 95 % of 200 is 190, two and a half standard errors are 8


def test_never_above_one_and_order_does_not_matter():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        Z = rng.random((5, 9)) < 0.5
        Z[0, 0], Z[1, 0] = True, False
        index, mixed = stability_index(Z), stability_index(Z[rng.permutation(5)][:, ::-1])
        assert index.value <= 1
        assert index.high <= 1
        assert mixed.value == pytest.approx(index.value)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix])
def test_sparse_is_dense(form):
    Z = np.random.default_rng(1).random((6, 20)) < 0.3
    assert stability_index(form(Z)).value == pytest.approx(stability_index(Z).value)


def test_columns_beyond_all_memory():
    n_features = 10**13
    ids = np.array([[3, 10**12, 7], [3, 10**12, 8]])
    table = sp.csr_array((np.ones(6), ids.ravel(), [0, 3, 6]), shape=(2, n_features))
    # Two of three in common; chance is nothing.
    assert stability_index(table).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("fill", [0, 1])
def test_nothing_to_agree_on(fill):
    assert np.isnan(stability_index(np.full((3, 4), fill)).value)


@pytest.mark.parametrize(
    ("selections", "confidence", "message"),
    [
        ([[1, 0, 1]], 0.95, "at least two rows"),
        ([1, 0, 1], 0.95, "a row for each selection"),
        ([["a", "b"], ["c", "d"]], 0.95, "a table of 0 and 1"),
        ([[2, 0], [0, 1]], 0.95, "0 and 1 only; got 2"),
        ([[np.nan, 0], [0, 1]], 0.95, "0 and 1 only; got nan"),
        ([[1, 0], [0, 1]], 1.0, "confidence must be a number above 0 and below 1"),
        ([[1, 0], [0, 1]], "much", "confidence must be a number above 0 and below 1"),
    ],
)
def test_bad_input(selections, confidence, message):
    with pytest.raises(ValueError, match=message):
        stability_index(selections, confidence)


@pytest.mark.parametrize("second", [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]])
def test_two_selections_have_no_interval(second):
    index = stability_index([[1, 1, 0, 0], second])
    assert np.isfinite(index.value)
    assert np.isnan([index.low, index.high]).all()
    assert str(index) == f"{index.value:.3f}"


def test_what_is_rounded_to_nothing_has_no_sign():
    apart = np.zeros((3, 9000))
    apart[[0, 1, 2], [0, 1, 2]] = 1
    index = stability_index(apart)
    assert -5e-4 < index.value < 0
    assert str(index).startswith("0.000 (")

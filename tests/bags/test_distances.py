"""Distances of bags to points equal the double loop, and name the nearest instance."""

import numpy as np
import pytest
import scipy.sparse as sp
from some_bags import dense, listed

from handful import Bags
from handful.sizes import changed_sizes
from handful.spaces.bags import as_bags
from handful.spaces.bags.distances import BagDistances
from handful.spaces.bags.standardizing import median_gamma, merge_equal, number


def double_loop(bags, atoms):
    """The smallest squared distance and its row, one pair at a time."""
    distances = np.empty((len(bags), len(atoms)))
    rows = np.empty_like(distances, dtype=np.int64)
    for b in range(len(bags)):
        for j, atom in enumerate(atoms):
            one = ((dense(bags[b]) - atom) ** 2).sum(axis=1)
            distances[b, j], rows[b, j] = one.min(), bags.offsets[b] + one.argmin()
    return distances, rows


def with_stored_zeros(X):
    """A sparse matrix that holds every entry."""
    n_rows, width = X.shape
    indices, starts = np.tile(np.arange(width), n_rows), np.arange(n_rows + 1) * width
    return sp.csr_array((X.ravel(), indices, starts), shape=X.shape)


SIZES = (3, 1, 7, 2, 12, 1, 5)


@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "far away", "sparse atoms"])
def test_equal_to_the_double_loop(kind):
    made = listed(SIZES, n_features=6, density=0.5)
    atoms = np.concatenate([*listed((4,), n_features=6, seed=1, density=0.5), made[2]])
    if kind == "far away":
        made, atoms = [bag + 1e4 for bag in made], atoms + 1e4
    if kind == "float32":
        made = [bag.astype(np.float32) for bag in made]
    bags = as_bags([sp.csr_array(bag) for bag in made] if "sparse" in kind else made)
    wanted, wanted_rows = double_loop(bags, atoms)
    given = sp.csr_array(atoms) if kind == "sparse atoms" else atoms
    distances, rows = BagDistances(bags).nearest(given)
    np.testing.assert_allclose(
        distances, wanted, rtol=1e-9, atol=1e-6 if kind == "far away" else 1e-12
    )
    np.testing.assert_array_equal(rows, wanted_rows)


@pytest.mark.parametrize("entries", [1, 10, 100])
def test_blocks_do_not_show(entries):
    """Bags longer than a block are put together again."""
    bags = as_bags(listed(SIZES, n_features=4))
    atoms = listed((9,), n_features=4, seed=1)[0]
    whole = BagDistances(bags).nearest(atoms)
    with changed_sizes(block_entries=entries, atoms_at_once=4):
        parts = BagDistances(bags).nearest(atoms)
    np.testing.assert_allclose(parts[0], whole[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(parts[1], whole[1])


@changed_sizes(entries_per_thread=5)
def test_threads_do_not_show():
    bags = as_bags(listed(SIZES, n_features=4))
    atoms = listed((9,), n_features=4, seed=1)[0]
    one, several = (BagDistances(bags, n).nearest(atoms) for n in (1, 3))
    np.testing.assert_array_equal(one[0], several[0])
    np.testing.assert_array_equal(one[1], several[1])


def test_the_first_of_equally_near_instances_is_named():
    bags = Bags(np.array([[1.0], [3.0], [3.0], [1.0]]), [0, 0, 1, 1])
    _, rows = BagDistances(bags).nearest(np.array([[2.0]]))
    assert rows.ravel().tolist() == [0, 2]


def test_median_rule():
    bags = as_bags(listed((4, 5), n_features=3))
    x = bags.instances
    squares = [((x[i] - x[j]) ** 2).sum() for i in range(9) for j in range(i)]
    assert median_gamma(bags) == pytest.approx(4 / np.median(squares), rel=1e-10)


def test_median_rule_on_identical_instances():
    assert median_gamma(Bags(np.ones((5, 2)), [0, 0, 1, 1, 1])) == 1.0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rows_of_few_bits_are_told_apart(make):
    """Whole numbers differ in their first bits only, which a weak fingerprint would lose."""
    X = np.random.default_rng(0).integers(-1, 2, (3000, 7)).astype(float)
    firsts = np.sort(np.unique(X, axis=0, return_index=True)[1])
    rows, numbers = number(make(X))
    np.testing.assert_array_equal(np.sort(rows), firsts)
    np.testing.assert_array_equal(X[rows[numbers]], X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, with_stored_zeros])
def test_numbers_depend_on_the_values_alone(make, dtype):
    """Not on the order of rows, repetitions, storage, or the sign of a zero."""
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (200, 6)).astype(dtype) / dtype(8)
    X[0] = 0.0
    rows, numbers = number(X)
    np.testing.assert_array_equal(numbers[rows], np.arange(len(rows)))
    order = rng.integers(0, 200, 1000)
    order[:200] = rng.permutation(200)
    again, numbers_again = number(make(np.where(X == 0, dtype(-0.0), X)[order]))
    np.testing.assert_array_equal(numbers_again, numbers[order])
    np.testing.assert_array_equal(X[order][again], X[rows])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_equal_bags_of_a_class_are_one_in_whatever_order(convert):
    a, b, zero = np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]), np.zeros((1, 2))
    kinds = [np.vstack(rows) for rows in ((a,), (a, b), (b, a), (a, a), (zero,), (zero, zero))]
    rng, found = np.random.default_rng(0), []
    for _ in range(5):
        picked = rng.permutation(np.repeat(np.arange(12), 3))
        parts = [kinds[which % 6] for which in picked]
        bags = Bags.of_sizes(convert(np.vstack(parts)), [len(part) for part in parts])
        merged, signs, weight = merge_equal(bags, (picked // 6)[:, None], 1.0 + np.arange(36.0))
        assert len(merged) == len(signs) == 10  # a with b is b with a
        assert weight.sum() == 36 * 37 / 2
        sizes = merged.sizes
        found.append(
            [(bag.sum(), *of) for bag, *of in zip(merged, sizes, signs[:, 0], strict=True)]
        )
    assert all(one == found[0] for one in found)


def test_bags_with_weights_are_the_bags_repeated():
    rng = np.random.default_rng(1)
    bags = Bags.of_sizes(rng.standard_normal((30, 3)), np.full(10, 3))
    signs, times = np.arange(10)[:, None] % 2, rng.integers(1, 4, 10)
    repeated = rng.permutation(np.repeat(np.arange(10), times))
    one = merge_equal(bags, signs, times.astype(float))
    other = merge_equal(bags[repeated], signs[repeated], np.ones(len(repeated)))
    np.testing.assert_array_equal(one[0].instances, other[0].instances)
    np.testing.assert_array_equal(one[0].offsets, other[0].offsets)
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_array_equal(one[2], other[2])

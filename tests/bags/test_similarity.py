"""The space of similarities of bags to instances."""

import numpy as np
import pytest
import scipy.sparse as sp
from some_bags import dense, listed

from handful.sizes import changed_sizes
from handful.spaces import BagSimilarity
from handful.spaces.bags import as_bags

SIZES = (3, 1, 7, 2, 12, 1, 5)


def some_bags(kind="dense", dtype=np.float64):
    made = [bag.astype(dtype) for bag in listed(SIZES, n_features=4, density=0.6)]
    return as_bags([sp.csr_array(bag) for bag in made] if kind == "sparse" else made)


def embedding(bags, gamma, factors=1.0):
    """All similarities, one pair at a time, instances in the order of their rows."""
    similarities = np.empty((len(bags), bags.n_instances))
    for b in range(len(bags)):
        for j, atom in enumerate(dense(bags.instances)):
            squares = (((dense(bags[b]) - atom) * factors) ** 2).sum(axis=1)
            similarities[b, j] = np.exp(-gamma * squares).max()
    return similarities


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("unit", [None, "std"])
def test_columns_equal_the_double_loop(kind, unit):
    bags = some_bags(kind)
    space = BagSimilarity(gamma=0.7, column_unit=unit).on(bags)
    deviations = np.unique(dense(bags.instances), axis=0).std(axis=0)
    wanted = embedding(bags, 0.7, 1 / deviations if unit else 1.0)
    np.testing.assert_allclose(space.columns(space.row_ids), wanted, rtol=1e-10, atol=1e-12)


def test_median_gamma_is_of_standardised_columns():
    bags = some_bags()
    x = bags.instances / bags.instances.std(axis=0)
    squares = [((x[i] - x[j]) ** 2).sum() for i in range(len(x)) for j in range(i)]
    assert BagSimilarity().on(bags)._gamma == pytest.approx(4 / np.median(squares), rel=1e-9)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("cache", [0, 300, 2**20])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_top_equals_the_written_down_matrix(outputs, cache, kind):
    bags = some_bags(kind)
    space = BagSimilarity(gamma=0.7, column_unit=None).on(bags)
    for seed in range(3):
        a = np.random.default_rng(seed).standard_normal((len(bags), outputs))
        scores = np.empty(31)
        scores[space.row_ids] = ((embedding(bags, 0.7).T @ a) ** 2).sum(axis=1)
        exclude = np.argsort(-scores)[:2]
        scores[exclude] = 0.0
        with changed_sizes(similarity_bytes=cache, atoms_at_once=5):
            ids, best = space.top(a, 6, exclude)
        np.testing.assert_array_equal(ids, np.argsort(-scores)[:6])
        np.testing.assert_allclose(best, np.sort(scores)[::-1][:6], rtol=1e-9)
    assert sum(block.nbytes for block in space._blocks.values()) <= cache


def test_float32_is_close():
    space = BagSimilarity(gamma=0.7).on(some_bags(dtype=np.float32))
    assert space.dtype == np.float32
    whole = BagSimilarity(gamma=0.7).on(some_bags())
    found, wanted = (one.columns(one.row_ids) for one in (space, whole))
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_equal_instances_are_one_candidate():
    bags = as_bags([np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[1.0, -0.0], [3.0, 0.0]])])
    space = BagSimilarity().on(bags)
    assert space.candidates.tolist() == [0, 1, 2]
    assert space.row_ids[0] == space.row_ids[2]
    assert np.unique(space.row_ids).tolist() == [0, 1, 2]
    assert sorted(space.names(np.arange(3))) == ["bag0[0]", "bag0[1]", "bag1[1]"]
    sparse = BagSimilarity().on(as_bags([sp.csr_array(bag) for bag in bags]))
    np.testing.assert_array_equal(sparse.row_ids, space.row_ids)


def test_n_candidates_are_drawn_by_the_seed():
    bags = some_bags()
    few = BagSimilarity(n_candidates=7).on(bags)
    assert len(few.candidates) == 7
    assert (np.diff(few.candidates) > 0).all()
    again, other = (BagSimilarity(n_candidates=7, random_state=s).on(bags) for s in (0, 1))
    np.testing.assert_array_equal(few.candidates, again.candidates)
    assert few.candidates.tolist() != other.candidates.tolist()
    ids, _ = few.top(np.random.default_rng(0).standard_normal(len(bags)), 31)
    assert set(ids) <= set(few.candidates)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_what_was_chosen_makes_the_same_columns_from_new_bags(kind):
    bags = some_bags(kind)
    bound = BagSimilarity().on(bags)
    ids, other = bound.row_ids[[2, 11, 30]], bound.row_ids[5]
    remembered = BagSimilarity().remembering(bound, ids)
    np.testing.assert_array_equal(remembered.on(bags).columns(ids), bound.columns(ids))
    restored = BagSimilarity().restore(remembered.state())
    some = restored.on(bags[2:5]).columns(ids)
    np.testing.assert_allclose(some, bound.columns(ids)[2:5], rtol=1e-12)
    assert restored.on(bags).names(ids) == ["bag0[2]", "bag3[0]", "bag6[4]"]
    assert remembered.chosen.places == [(0, 2), (3, 0), (6, 4)]
    with pytest.raises(ValueError, match=f"instance {other} was not chosen"):
        restored.on(bags).columns(np.array([ids[0], other]))
    with pytest.raises(TypeError, match="has no data yet"):
        _ = restored.on(bags).row_ids


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ids", np.array([2, 11, 99])),
        ("ids", np.array([2, 11, 2])),
        ("rows", np.array([0, 1])),
        ("gamma", np.array([-1.0])),
        ("factors", np.ones(3)),
        ("instances", np.full((3, 4), np.nan)),
        ("instances", np.zeros((3, 4), dtype=complex)),
    ],
)
def test_a_strangers_arrays_are_looked_at(name, value):
    bound = BagSimilarity().on(some_bags())
    state = BagSimilarity().remembering(bound, np.array([2, 11, 30])).state()
    with pytest.raises(ValueError, match="chosen instances"):
        BagSimilarity().restore({**state, name: value})


def test_names_of_bags_with_names():
    bags = as_bags((np.arange(6.0).reshape(3, 2), ["musk", "musk", "air"]))
    space = BagSimilarity().on(bags)
    assert space.names(space.row_ids) == ["air[0]", "musk[0]", "musk[1]"]


def test_without_bags_it_says_so():
    with pytest.raises(TypeError, match="has no data yet"):
        BagSimilarity().columns(np.array([0]))


def test_fingerprint_tells_bags_apart():
    bags = some_bags()
    one = BagSimilarity().on(bags).fingerprint()
    assert one == BagSimilarity().on(as_bags(list(bags))).fingerprint()
    assert one != BagSimilarity().on(bags[1:]).fingerprint()
    assert one != BagSimilarity(gamma=2.0).on(bags).fingerprint()

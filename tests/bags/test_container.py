"""The container of bags: order, indexing, and scikit-learn's splitters."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from some_bags import dense, listed

from handful import Bags
from handful.spaces.bags import as_bags


@pytest.fixture(params=["dense", "sparse"])
def bags(request):
    made = listed(sizes=(2, 5, 1, 3, 4, 2))
    return as_bags(made if request.param == "dense" else [sp.csr_array(bag) for bag in made])


def parts(bags):
    return [dense(bag) for bag in bags]


@pytest.mark.parametrize(
    "key",
    [[3, 0], np.array([5, 5, 1]), slice(1, None, 2), np.arange(6) % 2 == 0, [False] * 5 + [True]],
)
def test_indexing_gives_those_bags(bags, key):
    wanted = [parts(bags)[i] for i in np.arange(6)[key]]
    some = bags[key]
    assert isinstance(some, Bags)
    assert some.bag_ids.tolist() == np.arange(6)[key].tolist()
    for got, want in zip(parts(some), wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_number_gives_the_instances(bags):
    np.testing.assert_array_equal(dense(bags[-2]), listed(sizes=(2, 5, 1, 3, 4, 2))[-2])
    with pytest.raises(IndexError):
        bags[6]


def test_order_is_that_of_ids_then_of_rows():
    bags = Bags([[0.0], [1.0], [2.0], [3.0]], ["b", "a", "b", "a"])
    assert bags.bag_ids.tolist() == ["a", "b"]
    assert bags.instances.ravel().tolist() == [1.0, 3.0, 0.0, 2.0]


def test_ids_of_several_kinds_are_compared_as_text():
    bags = Bags([[0.0], [1.0], [2.0]], np.array(["b", 7, "b"], dtype=object))
    assert bags.bag_ids.tolist() == ["7", "b"]


def test_data_in_order_are_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    assert np.shares_memory(Bags(X, [0, 0, 1]).instances, X)
    sparse = sp.csr_array(X)
    assert np.shares_memory(Bags(sparse, [0, 0, 1]).instances.data, sparse.data)


def test_bags_do_not_change():
    X = np.zeros((2, 2))
    bags = Bags(X, [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        bags.instances[0, 0] = 1.0
    with pytest.raises(AttributeError, match="do not change"):
        bags.instances = X
    X[0, 0] = 1.0  # the user's own array is still writable


@pytest.mark.parametrize("splitter", [KFold(3, shuffle=True, random_state=0), StratifiedKFold(3)])
def test_splitters_keep_bags_whole(bags, splitter):
    y = np.array([0, 1] * 3)
    seen = []
    for train, test in splitter.split(bags, y):
        assert len(bags[train]) + len(bags[test]) == 6
        seen += bags[test].bag_ids.tolist()
    assert sorted(seen) == list(range(6))


def test_train_test_split(bags):
    train, test, y_train, _ = train_test_split(bags, np.arange(6), random_state=0)
    assert isinstance(train, Bags)
    assert isinstance(test, Bags)
    assert train.bag_ids.tolist() == y_train.tolist()
    assert train.n_instances + test.n_instances == bags.n_instances


def test_places_and_rows_are_inverse(bags):
    rows = np.arange(bags.n_instances)
    bag, place = bags.places(rows)
    np.testing.assert_array_equal(bags.offsets[bag] + place, rows)
    np.testing.assert_array_equal(bags.rows_of(np.array([1, 4])), [2, 3, 4, 5, 6, 11, 12, 13, 14])


def test_located_by_bag_and_row():
    bags = Bags(np.arange(5.0)[:, None], ["musk", "air", "musk", "air", "air"])
    places = [("musk", 1), ("air", 2), ("musk", 0)]
    assert bags.instances[bags.locate(places), 0].tolist() == [2.0, 4.0, 0.0]
    assert bags.locate([]).dtype == np.int64
    with pytest.raises(ValueError, match="there is no bag 'mask'; see bag_ids"):
        bags.locate([("mask", 0)])
    for row in (2, -1):
        with pytest.raises(
            ValueError, match=f"bag 'musk' has no row {row}; its rows go from 0 to 1"
        ):
            bags.locate([("musk", row)])


def test_scaled(bags):
    factors = np.array([2.0, 0.0, -1.0])
    made = bags.scaled(factors)
    np.testing.assert_allclose(dense(made.instances), dense(bags.instances) * factors)
    assert sp.issparse(made.instances) == sp.issparse(bags.instances)


def test_per_bag_follows_the_given_order():
    bags = Bags(np.zeros((4, 1)), ["b", "a", "b", "a"])
    assert bags.per_bag(["yes", "no", "yes", "no"]).tolist() == ["no", "yes"]


def test_pickle(bags):
    again = pickle.loads(pickle.dumps(bags))
    np.testing.assert_array_equal(dense(again.instances), dense(bags.instances))
    np.testing.assert_array_equal(again.offsets, bags.offsets)

"""Whatever form bags come in, they are the same bags."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from some_bags import FORMS, dense, forms, listed

from handful import Bags, MILESClassifier
from handful.spaces.bags import as_bags


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_bags(form):
    bags = listed()
    X, options = forms(bags)[form]
    made = as_bags(X, **options)
    np.testing.assert_array_equal(dense(made.instances), np.concatenate(bags))
    np.testing.assert_array_equal(made.offsets, [0, 2, 7, 8, 11])
    assert len(made) == 4
    assert made.dtype == np.float64


def test_bags_are_left_as_they_are():
    bags = as_bags(listed())
    assert as_bags(bags) is bags


def test_float32_stays_and_integers_become_float64():
    wide = [bag.astype(np.float32) for bag in listed()]
    assert as_bags(wide).dtype == np.float32
    assert as_bags((wide[0], [0, 1])).dtype == np.float32
    assert as_bags([sp.csr_array(bag) for bag in wide]).dtype == np.float32
    frame = pl.DataFrame({"a": [1.5, 2.5], "bag": [0, 0]}, schema_overrides={"a": pl.Float32})
    assert as_bags(frame, bag_column="bag").dtype == np.float32
    assert as_bags([np.array([[1, 2]], dtype=np.int16)]).dtype == np.float64


def test_names_come_from_the_columns_of_instances():
    for form in ("pandas rows", "polars rows", "Arrow rows", "polars lists", "pandas lists"):
        X, options = forms(listed())[form]
        assert as_bags(X, **options).feature_names == ("f0", "f1", "f2"), form


def test_pair_with_a_frame_keeps_its_names():
    frame = pd.DataFrame({"height": [1.0, 2.0], "width": [3.0, 4.0]})
    assert as_bags((frame, ["a", "a"])).feature_names == ("height", "width")


def test_cube_has_as_many_instances_in_every_bag():
    cube = np.arange(24.0).reshape(2, 3, 4)
    bags = as_bags(cube)
    np.testing.assert_array_equal(bags[1], cube[1])
    assert bags.sizes.tolist() == [3, 3]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, pd.DataFrame])
def test_rows_of_a_matrix_are_bags_of_one(make):
    X = np.arange(6.0).reshape(3, 2)
    bags = as_bags(make(X))
    np.testing.assert_array_equal(dense(bags.instances), X)
    assert bags.sizes.tolist() == [1, 1, 1]


def test_two_matrices_are_two_bags_and_no_pair():
    bags = as_bags((np.zeros((2, 3)), np.ones((1, 3))))
    assert bags.sizes.tolist() == [2, 1]


def test_ids_of_rows_of_lists_are_kept():
    frame = pl.DataFrame({"who": ["x", "a"], "f": [[1.0, 2.0], [3.0]]})
    bags = as_bags(frame, bag_column="who")
    assert bags.bag_ids.tolist() == ["x", "a"]
    np.testing.assert_array_equal(bags[0], [[1.0], [2.0]])


def test_sparse_duplicates_are_added_up():
    twice = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2))
    np.testing.assert_array_equal(dense(Bags(twice, [0]).instances), [[0.0, 3.0]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_list_of_frames_has_their_names(frame):
    bags = [frame({"a": bag[:, 0], "b": bag[:, 1]}) for bag in listed()]
    assert as_bags(bags).feature_names == ("a", "b")
    assert as_bags([*bags[:-1], listed()[-1][:, :2]]).feature_names is None  # a bag without names
    swapped = [*bags[:-1], bags[-1][["b", "a"]]]
    with pytest.raises(ValueError, match="column 0 of bag 3 is named 'b', but that of bag 0 'a'"):
        as_bags(swapped)
    model = MILESClassifier(1, C="fast").fit(bags, [0, 1, 0, 1])
    assert list(model.feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="column 0 of X is named 'b' and was 'a' in fit"):
        model.predict([bag[["b", "a"]] for bag in bags])
    np.testing.assert_array_equal(model.predict(bags), model.predict([np.asarray(b) for b in bags]))


def test_frames_whose_columns_have_numbers_have_no_names():
    bags = [pd.DataFrame(bag) for bag in listed()]
    assert as_bags(bags).feature_names is None


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "a", "bag"], "two columns of X are called 'a'; rename one"),
        ([0, "0", "bag"], "two columns of X are called '0'; rename one"),
        (["a", "bag", "bag"], "two columns of X are called 'bag'; rename one"),
    ],
)
def test_two_columns_of_one_name_are_refused(names, said):
    frame = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=names)
    for options in ({}, {"bag_column": "bag"}):
        with pytest.raises(ValueError, match=said):
            as_bags(frame, **options)
        with pytest.raises(ValueError, match=said):
            MILESClassifier(1, **options).fit(frame, [0, 1, 0, 1])


@pytest.mark.parametrize("table", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_dates_among_the_columns_are_refused(table):
    days = pd.date_range("2020-01-01", periods=4)
    frame = pd.DataFrame({"a": np.arange(4.0), "day": days, "bag": [0, 0, 1, 1]})
    with pytest.raises(
        ValueError, match=r"column 'day' holds datetime64.*; turn dates into numbers"
    ):
        as_bags(table(frame), bag_column="bag")

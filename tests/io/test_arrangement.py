"""Files without names: the columns of a model are found by how they stood when it was fitted."""

from pathlib import Path

import pytest

from handful.io import InputError
from handful.io.columns import arrange

NEW = Path("new.csv")


def found(n_columns, **said):
    """The model: an id, that was left out, three features and a target."""
    return arrange(NEW, n_columns, 3, targets=[4], left_out=[0], **said)


def test_the_same_columns():
    assert found(5) == ([1, 2, 3], [4])
    assert found(5, left_out_here=[0]) == ([1, 2, 3], [4])


def test_features_alone():
    assert found(3) == ([0, 1, 2], [])


def test_without_the_target():
    assert found(4, left_out_here=[0]) == ([1, 2, 3], [])


def test_without_what_was_left_out():
    assert found(4, target_here=3) == ([0, 1, 2], [3])


def test_a_new_id():
    assert found(6, left_out_here=[5]) == ([1, 2, 3], [4])
    assert found(4, left_out_here=[2]) == ([0, 1, 3], [])
    assert arrange(NEW, 4, 3, targets=[3], left_out_here=[0]) == ([1, 2, 3], [])


def test_a_target_in_another_place():
    assert found(5, target_here=0) == ([2, 3, 4], [0])


def test_the_target_is_not_guessed():
    with pytest.raises(InputError, match="4 columns, 3 of them features, but which ones cannot"):
        found(4)


def test_a_number_of_columns_that_fits_nothing():
    message = (
        "new.csv has 9 columns, the model was fitted on 3 of features, 1 of targets and 1 left"
    )
    with pytest.raises(InputError, match=message):
        found(9)
    with pytest.raises(InputError, match="has 2 columns"):
        found(2)

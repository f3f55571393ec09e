"""Is the target a class or a quantity? And what are features called?"""

import numpy as np
import pytest

from handful.cli.feature_names import FeatureNames
from handful.cli.problem import is_regression
from handful.io import InputError


@pytest.mark.parametrize(
    ("y", "regression"),
    [
        (np.array(["a", "b"] * 5, dtype=object), False),
        (np.array([True, False] * 5), False),
        (np.array([0, 1] * 5), False),
        (np.array([0, 1]), False),
        (np.arange(40).repeat(10), False),
        (np.arange(40), True),
        (np.arange(101).repeat(10), True),
        (np.arange(100).repeat(10), False),
        (np.array([0.5, 1.5] * 5), True),
        (np.array([f"row {j}" for j in range(300)], dtype=object), False),
    ],
)
def test_the_target_is_looked_at(y, regression):
    assert is_regression(y, None)[0] is regression


def test_the_user_knows_better():
    assert is_regression(np.array([0, 1] * 5), True)[0] is True
    assert is_regression(np.array([0.5, 1.5] * 5), False)[0] is False
    with pytest.raises(
        InputError, match="the target is text such as 'a'; regression needs numbers"
    ):
        is_regression(np.array(["a", "b"], dtype=object), True)


def test_the_other_choice_is_offered_where_there_is_doubt():
    assert "--regression" in is_regression(np.arange(40).repeat(10), None)[1]
    assert "--regression" not in is_regression(np.array([0, 1] * 5), None)[1]
    assert "--classification" in is_regression(np.array([0.5, 1.5]), None)[1]
    assert "--classification" not in is_regression(np.array([0.5, 1.5]), True)[1]


def test_named_features():
    names = FeatureNames(("a", "0", "c"), 3)
    assert [names[j] for j in range(3)] == ["a", "0", "c"]
    assert names.ids(["c", "0", "2"]) == [2, 1, 2]  # a name before a number
    assert names.ids([]) is None
    with pytest.raises(
        InputError, match="there is no feature 'A'; it has the features 'a', '0', 'c'"
    ):
        names.ids(["A"])
    with pytest.raises(InputError, match="there is no feature 3; they are numbered 0 to 2"):
        names.ids(["3"])


def test_numbered_features():
    names = FeatureNames(None, 3, first_index=1)
    assert names[0] == "1"
    assert names.ids(["1", "3"]) == [0, 2]
    for wrong in ("0", "4", "age", "-1"):
        with pytest.raises(
            InputError, match=f"there is no feature {wrong}; they are numbered 1 to 3"
        ):
            names.ids([wrong])

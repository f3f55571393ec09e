"""Labels and weights whose index is the ids of the bags are those of these bags, in any order."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from handful import DictionaryMILClassifier, MILESClassifier
from handful.model_selection import SelectKCV, nested_score

RNG = np.random.default_rng(0)
IDS = [f"m{j:02d}" for j in range(30)]
LABELS = pd.Series(np.arange(30) % 2, index=IDS)
FRAME = pd.DataFrame(RNG.normal(size=(120, 4)), columns=list("abcd"))
FRAME["who"] = np.repeat(IDS, 4)
FRAME.loc[::4, "a"] += 4.0 * LABELS.to_numpy()
MIXED = LABELS.sample(frac=1, random_state=1)

MODELS = {
    "miles": MILESClassifier(3, bag_column="who", C="fast"),
    "dictionary": DictionaryMILClassifier(4, bag_column="who", random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_index_says_whose_label_it_is(name):
    expected = clone(MODELS[name]).fit(FRAME, LABELS.to_numpy())
    found = clone(MODELS[name]).fit(FRAME, MIXED)
    np.testing.assert_array_equal(found.weights_, expected.weights_)
    assert found.score(FRAME, MIXED) == expected.score(FRAME, LABELS.to_numpy()) > 0.7


@pytest.mark.parametrize("name", MODELS)
def test_weights_too(name):
    weights = pd.Series(np.linspace(0.5, 2.0, 30), index=IDS)
    mixed = weights.sample(frac=1, random_state=2)
    expected = clone(MODELS[name]).fit(FRAME, LABELS.to_numpy(), weights.to_numpy())
    found = clone(MODELS[name]).fit(FRAME, MIXED, mixed)
    np.testing.assert_array_equal(found.weights_, expected.weights_)
    in_order = found.score(FRAME, LABELS.to_numpy(), weights.to_numpy())
    assert found.score(FRAME, MIXED, mixed) == in_order


def test_any_other_index_is_left_alone():
    expected = clone(MODELS["miles"]).fit(FRAME, LABELS.to_numpy())
    for index in (np.arange(30), [*IDS[:-1], "other"], [IDS[0]] * 30):
        labels = pd.Series(LABELS.to_numpy(), index=index)
        found = clone(MODELS["miles"]).fit(FRAME, labels)
        np.testing.assert_array_equal(found.weights_, expected.weights_)


def test_a_choice_of_k():
    groups = pd.Series(np.arange(30) // 2, index=IDS)
    search = SelectKCV(MODELS["miles"], k=[1, 3], cv=3)
    expected = clone(search).fit(FRAME, LABELS.to_numpy(), groups=groups.to_numpy())
    mixed = {"groups": groups.sample(frac=1, random_state=3)}
    found = clone(search).fit(FRAME, MIXED, **mixed)
    np.testing.assert_array_equal(found.k_path_.scores, expected.k_path_.scores)
    nested = nested_score(search, FRAME, MIXED, cv=3, **mixed)
    in_order = nested_score(search, FRAME, LABELS.to_numpy(), cv=3, groups=groups.to_numpy())
    np.testing.assert_array_equal(nested.scores, in_order.scores)

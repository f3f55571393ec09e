"""What a dictionary cannot be learned from: one sentence each."""

import re

import numpy as np
import pytest

from handful import DictionaryMILClassifier
from handful.datasets import make_bags

DATA = make_bags(n_bags=10, mean_size=2, n_features=3, n_test_bags=0, random_state=0)

WRONG = {
    "n_atoms must be a whole number of at least 1; got 0.": {"n_atoms": 0},
    "gamma must be a number above 0 or 'scale'; got 0.": {"gamma": 0},
    "gamma must be a number above 0 or 'scale'; got -2.": {"gamma": -2},
    "gamma must be a number above 0 or 'scale'; got 'auto'.": {"gamma": "auto"},
    "C must be a number above 0; got -1.": {"C": -1},
    "dictionary_penalty must be a finite number of at least 0; got -0.5.": {
        "dictionary_penalty": -0.5
    },
    "init must be one of 'random', 'kmeans', or an array of atoms; got 'means'.": {"init": "means"},
    "init must be 'random', 'kmeans' or a matrix": {"init": None},
    "init must have a row for each of the 2 atoms and a column for each of the 3 columns": {
        "init": np.zeros((2, 4))
    },
    "init must hold finite numbers.": {"init": np.full((2, 3), np.nan)},
    "max_iter must be a whole number of at least 0; got -1.": {"max_iter": -1},
    "n_init must be a whole number of at least 1; got 0.": {"n_init": 0},
    "tol must be a number above 0; got 0.": {"tol": 0},
    "loss must be one of": {"loss": "f-one"},
    "scale must be one of None, 'raw', 'norm', 'std'; got True.": {"scale": True},
    "scale='norm' is not for bags": {"scale": "norm"},
    "checkpoint must be the path of a file or None; got 3": {"checkpoint": 3},
    'verbose must be True, False, "bar" or a function': {"verbose": "yes"},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_parameter(message):
    options = {"n_atoms": 2, **WRONG[message]}
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        DictionaryMILClassifier(**options).fit(DATA.bags, DATA.y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_starts_that_are_not_drawn_again(random_state, tmp_path):
    options = {"random_state": random_state, "checkpoint": tmp_path / "c", "max_iter": 2}
    with pytest.raises(ValueError, match="only with the same starts: give a number as random_st"):
        DictionaryMILClassifier(2, **options).fit(DATA.bags, DATA.y)
    given = DictionaryMILClassifier(2, init=np.eye(2, 3), **options)
    assert given.fit(DATA.bags, DATA.y).n_iter_ == 2


def test_one_class():
    with pytest.raises(ValueError, match=r"needs samples of at least 2 classes; y has one class"):
        DictionaryMILClassifier(2).fit(DATA.bags, np.ones(10))


def with_nan():
    bags = [np.array(bag) for bag in DATA.bags]
    bags[4][0, 1] = np.nan
    return bags


WRONG_BAGS = {
    "bag 1 is empty": [np.zeros((2, 3)), np.zeros((0, 3))],
    "bag 1 has instances of 4 columns, but bag 0 has 3": [np.zeros((2, 3)), np.zeros((1, 4))],
    "bag_ids must hold one id for each of the 4 instances; got 3": (np.zeros((4, 3)), [0, 0, 1]),
    "row 0 of bag 4 holds NaN": with_nan(),
}


@pytest.mark.parametrize("message", WRONG_BAGS)
def test_wrong_bags(message):
    X = WRONG_BAGS[message]
    with pytest.raises(ValueError, match=message) as caught:
        DictionaryMILClassifier(2).fit(X, np.arange(len(X)) % 2)
    assert "\n" not in str(caught.value)


def test_labels_of_instances():
    labels = np.arange(DATA.bags.n_instances) % 2
    with pytest.raises(ValueError, match="labels belong to the 10 bags"):
        DictionaryMILClassifier(2).fit(DATA.bags, labels)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = DictionaryMILClassifier(2, max_iter=2, random_state=0).fit(DATA.bags, DATA.y)
    before = model.dictionary_.copy()
    with pytest.raises(ValueError, match="init must have a row"):
        model.set_params(init=np.zeros((2, 4))).fit(DATA.bags, DATA.y)
    np.testing.assert_array_equal(model.dictionary_, before)


def test_instances_that_are_all_the_same():
    bags = [np.ones((2, 3)) for _ in range(6)]
    model = DictionaryMILClassifier(1, random_state=0).fit(bags, [0, 1] * 3)
    assert np.isfinite(model.decision_function(bags)).all()

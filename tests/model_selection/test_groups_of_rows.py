"""Rows of one patient are never both learned from and judged by, also where folds are given as a number."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, cross_validate
from sklearn.utils._testing import ignore_warnings

from handful import GreedyRLSClassifier, GreedyRLSRegressor, RFSClassifier
from handful.inspection import report
from handful.model_selection import SelectKCV, StabilitySelection, nested_score
from handful.model_selection._folds import make_splits
from handful.model_selection._samples import Samples

RNG = np.random.default_rng(1)
PATIENTS = RNG.permutation(np.repeat(np.arange(40), 4))
X = RNG.normal(size=(40, 200))[PATIENTS] + 0.01 * RNG.normal(size=(160, 200))
COIN = RNG.integers(0, 2, 40)[PATIENTS]  # nothing to learn but who is who
QUANTITY = RNG.normal(size=40)[PATIENTS]
LABELS = RNG.integers(0, 2, (40, 3))[PATIENTS]


def splits_of(cv, selector, y, random_state=None, groups=PATIENTS):
    return make_splits(cv, selector, Samples(X, y), random_state, groups=groups)


@pytest.mark.parametrize("random_state", [None, 0])
@pytest.mark.parametrize(
    ("selector", "y"),
    [
        (GreedyRLSClassifier(), COIN),
        (GreedyRLSClassifier(), LABELS),
        (GreedyRLSRegressor(), QUANTITY),
    ],
)
@pytest.mark.parametrize("cv", [None, 4])
def test_a_number_of_folds_keeps_groups_together(cv, selector, y, random_state):
    splits = splits_of(cv, selector, y, random_state, groups=PATIENTS.tolist())
    assert len(splits) == (cv or 5)
    for train, test in splits:
        assert not set(PATIENTS[train]) & set(PATIENTS[test])


@pytest.mark.parametrize(
    ("selector", "y", "splitter"),
    [
        (GreedyRLSClassifier(), COIN, StratifiedGroupKFold(4)),
        (GreedyRLSRegressor(), QUANTITY, GroupKFold(4)),
    ],
)
def test_the_folds_are_those_of_scikit_learn(selector, y, splitter):
    expected = list(splitter.split(X, y, PATIENTS))
    for (train, test), (own_train, own_test) in zip(
        splits_of(4, selector, y), expected, strict=True
    ):
        np.testing.assert_array_equal(train, own_train)
        np.testing.assert_array_equal(test, own_test)


def test_without_groups_nothing_has_changed():
    held_out = [test for _, test in splits_of(4, GreedyRLSRegressor(), QUANTITY, groups=None)]
    np.testing.assert_array_equal(np.concatenate(held_out), np.arange(160))


@pytest.mark.parametrize("cv", [4, GroupKFold(4)])
def test_coin_flips_have_no_honest_score(cv):
    search = SelectKCV(GreedyRLSClassifier(), k=[2, 5, 10], cv=cv, nested=4)
    search.fit(X, COIN, groups=PATIENTS)
    assert search.best_score_ < 0.7
    assert search.nested_score_.mean < 0.7
    assert search.honesty_.nested is search.nested_score_


def test_nested_score_of_a_fixed_number_and_of_a_search():
    assert nested_score(GreedyRLSClassifier(5), X, COIN, cv=4, groups=PATIENTS).mean < 0.7
    search = SelectKCV(GreedyRLSClassifier(), k=[2, 5], cv=3)
    assert nested_score(search, X, COIN, cv=4, groups=PATIENTS).mean < 0.7


def test_a_selector_with_folds_that_takes_no_groups_is_judged_all_the_same():
    assert nested_score(RFSClassifier(5), X, COIN, cv=4, groups=PATIENTS).mean < 0.7


@ignore_warnings(category=UserWarning)
def test_with_metadata_routing_too():
    with config_context(enable_metadata_routing=True):
        search = SelectKCV(GreedyRLSClassifier(), k=[2, 5], cv=4, nested=4)
        search.fit(X, COIN, groups=PATIENTS)
    assert search.best_score_ < 0.7
    assert search.nested_score_.mean < 0.7


@pytest.mark.parametrize(
    ("requests", "whole"), [({}, True), ({"groups": True}, True), ({"groups": False}, False)]
)
def test_groups_and_weights_are_routed_to_halves(monkeypatch, requests, whole):
    as_it_is, seen = GreedyRLSClassifier.fit, []

    def fit(self, X, y, sample_weight=None):
        if (
            X.shape[1] == 201
        ):  # a half, whose last column tells the patients, and not the last fit of few columns
            counts = np.unique(X[:, -1], return_counts=True)[1]
            seen.append(((counts == 4).all(), (sample_weight == 2).all()))
        return as_it_is(self, X, y, sample_weight)

    monkeypatch.setattr(GreedyRLSClassifier, "fit", fit)
    params = {"groups": PATIENTS, "sample_weight": np.full(len(X), 2.0)}
    with config_context(enable_metadata_routing=True):
        estimator = GreedyRLSClassifier(2).set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=True)
        model = StabilitySelection(estimator, 2, aggregate=True, random_state=0)
        model.set_fit_request(**requests).set_score_request(sample_weight=True)
        rows = np.column_stack([X, PATIENTS])
        cross_validate(model, rows, COIN, params=params, cv=GroupKFold(2), error_score="raise")
    assert len(seen) == 8
    assert all(weighed for _, weighed in seen)
    assert all(kept for kept, _ in seen) == whole


@ignore_warnings(category=UserWarning)
@pytest.mark.parametrize("threshold", [0.1, 1.0])  # features to predict from, and none
def test_weights_of_a_score_are_requested_of_the_halves_alone(threshold):
    weights = np.where(COIN[0] == COIN, 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        estimator = GreedyRLSClassifier(2).set_fit_request(sample_weight=True)
        model = StabilitySelection(estimator, 4, threshold=threshold, random_state=0)
        model.set_score_request(sample_weight=True).fit(X, COIN, sample_weight=weights)
        is_right = model.predict(X) == COIN
        assert (model.n_features_ > 0) == (threshold < 1)
        assert model.score(X, COIN, sample_weight=weights) == np.average(is_right, weights=weights)


def test_more_folds_than_groups_are_refused():
    search = SelectKCV(GreedyRLSClassifier(), k=[2], cv=3)
    with pytest.raises(ValueError, match="groups has 2 different labels, too few for 3 folds"):
        search.fit(X, COIN, groups=PATIENTS % 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([f"p{j}" for j in PATIENTS[:-1]] + [None], "groups has no label for sample 159; find out"),
        (
            pd.Series([f"p{j}" for j in PATIENTS]).where(PATIENTS[0] != PATIENTS),
            "no label for sample 0;",
        ),
        (np.where(np.arange(160) == 7, np.nan, PATIENTS), "no label for sample 7;"),
        (pd.array([*PATIENTS[:-1], None], dtype="Int64"), "no label for sample 159;"),
        ([*PATIENTS[:-1], "p7"], "labels of different types"),
    ],
)
def test_a_row_of_nobody_is_named(labels, message):
    labels = labels if hasattr(labels, "dtype") else np.array(labels, dtype=object)
    fitted = GreedyRLSClassifier(2).fit(X, COIN)
    for ask in (
        lambda: SelectKCV(GreedyRLSClassifier(), [1, 2], cv=3).fit(X, COIN, groups=labels),
        lambda: nested_score(GreedyRLSClassifier(2), X, COIN, cv=3, groups=labels),
        lambda: StabilitySelection(GreedyRLSClassifier(2), 2).fit(X, COIN, groups=labels),
        lambda: report(fitted, X, COIN, groups=labels),
    ):
        with pytest.raises(ValueError, match=message):
            ask()

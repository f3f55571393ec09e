"""Warnings point at the line that called fit."""

import numpy as np
import pytest
from every_estimator import OF_COLUMNS, quick
from sklearn.base import is_regressor

from handful import (
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSRegressor,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 6))
X[:, 4:] = [1.0, 0.0]  # says nothing
TIMES = X[:, 0] + X[:, 1] + 0.1 * RNG.standard_normal(60)
CLASSES = np.digitize(TIMES, [-0.5, 0.5])
WEIGHT = RNG.uniform(0.5, 2.0, 60)


@pytest.mark.parametrize(
    "model",
    [
        *(quick(name, 5) for name in OF_COLUMNS),
        *(FGMClassifier(5), FGMRegressor(5), FGMClassifier(5, loss="f1")),
    ],
    ids=repr,
)
def test_of_too_few_features(model):
    with pytest.warns(UserWarning, match="features asked for") as caught:
        model.fit(X, TIMES if is_regressor(model) else CLASSES)
    assert {one.filename for one in caught} == {__file__}


@pytest.mark.parametrize(
    "model", [FGMRegressor(2), MultiTaskLassoInf(n_features_to_select=2), RFSRegressor(2)], ids=repr
)
def test_of_a_single_feature(model):
    one = X * (np.arange(6) == 0)
    with pytest.warns(
        UserWarning, match=r"^Only 1 of the 2 features .* (carries|has) .*; 1 was sel"
    ):
        model.fit(one, TIMES)


def test_of_a_single_atom():
    same = np.ones((6, 2))
    with pytest.warns(
        UserWarning, match="the 1 different instance of the bags; there is 1 atom, one"
    ):
        DictionaryMILClassifier(2, random_state=0).fit(same, [0, 1, 0, 1, 0, 1])


def test_of_weights_under_hard_margins():
    wide = RNG.standard_normal((20, 60))
    with pytest.warns(UserWarning, match="Hard margins") as caught:
        DirectSparsityClassifier(5).fit(wide, wide[:, 0] > 0, sample_weight=WEIGHT[:20])
    assert [one.filename for one in caught] == [__file__]


def test_of_a_class_of_one_sample():
    y = np.where(np.arange(60) == 0, 3, CLASSES)
    for model in (DirectSparsityClassifier(2), RFSClassifier(2)):
        with pytest.warns(UserWarning, match="one sample only") as caught:
            model.fit(X, y)
        assert [one.filename for one in caught] == [__file__]


def test_of_a_constant_output():
    with pytest.warns(UserWarning, match="Column 1 of y is constant") as caught:
        GreedyRLSRegressor(2).fit(X, np.column_stack([TIMES, np.ones(60)]))
    assert [one.filename for one in caught] == [__file__]

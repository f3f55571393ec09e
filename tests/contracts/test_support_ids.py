"""``support_ids_`` is int64 and ascending in every estimator, and the weights go with it."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import handful
from handful import (
    Bags,
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    SVMPerfClassifier,
)
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial, Substrings
from handful.spaces.registry import KNOWN_SPACES

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 12))
# The last columns decide most: what is found first is not what comes first.
SCORE = 3 * X[:, 11] + 2 * X[:, 4] - 1.5 * X[:, 7] + X[:, 0]
TWO, THREE = SCORE > 0, np.digitize(SCORE, [-2.0, 2.0])
OUTPUTS = np.column_stack([SCORE, X[:, 5] - X[:, 2]])
GROUPS = np.arange(12)[::-1] % 6
BAGS = Bags.of_sizes(X, np.full(40, 2))
MODELS = {
    "FGM": (FGMClassifier(4, C="fast"), X, THREE),
    "FGM, plain": (FGMClassifier(budget=3, max_rounds=2), X, TWO),
    "FGM, include": (FGMClassifier(4, include=[9, 2], C="fast"), X, TWO),
    "FGM, own features of classes": (
        FGMClassifier(2, loss="f1", max_rounds=3, C="fast", per_class=True),
        X,
        THREE,
    ),
    "FGM, substrings": (
        FGMClassifier(4, space=Substrings(), C="fast"),
        np.array([f"{a} {b}" for a, b in np.digitize(X[:, [11, 4]], [-1.0, 0.0, 1.0])]),
        TWO,
    ),
    "FGM, groups": (FGMClassifier(2, groups=GROUPS, C="fast"), X, TWO),
    "FGM, overlapping groups": (
        FGMClassifier(2, groups=[[11, 3], [7, 4, 3], [9, 0]], C="fast"),
        X,
        TWO,
    ),
    "FGM, pairs": (FGMClassifier(4, space=Polynomial(), C="fast"), X, TWO),
    "FGM, levels": (FGMClassifier(4, space=HistogramIntersection(), C="fast"), X, TWO),
    "FGM, kernels": (FGMClassifier(4, space=AdditiveKernel(), C="fast"), X, THREE),
    "FGM, regression": (FGMRegressor(4, C="fast"), X, SCORE),
    "greedy": (GreedyRLSClassifier(4), X, THREE),
    "greedy, groups": (GreedyRLSClassifier(2, groups=GROUPS), X, TWO),
    "greedy, regression": (GreedyRLSRegressor(4), X, OUTPUTS),
    "lasso": (MultiTaskLassoInf(n_features_to_select=4), X, OUTPUTS),
    "direct": (DirectSparsityClassifier(4), X, THREE),
    "RFS": (RFSClassifier(4), X, THREE),
    "RFS, regression": (RFSRegressor(4), X, OUTPUTS),
    "all features": (SVMPerfClassifier(), X, TWO),
    "instances": (MILESClassifier(4, C="fast"), BAGS, TWO[::2]),
    "instances, plain": (MILESClassifier(budget=3, max_rounds=2), BAGS, TWO[::2]),
    "own instances of classes": (
        MILESClassifier(2, loss="f1", max_rounds=1, C="fast", per_class=True),
        BAGS,
        THREE[::2],
    ),
}
#: Its atoms are learned, not chosen.
WITHOUT = {DictionaryMILClassifier}


def test_every_estimator_and_space_is_here():
    public = (getattr(handful, name) for name in handful.__all__)
    estimators = {it for it in public if inspect.isclass(it) and issubclass(it, BaseEstimator)}
    assert {type(estimator) for estimator, _, _ in MODELS.values()} == estimators - WITHOUT
    spaces = {
        type(getattr(estimator, "space", None)).__name__ for estimator, _, _ in MODELS.values()
    }
    assert spaces == KNOWN_SPACES.keys() | {"NoneType"}


@pytest.mark.parametrize("case", MODELS)
def test_ids_ascend_and_weights_go_with_them(case):
    estimator, data, y = MODELS[case]
    model = clone(estimator).fit(data, y)
    assert model.support_ids_.dtype == np.int64
    assert len(model.support_ids_) > 1
    assert (np.diff(model.support_ids_) > 0).all()
    columns = model.transform(data) if hasattr(model, "transform") else data
    raw = columns @ model.weights_.T + model.intercept_
    decide = getattr(model, "decision_function", model.predict)
    np.testing.assert_allclose(raw.reshape(decide(data).shape), decide(data), atol=1e-9)
    for ids in getattr(model, "class_support_ids_", []):
        assert (np.diff(ids) > 0).all()

"""scikit-learn's own checks on bags of one instance, which a plain matrix is."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import MILESClassifier

SETTINGS = [
    {"n_features_to_select": 3, "C": "fast"},
    {"budget": 3, "max_rounds": 3, "gamma": 0.5, "scale": "raw", "loss": "logistic"},
]


@parametrize_with_checks([MILESClassifier(**SETTINGS[0])])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks([MILESClassifier(**setting) for setting in SETTINGS[1:]])
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    X, y, weight = rng.random((20, 6)), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    weighted = MILESClassifier(3, C="fast").fit(X, y, sample_weight=weight)
    repeated = MILESClassifier(3, C="fast").fit(X.repeat(weight, axis=0), y.repeat(weight))
    for method in ("decision_function", "transform", "predict"):
        one, other = (getattr(model, method)(X) for model in (weighted, repeated))
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)

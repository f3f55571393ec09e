"""``support_ids_`` is int64 and ascending in every estimator, and the weights go with it."""

import numpy as np
import pytest
from every_estimator import ESTIMATORS, MODELS
from sklearn.base import clone

from handful.spaces import known_spaces


def test_every_estimator_and_space_is_in_the_catalogue():
    ask = "give it a model in every_estimator.py::MODELS"
    assert {type(estimator) for estimator, _, _ in MODELS.values()} == {*ESTIMATORS.values()}, ask
    spaces = {
        type(getattr(estimator, "space", None)).__name__ for estimator, _, _ in MODELS.values()
    }
    assert spaces == known_spaces().keys() | {"NoneType"}, ask


# Atoms of a dictionary are learned, not chosen.
@pytest.mark.parametrize("case", [case for case in MODELS if case != "dictionary"])
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

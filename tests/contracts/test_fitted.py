"""Every fitted estimator has the attributes that all are promised to have."""

import numpy as np
import pytest
from contracts.test_support_ids import BAGS, MODELS, TWO
from sklearn.base import clone

from handful import DictionaryMILClassifier
from handful.history import History
from handful.status import Status

ALL = MODELS | {"dictionary": (DictionaryMILClassifier(3, random_state=0), BAGS, TWO[::2])}


@pytest.mark.parametrize("case", ALL)
def test_fitted_attributes(case):
    estimator, data, y = ALL[case]
    model = clone(estimator).fit(data, y)
    n_outputs = len(np.atleast_1d(model.intercept_))
    assert model.weights_.shape[0] == n_outputs
    assert model.n_iter_ > 0
    assert model.objective_ >= 0
    assert model.dual_gap_ >= 0
    assert isinstance(model.history_, History)
    assert isinstance(model.status_, Status)
    if hasattr(model, "predict") and hasattr(model, "decision_function"):
        assert len(model.classes_) in (2, n_outputs)

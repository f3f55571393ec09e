"""Every fitted estimator has the attributes that all are promised to have."""

import numpy as np
import pytest
from every_estimator import MODELS
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from handful.history import History
from handful.status import Status

WEIGHTS = "sample_weight"


@pytest.mark.parametrize("case", MODELS)
def test_fitted_attributes(case):
    estimator, data, y = MODELS[case]
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


@pytest.mark.parametrize("case", MODELS)
def test_a_failed_fit_leaves_everything_as_it_was(case):
    """Labels of one class, or columns of one number each, are found out after the input was looked at."""
    estimator, data, y = MODELS[case]
    model = clone(estimator).fit(data, y)
    before = dict(vars(model))
    wrong = (data, np.full(len(y), "one")) if is_classifier(model) else (0.0 * data, y)
    with pytest.raises(ValueError, match=r"at least 2 classes|carries any signal"):
        model.fit(*wrong)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())


OF_ONE_KIND = {
    kind: [case for case in MODELS if type(MODELS[case][0]) is kind]
    for kind in (type(estimator) for estimator, _, _ in MODELS.values())
}


@pytest.mark.parametrize("kind", OF_ONE_KIND, ids=lambda kind: kind.__name__)
def test_nothing_is_left_of_an_earlier_fit(kind):
    """One model goes through all settings and targets, and back to the first."""
    cases = OF_ONE_KIND[kind]
    model = kind()
    for case in [*cases, *cases[-2::-1]]:
        estimator, data, y = MODELS[case]
        fresh = clone(estimator).fit(data, y)
        model.set_params(**clone(estimator).get_params(deep=False)).fit(data, y)
        assert vars(model).keys() == vars(fresh).keys(), case


@pytest.mark.parametrize("factor", [1e-320, 1e-200, 1e200, 1e307])
@pytest.mark.parametrize(
    "case", [case for case in MODELS if has_fit_parameter(MODELS[case][0], WEIGHTS)]
)
def test_weights_that_products_cannot_hold_are_refused(case, factor):
    estimator, data, y = MODELS[case]
    weight = np.where(np.arange(len(y)) == 5, factor, 1.0)
    with pytest.raises(ValueError, match=r"^sample_weight must be 0 or lie .* sample 5 has .*[.]$"):
        clone(estimator).fit(data, y, sample_weight=weight)

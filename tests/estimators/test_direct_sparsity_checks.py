"""scikit-learn's own checks of estimators of vanishing rows, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor

MARGINS = [
    {"margin": "hard", "p": 1.0},
    {"margin": "soft"},
    {"margin": "projected"},
]
OTHERS = [
    {"n_features_to_select": 2},
    {"penalize_intercept": True},
    {"scale": "std"},
]
REGRESSORS = [{"n_features_to_select": 1, "refit": False}, {"n_features_to_select": 2}]


@parametrize_with_checks(
    [DirectSparsityClassifier(), DirectSparsityClassifier(2), RFSClassifier(), RFSRegressor()]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [DirectSparsityClassifier(**setting) for setting in OTHERS[1:] + MARGINS]
    + [DirectSparsityClassifier(1, refit=False)]
    + [RFSClassifier(**setting) for setting in OTHERS]
    + [RFSRegressor(**setting) for setting in OTHERS + REGRESSORS]
)
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)

"""scikit-learn's own checks of the multi-task lasso, with no expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import MultiTaskLassoInf

SETTINGS = [
    {},
    {"alpha": 0.01},
    {"n_features_to_select": 1},
    {"n_features_to_select": 2},
    {"fit_intercept": False},
]


@parametrize_with_checks([MultiTaskLassoInf(**setting) for setting in SETTINGS])
def test_scikit_learn_check(estimator, check):
    check(estimator)

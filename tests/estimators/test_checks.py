"""scikit-learn's own checks, with no expected failure, in every main setting."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import FGMClassifier, FGMRegressor
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

BOTH = [
    {},
    {"n_features_to_select": 1},
    {"n_features_to_select": 2, "warm_start": True},
    {"n_features_to_select": 2, "solver": "ksupport"},
    {"solver": "apg"},
    {"solver": "mkl"},
    {"scale": "norm"},
    {"fit_intercept": False},
    {"refit": False},
    {"n_jobs": 2},
    {"space": Polynomial()},
    {"n_features_to_select": 2, "space": Polynomial(interaction_only=True)},
    {"space": HistogramIntersection()},
    {"n_features_to_select": 2, "space": AdditiveKernel("gaussian")},
]
CLASSIFIERS = [{"loss": "logistic"}, {"loss": "logistic", "n_features_to_select": 2}]


@parametrize_with_checks(
    [FGMClassifier(**setting) for setting in BOTH + CLASSIFIERS]
    + [FGMRegressor(**setting) for setting in BOTH]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)

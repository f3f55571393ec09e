"""scikit-learn's own checks, with no expected failure, in every main setting."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import DictionaryMILClassifier, FGMClassifier, FGMRegressor, MILESClassifier
from handful.losses import Multivariate
from handful.measures import FBeta, PrecisionAtK
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

MAIN = [{}, {"n_features_to_select": 2, "warm_start": True, "C": "fast"}]
OTHERS = [
    {"n_features_to_select": 1},
    {"space": Polynomial()},
    {"n_features_to_select": 2, "solver": "ksupport"},
    {"solver": "apg"},
    {"solver": "mkl"},
    {"scale": "norm"},
    {"fit_intercept": False},
    {"refit": False},
    {"n_jobs": 2},
    {"n_features_to_select": 2, "space": Polynomial(interaction_only=True), "C": "fast"},
    {"space": HistogramIntersection()},
    {"n_features_to_select": 2, "space": AdditiveKernel("gaussian"), "C": "fast"},
]
FEW = {"n_features_to_select": 2, "C": "fast"}
CLASSIFIERS = [{"loss": "logistic"}, {"loss": "logistic", "n_features_to_select": 2, "C": "fast"}]


@parametrize_with_checks(
    [FGMClassifier(**setting) for setting in [*MAIN, CLASSIFIERS[1]]]
    + [FGMRegressor(), FGMClassifier(**FEW, refit=LogisticRegression())]
    + [FGMRegressor(**FEW, refit=Ridge())]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [FGMClassifier(**setting) for setting in [*OTHERS, CLASSIFIERS[0]]]
    + [FGMRegressor(**setting) for setting in [MAIN[1], *OTHERS]]
)
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [FGMClassifier, MILESClassifier, DictionaryMILClassifier])
@pytest.mark.parametrize(
    ("loss", "takes_weights"),
    [
        *(("logistic", True), ("roc_auc", True), ("f1", True), (FBeta(beta=2.0), True)),
        *(("prbep", False), ("average_precision", False), (PrecisionAtK(3), False)),
        *((Multivariate(PrecisionAtK(3)), False), (Multivariate(FBeta()), True)),
        *(("prec@-3", True), (None, True)),  # which fit refuses, and not the tags
    ],
)
def test_tags_say_whether_a_loss_takes_weights(estimator, loss, takes_weights):
    assert get_tags(estimator(loss=loss)).classifier_tags.sample_weight is takes_weights

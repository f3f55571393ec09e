"""Predictors that are selectors, in scikit-learn's manner."""

from handful.estimators.fgm import FGMClassifier
from handful.estimators.fgm_regressor import FGMRegressor

__all__ = ["FGMClassifier", "FGMRegressor"]

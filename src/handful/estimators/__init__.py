"""Predictors that are selectors, in scikit-learn's manner."""

from handful.estimators.fgm import FGMClassifier, FGMRegressor

__all__ = ["FGMClassifier", "FGMRegressor"]

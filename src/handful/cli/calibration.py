"""``--calibrate``: probabilities from the scores of rows that were held out of the whole selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from handful.cli.cross_validation import folds_of, folds_there_can_be
from handful.cli.problem import Problem
from handful.estimators._labels import best_classes
from handful.status import Status

N_FOLDS = 5


class _Scores(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are what it is given."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def fit(self, X: Any, y: Any) -> _Scores:
        self.classes_ = np.arange(self.n_classes)
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X: Any) -> Any:
        return best_classes(X)


def calibrate(estimator: Any, problem: Problem, show: Callable[[object], None] | None) -> None:
    """Set ``calibration_`` of a fitted classifier: a slope and an offset for the scores of each output.

    The estimator is fitted anew in each fold, selection and all, and scores the rows held out; Platt's
    sigmoid is fitted to all of these scores together, by scikit-learn.
    """
    y = np.unique(problem.y, return_inverse=True)[1]
    n_classes = len(estimator.classes_)
    scores = np.empty((len(y), 1 if n_classes == 2 else n_classes))
    n_folds = min(N_FOLDS, folds_there_can_be(problem, y)[0])
    groups = None if problem.row_groups is None else problem.row_groups.labels
    folds = list(folds_of(problem, y, n_folds, seed=0).split(np.zeros(len(y)), y, groups))
    for number, (train, test) in enumerate(folds, start=1):
        if show is not None:
            show(f"calibrating: fold {number} of {len(folds)}")
        run = {key: None for key in ("checkpoint",) if key in estimator.get_params(deep=False)}
        model = clone(estimator).set_params(verbose=False, **run)
        of_train, of_test = problem.split(train, test)
        model.fit(of_train, y[train])
        if model.status_ is Status.INTERRUPTED:
            raise KeyboardInterrupt  # half a calibration is none
        scores[test] = model.decision_function(of_test).reshape(len(test), -1)
    frozen = FrozenEstimator(_Scores(n_classes).fit(scores, y))  # its folds are of no consequence
    (fitted,) = CalibratedClassifierCV(frozen, cv=2).fit(scores, y).calibrated_classifiers_
    # scikit-learn has 1 / (1 + exp(a z + b)).
    estimator.calibration_ = np.array([[-one.a_, -one.b_] for one in fitted.calibrators])

"""The same judge for every selector: an l2 model on the features it kept, scored on the test part.

The model is ``LinearSVC(dual=False)`` (squared hinge, intercept) on the raw selected columns. Its C is
the one of ``GRID`` with the best mean accuracy over three stratified, shuffled folds of the training
part (fixed seed; the smaller C on a tie), then it is fitted once on the whole training part.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from .problem import Ids, Matrix

Array = NDArray[Any]
# Half decades: with whole ones two nearly equal selections came out 1.5 points apart (X1, k = 500).
GRID = tuple(float(f"{10**power:.3g}") for power in np.arange(-3, 2.1, 0.5))
FOLDS = 3


@dataclass(frozen=True)
class Score:
    """Test figures of one refit, and the C that cross-validation chose."""

    accuracy: float
    f1: float | None
    C: float | None


def take_columns(X: Matrix, ids: Ids) -> Matrix:
    columns = X[:, ids]
    return columns if sp.issparse(columns) else np.ascontiguousarray(columns)


def _model(C: float) -> LinearSVC:
    return LinearSVC(dual=False, C=C, random_state=0)


def best_c(X: Matrix, y: Array, grid: tuple[float, ...] = GRID) -> float:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    means = [cross_val_score(_model(C), X, y, cv=folds, scoring="accuracy").mean() for C in grid]
    return grid[int(np.argmax(means))]


def score(
    X: Matrix, y: Array, X_test: Matrix, y_test: Array, grid: tuple[float, ...] = GRID
) -> Score:
    """Test accuracy of the refit on these columns, and F1 of the positive class when there are two."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        C = best_c(X, y, grid)
        predicted = _model(C).fit(X, y).predict(X_test)
    f1 = f1_score(y_test, predicted, pos_label=1) if len(np.unique(y)) == 2 else None
    return Score(float(accuracy_score(y_test, predicted)), f1, C)

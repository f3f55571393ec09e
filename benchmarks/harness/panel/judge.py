"""The judge of every selection: a linear model on the chosen columns, its penalty by cross-validation.

Classes: ``LinearSVC`` (squared hinge, intercept), C the best of seven by the accuracy over three
stratified folds of the training rows, the smaller on a tie. Quantities: ridge, its penalty by the exact
leave-one-out error. The same for every method; what counts is the accuracy or R2 on the test rows.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import RidgeCV
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from harness.problem import Matrix, Problem
from harness.refit import FOLDS, take_columns

Array = NDArray[Any]
# Columns of deviation 1 want smaller C than the words of rows of length 1.
GRID_DENSE = tuple(float(f"{C:.2g}") for C in np.logspace(-3, 1, 7))
GRID_SPARSE = tuple(float(f"{C:.2g}") for C in np.logspace(-1.5, 2.5, 7))
ALPHAS = np.logspace(-3, 5, 33)
SEARCH_TOL, FINAL_TOL = 1e-2, 1e-3


def grid_for(X: Matrix) -> tuple[float, ...]:
    """Which C are tried on such data."""
    return GRID_SPARSE if sp.issparse(X) else GRID_DENSE


def folds_of(y: Array) -> list[tuple[Array, Array]]:
    """Three stratified folds; a class of fewer rows than folds is missing in some, which is no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def machine(C: float, tol: float) -> LinearSVC:
    """Make the model of the judge."""
    return LinearSVC(dual=False, C=C, tol=tol, random_state=0)


def best_c(X: Matrix, y: Array, grid: tuple[float, ...]) -> float:
    """Return the C with the best accuracy over the folds, the smaller on a tie."""
    parts = [(X[a], y[a], X[b], y[b]) for a, b in folds_of(y)]
    rights = [
        sum((machine(C, SEARCH_TOL).fit(X, y).predict(Z) == t).sum() for X, y, Z, t in parts)
        for C in grid
    ]
    return grid[int(np.argmax(rights))]


def score(truth: Array, predicted: Array, is_numbers: bool) -> float:
    """Accuracy, or R2."""
    return float(r2_score(truth, predicted) if is_numbers else accuracy_score(truth, predicted))


def judge(problem: Problem, ids: Array, is_numbers: bool) -> float:
    """Score the refit on the chosen columns; without any, the commonest class or the mean."""
    if not len(ids):
        values, counts = np.unique(problem.y, return_counts=True)
        guess = problem.y.mean() if is_numbers else values[np.argmax(counts)]
        return score(problem.y_test, np.full(len(problem.y_test), guess), is_numbers)
    X, X_test = (take_columns(part, np.sort(ids)) for part in (problem.X, problem.X_test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_numbers:
            model: Any = RidgeCV(ALPHAS)
        else:
            model = machine(best_c(X, problem.y, grid_for(X)), FINAL_TOL)
        predicted = model.fit(X, problem.y).predict(X_test)
    return score(problem.y_test, predicted, is_numbers)

"""Folds of what a command has read: the curve that ``handful path`` shows, by ``SelectKCV``, and ``--calibrate``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from handful.cli.curve import Curve
from handful.cli.problem import Problem
from handful.cli.scoring import Scoring, guessing
from handful.cli.task import Task
from handful.estimators._labels import best_classes
from handful.io import InputError
from handful.io.mixed import MixedTable
from handful.model_selection import SelectKCV
from handful.model_selection._folds import folds_in_number, most_folds
from handful.model_selection._samples import Samples
from handful.status import Status
from handful.validation.plural import plural

#: Folds by which scores are calibrated.
N_FOLDS = 5


def cross_validate(
    task: Task,
    ks: str | Sequence[int],
    *,
    n_folds: int,
    scoring: Scoring,
    rule: str,
    seed: int,
    nested: int | None,
    show: Callable[[object], None] | None,
) -> Curve:
    """Judge every number of features on held-out rows.

    Ctrl-C ends it with the folds that are complete.
    """
    problem, method = task.problem, task.method
    y = problem.y
    if problem.n_classes is not None and y.ndim == 1:
        # Classes as 0, 1, ...: then scikit-learn takes the last one as positive, whatever its name.
        y = np.unique(y, return_inverse=True)[1]
    folds = folds_of(problem, y, n_folds, seed)
    outer = None if nested is None else folds_of(problem, y, nested, seed)
    if nested is not None:
        _check_inner(problem, y, n_folds, nested)
    figures: list[Any] = []
    estimator = task.estimator(verbose=show and partial(_show_round, show, figures, n_folds))
    groups = problem.row_groups
    more = {} if groups is None else {"groups": groups.labels}
    samples = Samples(problem.X, y, more)
    if problem.mixed is not None:
        estimator, samples = on_rows(problem.mixed, estimator, y, more)
    search = SelectKCV(
        estimator,
        ks,
        cv=folds,
        scoring=partial(_score, scoring),
        rule=rule,
        refit=False,
        nested=outer,
        return_train_score=True,
        verbose=figures.append,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Interrupted after")
        search.fit(samples.X, y, **more)
    fitted = sorted(figures, key=lambda one: one.fold)[: search.n_splits_]
    has_groups = task.parameters.get("groups") is not None
    is_of_classes = scoring.name == "accuracy" and problem.y.ndim == 1
    return Curve(
        search,
        samples,
        fitted,
        scoring=scoring.name,
        method=method.name,
        counted=task.names.grouped if has_groups else method.counted,
        cases=problem.cases,
        row_groups=groups,
        beside=guessing(problem.y) if is_of_classes else None,
    )


def on_rows(
    table: MixedTable, estimator: Any, y: np.ndarray, more: Mapping[str, Any] | None = None
) -> tuple[Pipeline, Samples]:
    """Return what to fit to folds of a mixed table: what is learned from rows is learned in each fold.

    ``more`` goes to ``fit`` with its rows.
    """
    steps = [("rows", Encoded(table)), ("selector", estimator)]
    return Pipeline(steps), Samples(np.arange(len(y))[:, None], y, more or {})


class Encoded(TransformerMixin, BaseEstimator):
    """Features of rows of a mixed table, given by their numbers; what is learned is from those of ``fit``."""

    def __init__(self, table: MixedTable) -> None:
        self.table = table

    def __sklearn_clone__(self) -> Encoded:
        return Encoded(self.table)  # the table is only read, and may be large

    def fit(self, X: np.ndarray, y: Any = None) -> Encoded:
        self.rows_ = X[:, 0]
        return self

    def transform(self, X: np.ndarray) -> Any:
        return self.table.split(self.rows_, X[:, 0])[1]


def folds_of(problem: Problem, y: np.ndarray, n_folds: int, seed: int) -> Any:
    """Return what splits rows to fit and to test on; classes are 0, 1, ... and in every fold, groups of rows in one."""
    smallest, what = folds_there_can_be(problem, y)
    if smallest < n_folds:
        remedy = (
            "ask for fewer" if smallest > 1 else f"add {problem.cases}, or leave that class out"
        )
        few = _so_few(problem, smallest)
        raise InputError(f"{n_folds} folds are too many: {what} {few}; {remedy}")
    by_class = not (problem.regression or problem.has_several_labels)
    usual = (StratifiedKFold if by_class else KFold)(n_folds)
    return folds_in_number(usual, problem.row_groups is not None, seed)


def _check_inner(problem: Problem, y: np.ndarray, n_folds: int, n_outer: int) -> None:
    """Refuse more folds than there can be inside of outer ones, each of which leaves out its share of the smallest class."""
    smallest, what = folds_there_can_be(problem, y)
    left = smallest - ceil(smallest / n_outer)
    if left < n_folds:
        raise InputError(
            f"{n_folds} folds inside of {n_outer} outer ones are too many: {what} {_so_few(problem, left)} there; ask for "
            "fewer with --cv, or for more with --nested"
        )


def _so_few(problem: Problem, number: int) -> str:
    if problem.row_groups is None:
        return plural(number, problem.cases[:-1])
    return plural(number, f"group of {problem.cases}", f"groups of {problem.cases}")


def folds_there_can_be(problem: Problem, y: np.ndarray) -> tuple[int, str]:
    """Return how many folds there can be, one for each row of the smallest class, or group of rows, and who has so few."""
    groups = np.arange(len(y)) if problem.row_groups is None else problem.row_groups.labels
    if problem.regression or problem.has_several_labels:
        return most_folds(groups, None), "there are only"
    return most_folds(groups, y), "the smallest class has only"


def _score(scoring: Scoring, model: Any, X: Any, y: np.ndarray) -> float:
    try:
        return scoring.score(model, X, y)
    except AttributeError as error:
        if "predict_proba" in str(error):
            raise InputError(
                f"the scorer {scoring.name!r} needs probabilities, which models have with --loss logistic"
            ) from error
        raise InputError(f"the scorer {scoring.name!r} does not fit: {error}") from error
    except ValueError as error:
        raise InputError(f"no {scoring.name} of a fold's held-out rows: {error}") from error


def _show_round(
    show: Callable[[object], None], done: Sequence[object], n_folds: int, record: object
) -> None:
    if len(done) < n_folds:
        show(f"fold {len(done) + 1} of {n_folds}  {record}")
    else:
        show(f"nested  {record}")


# ---------------------------------------- probabilities from the scores of held-out rows


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

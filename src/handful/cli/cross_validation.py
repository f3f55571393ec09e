"""A measure against the number of features, with the selection done inside each fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from handful.cli.curve import Curve
from handful.cli.methods import Method
from handful.cli.problem import Problem
from handful.cli.scoring import Scoring
from handful.io import InputError

__all__ = ["cross_validate", "folds_of"]


def cross_validate(
    problem: Problem,
    method: Method,
    make: Callable[..., Any],
    ks: Sequence[int],
    *,
    n_folds: int,
    scoring: Scoring,
    seed: int,
    show: Callable[[object], None] | None,
    grouped: str = "groups",
) -> Curve:
    """Fit every number of features in every fold, by estimators of the method that ``make`` makes.

    ``grouped`` is what groups are called, if there are any.

    Ctrl-C ends it with the folds that are complete.
    """
    y = problem.y
    if problem.n_classes is not None and y.ndim == 1:
        # Classes as 0, 1, ...: then scikit-learn takes the last one as positive, whatever its name.
        y = np.unique(y, return_inverse=True)[1]
    results: list[list[tuple[float, float, int, float]]] = []
    interrupted = False
    for number, (train, test) in enumerate(folds_of(problem, y, n_folds, seed), start=1):
        verbose = show and partial(_show_round, show, f"fold {number} of {n_folds}")
        try:
            of_train, of_test = problem.split(train, test)
            parts = (of_train, y[train]), (of_test, y[test])
            results.append(_fit_fold(method, make(verbose=verbose), ks, *parts, scoring))
        except KeyboardInterrupt:
            interrupted = True
            break
    if not results:
        raise KeyboardInterrupt
    table = np.array(results)
    has_groups = getattr(make(), "groups", None) is not None
    return Curve(
        scoring=scoring.name,
        ks=tuple(ks),
        test=table[:, :, 0],
        train=table[:, :, 1],
        n_selected=table[:, :, 2].astype(int),
        seconds=table[:, :, 3],
        interrupted=interrupted,
        counted=grouped if has_groups else method.counted,
        method=method.name,
        cases=problem.cases,
    )


def folds_of(problem: Problem, y: np.ndarray, n_folds: int, seed: int) -> Any:
    """Return pairs of rows to fit and to test on; classes are 0, 1, ... and in every fold."""
    if problem.regression or problem.has_several_labels:
        smallest, kind, what = len(y), KFold, "there are only"
    else:
        smallest, kind = int(np.bincount(y).min()), StratifiedKFold
        what = "the smallest class has only"
    if smallest < n_folds:
        raise InputError(f"{n_folds} folds are too many: {what} {smallest} {problem.cases}")
    return kind(n_splits=n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def _fit_fold(
    method: Method,
    estimator: Any,
    ks: Sequence[int],
    train: tuple[Any, np.ndarray],
    test: tuple[Any, np.ndarray],
    scoring: Scoring,
) -> list[tuple[float, float, int, float]]:
    """Return for each number of features both scores, what was selected, and the seconds it took."""
    models = method.models(estimator, ks, *train)
    figures = []
    for _ in ks:
        start = time.perf_counter()
        model = next(models)
        seconds = time.perf_counter() - start
        try:
            held_out, seen = scoring.score(model, *test), scoring.score(model, *train)
        except AttributeError as error:
            raise InputError(f"the scorer {scoring.name!r} does not fit: {error}") from error
        except ValueError as error:
            raise InputError(f"no {scoring.name} of a fold's held-out rows: {error}") from error
        figures.append((held_out, seen, method.n_selected(model), seconds))
    return figures


def _show_round(show: Callable[[object], None], fold: str, record: object) -> None:
    show(f"{fold}  {record}")

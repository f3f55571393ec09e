"""A measure against the number of features, with the selection done inside each fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from handful.cli.methods import FGM
from handful.cli.problem import Problem
from handful.cli.scoring import Scoring
from handful.io import InputError

__all__ = ["Curve", "cross_validate"]


@dataclass(frozen=True)
class Curve:
    """Scores of every fold (rows) at every number of features (columns)."""

    scoring: str
    ks: tuple[int, ...]
    test: np.ndarray
    train: np.ndarray
    n_selected: np.ndarray
    seconds: np.ndarray
    interrupted: bool = False
    counted: str = "features"

    @property
    def mean(self) -> np.ndarray:
        """Mean test score at each number of features."""
        return self.test.mean(axis=0)

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of the test score over the folds."""
        return self.test.std(axis=0, ddof=1) if len(self.test) > 1 else np.zeros(len(self.ks))

    @property
    def best(self) -> int:
        """Position of the best mean score, the fewest features among equals."""
        return int(np.argmax(self.mean))

    @property
    def one_standard_error(self) -> int:
        """Position of the fewest features within one standard error of the best score."""
        error = self.std[self.best] / np.sqrt(len(self.test))
        return int(np.flatnonzero(self.mean >= self.mean[self.best] - error)[0])


def cross_validate(
    problem: Problem,
    ks: Sequence[int],
    *,
    n_folds: int,
    scoring: Scoring,
    seed: int,
    parameters: dict[str, Any],
    show: Callable[[object], None] | None,
) -> Curve:
    """Fit every number of features in every fold, each fit starting from the one before.

    Ctrl-C ends it with the folds that are complete.
    """
    y = problem.y
    if not problem.regression:
        # Classes as 0, 1, ...: then scikit-learn takes the last one as positive, whatever its name.
        y = np.unique(y, return_inverse=True)[1]
    folds = _folds(y, n_folds, seed, problem.regression)
    results: list[list[tuple[float, float, int, float]]] = []
    interrupted = False
    for number, (train, test) in enumerate(folds, start=1):
        try:
            verbose = show and partial(_show_round, show, f"fold {number} of {n_folds}")
            fold = _fit_fold(
                problem, y, train, test, ks, scoring, {**parameters, "verbose": verbose}
            )
        except KeyboardInterrupt:
            interrupted = True
            break
        results.append(fold)
    if not results:
        raise KeyboardInterrupt
    table = np.array(results)
    return Curve(
        scoring=scoring.name,
        ks=tuple(ks),
        test=table[:, :, 0],
        train=table[:, :, 1],
        n_selected=table[:, :, 2].astype(int),
        seconds=table[:, :, 3],
        interrupted=interrupted,
        counted="features" if parameters.get("groups") is None else "groups",
    )


def _folds(y: np.ndarray, n_folds: int, seed: int, regression: bool) -> Any:
    if regression:
        smallest, kind = len(y), KFold
    else:
        smallest, kind = int(np.bincount(y).min()), StratifiedKFold
    if smallest < n_folds:
        what = "there are only" if regression else "the smallest class has only"
        raise InputError(f"{n_folds} folds are too many: {what} {smallest} rows")
    return kind(n_splits=n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def _fit_fold(
    problem: Problem,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    ks: Sequence[int],
    scoring: Scoring,
    parameters: dict[str, Any],
) -> list[tuple[float, float, int, float]]:
    X_train, X_test = problem.X[train], problem.X[test]
    estimator = FGM.estimator(problem.regression, **parameters, warm_start=True)
    scores = []
    for k in ks:
        start = time.perf_counter()
        estimator.set_params(n_features_to_select=k).fit(X_train, y[train])
        seconds = time.perf_counter() - start
        if estimator.status_.name == "INTERRUPTED":
            raise KeyboardInterrupt
        try:
            held_out, seen = (
                scoring.score(estimator, X_test, y[test]),
                scoring.score(estimator, X_train, y[train]),
            )
        except AttributeError as error:
            raise InputError(f"the scorer {scoring.name!r} does not fit: {error}") from error
        except ValueError as error:
            raise InputError(f"no {scoring.name} of a fold's held-out rows: {error}") from error
        selected = getattr(estimator, "group_support_", estimator.support_ids_)
        scores.append((held_out, seen, len(selected), seconds))
    return scores


def _show_round(show: Callable[[object], None], fold: str, record: object) -> None:
    show(f"{fold}  {record}")

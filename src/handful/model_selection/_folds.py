"""The work on folds: models of every size on the training rows of each, judged on its held-out rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    BaseCrossValidator,
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from handful.model_selection._path import models_of_sizes
from handful.model_selection._samples import Samples, take_rows
from handful.model_selection._wrapped import chosen_ids, n_candidates, n_selected
from handful.spaces.source import Source
from handful.validation import model_selection as checks
from handful.validation.plural import plural
from handful.validation.resampling import sample_groups

Array = np.ndarray
Split = tuple[Array, Array]


@dataclass(frozen=True)
class FoldFigures:
    """What one fold says of every number of features under one set of other parameters."""

    #: Which fold, and which point of the grid of parameters, counted from 0.
    fold: int
    point: int
    n_folds: int
    k: tuple[int, ...]
    #: Scores of the held-out rows and, if they were wanted, of the training rows.
    test: Array
    train: Array | None
    #: A fit that made several models is shared out evenly.
    fit_seconds: Array
    score_seconds: Array
    n_selected: Array
    #: What was chosen, where that can be compared between folds.
    ids: list[Array] | None
    #: From how many.
    n_candidates: int | None

    def __str__(self) -> str:
        best = int(np.argmax(self.test))
        seconds = float(self.fit_seconds.sum() + self.score_seconds.sum())
        return (
            f"fold {self.fold + 1} of {self.n_folds}  best {self.test[best]:.4f} with {plural(self.k[best], 'feature')}  "
            f"{seconds:.2f} s"
        )


@dataclass(frozen=True)
class FoldWork:
    """One fold and one point of the grid: can be sent to another process, and called there."""

    estimator: Any
    params: dict[str, Any]
    ks: Sequence[int]
    scorer: Callable[..., float]
    score_params: dict[str, Any]
    with_train: bool
    fold: int
    point: int
    n_folds: int

    def __call__(self, samples: Samples, split: Split) -> FoldFigures:
        """Fit on one part, judge on the other."""
        train, test = (samples.take(rows) for rows in split)
        judged_by = [take_rows(self.score_params, rows, len(samples)) for rows in split]
        estimator = clone(self.estimator).set_params(**clone(self.params, safe=False))
        rows: list[tuple[float, float, float, float, int]] = []
        ids: list[Array | None] = []
        n_there = None
        for k, model, seconds in models_of_sizes(estimator, self.ks, train):
            start = time.perf_counter()
            score = self._score(model, test, judged_by[1], k)
            seen = self._score(model, train, judged_by[0], k) if self.with_train else np.nan
            took = time.perf_counter() - start
            rows.append((score, seen, seconds, took, n_selected(model)))
            ids.append(chosen_ids(model))
            n_there = n_candidates(model)
        test_scores, train_scores, fit_seconds, score_seconds, counts = np.array(rows).T
        return FoldFigures(
            fold=self.fold,
            point=self.point,
            n_folds=self.n_folds,
            k=tuple(self.ks),
            test=test_scores,
            train=train_scores if self.with_train else None,
            fit_seconds=fit_seconds,
            score_seconds=score_seconds,
            n_selected=counts.astype(np.int64),
            ids=None if any(one is None for one in ids) else ids,  # type: ignore[arg-type]
            n_candidates=n_there,
        )

    def _score(self, model: Any, samples: Samples, params: Any, k: int) -> float:
        score = float(self.scorer(model, samples.X, samples.y, **params))
        if not np.isfinite(score):
            raise checks.no_score(score, self.fold + 1, k)
        return score


def work_on_folds(n_folds: int, points: Sequence[dict[str, Any]], **same: Any) -> list[FoldWork]:
    """Return a piece of work for each fold and each point of the grid; all else is the same in all of them."""
    return [
        FoldWork(params=point, fold=fold, point=number, n_folds=n_folds, **same)
        for fold in range(n_folds)
        for number, point in enumerate(points)
    ]


def make_splits(
    cv: Any, estimator: Any, samples: Samples, random_state: Any, **split_params: Any
) -> list[Split]:
    """Return the rows of each fold.

    A number of folds is stratified for classifiers, keeps ``groups`` of samples together where they are given, and is
    drawn at random if there is a ``random_state``.
    """
    checks.check_cv(cv)
    classifies = is_classifier(estimator)
    splitter = check_cv(cv, samples.y, classifier=classifies)
    given = {name: value for name, value in split_params.items() if value is not None}
    if is_number_of_folds(cv):
        if "groups" in given:
            given["groups"] = sample_groups(given["groups"], len(samples))
            checks.check_groups_for_folds(len(np.unique(given["groups"])), splitter.n_splits)
        splitter = folds_in_number(splitter, "groups" in given, random_state)
    # Splitters only ask how many rows there are, and a source would refuse to come as an array.
    X = np.zeros(len(samples)) if isinstance(samples.X, Source) else samples.X
    splits = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(X, samples.y, **given)]
    checks.check_splits(splits)
    if classifies:
        _check_classes(samples, splits)
    return splits


def is_number_of_folds(cv: Any) -> bool:
    """Whether the kind of folds is left to us; None is five of them."""
    return cv is None or isinstance(cv, (int, np.integer))


def most_folds(groups: Array, classes: Array | None) -> int:
    """Return how many folds there can be: one for each group of rows, of those that have the rarest class."""
    if classes is None:
        return len(np.unique(groups))
    return min(len(np.unique(groups[classes == label])) for label in np.unique(classes))


def folds_in_number(usual: Any, has_groups: bool, random_state: Any) -> BaseCrossValidator:
    """Return folds like the usual ones that keep groups together, and that are drawn at random if so wished."""
    kind = type(usual)
    if has_groups:
        kind = StratifiedGroupKFold if isinstance(usual, StratifiedKFold) else GroupKFold
    if random_state is None:
        return kind(usual.n_splits)
    return kind(usual.n_splits, shuffle=True, random_state=random_state)


def _check_classes(samples: Samples, splits: Sequence[Split]) -> None:
    if np.ndim(samples.y) != 1:  # labels of a matrix, which may be sparse
        return
    y, weight = np.asarray(samples.y), samples.more.get("sample_weight")
    there = np.ones(len(y), dtype=bool) if weight is None else np.asarray(weight) > 0
    for number, (train, _) in enumerate(splits, start=1):
        labels = np.unique(y[train][there[train]])
        if len(labels) < 2:
            raise checks.one_class(number, labels.tolist(), is_weighted=weight is not None)


def work_through(
    work: Iterable[FoldWork], samples: Samples, splits: Sequence[Split], n_jobs: int | None
) -> Iterator[FoldFigures]:
    """Yield the figures of each piece of work as they come; Ctrl-C ends it with those there are."""
    with suppress(KeyboardInterrupt):
        if n_jobs is None or n_jobs == 1:
            for one in work:
                yield one(samples, splits[one.fold])
            return
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(delayed(one)(samples, splits[one.fold]) for one in work)

"""Accuracy, true features and seconds against the number of features: plain FGM, exactly k, and l1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC, l1_min_c

from handful import FGMClassifier
from harness.measure import timed
from harness.problem import Problem, tiny
from harness.refit import take_columns

Points = list[dict[str, Any]]
PAPER_C = 10.0  # of FGM, in all its experiments
DEBIAS_C = 20.0  # of the l2 SVM that a selection is fitted anew with
MOST_DOUBLINGS = 16
L1_FACTORS = (1.5, 2.0, 3.0, 4.5, 7.0)  # of the least C at which l1 has a feature


def fitted(problem: Problem, model: Any, *, debias: bool = False) -> dict[str, Any]:
    """Fit, and say how many features it has, how many true ones, and how accurate it is and a refit would be."""
    _, seconds = timed(lambda: model.fit(problem.X, problem.y))
    own = getattr(model, "support_ids_", None)
    ids = np.flatnonzero(model.coef_[0]).astype(np.int64) if own is None else own
    accuracy = float(model.score(problem.X_test, problem.y_test))
    found = {"kept": len(ids), "accuracy": accuracy, "seconds": seconds}
    if problem.truth is not None:
        found["true"] = int(np.isin(ids, problem.truth).sum())
    if debias and len(ids):
        X, X_test = take_columns(problem.X, ids), take_columns(problem.X_test, ids)
        svm = LinearSVC(dual=False, C=DEBIAS_C).fit(X, problem.y)
        found["debiased"] = float(svm.score(X_test, problem.y_test))
    return found


def plain_curve(
    problem: Problem, budgets: Sequence[int], *, debias: bool = False, **settings: Any
) -> Points:
    """The machine of the paper (blocks, C = 10, at most 15 rounds) for rising B."""
    settings = {"solver": "apg", "C": PAPER_C, "refit": False, **settings}
    FGMClassifier(budget=2, **settings).fit(*tiny(problem.X, problem.y))
    found = []
    for budget in budgets:
        model = FGMClassifier(budget=budget, **settings)
        point = fitted(problem, model, debias=debias)
        found.append({"budget": budget, "rounds": model.n_iter_, **point})
    return found


def exact_curve(problem: Problem, counts: Sequence[int], **settings: Any) -> Points:
    """Ours: exactly so many features, fitted anew."""
    settings = {"C": "fast", **settings}
    FGMClassifier(5, **settings).fit(*tiny(problem.X, problem.y))
    return [fitted(problem, FGMClassifier(int(count), **settings)) for count in counts]


def l1_curve(
    problem: Problem, factors: Sequence[float] = L1_FACTORS, *, debias: bool = False
) -> Points:
    """LIBLINEAR's l1 SVM for rising C, in multiples of the least that can have a feature."""
    least = l1_min_c(problem.X, problem.y)
    found = (_l1_point(problem, factor * least, debias) for factor in factors)
    return [point for point in found if point["kept"]]


def l1_path(problem: Problem, most: int, *, debias: bool = False) -> Points:
    """The same with C doubled until there are ``most`` features; how far that is differs much on text."""
    C, found = 4 * l1_min_c(problem.X, problem.y), []
    for _ in range(MOST_DOUBLINGS):
        point = _l1_point(problem, C, debias)
        if point["kept"]:  # it stops short of the first feature now and then
            found.append(point)
        if point["kept"] >= most:
            break
        C *= 2
    return found


def _l1_point(problem: Problem, C: float, debias: bool) -> dict[str, Any]:
    svm = LinearSVC(penalty="l1", dual=False, C=C, random_state=0)
    return fitted(problem, svm, debias=debias)


def all_features(problem: Problem) -> dict[str, float]:
    """The l2 SVM on everything (CD-SVM in the paper)."""
    # In the dual it takes minutes on dense data that cannot be separated.
    found = fitted(problem, LinearSVC(dual=sp.issparse(problem.X), random_state=0))
    return {"accuracy": found["accuracy"], "seconds": found["seconds"]}


def at(points: Points, kept: float, name: str) -> float:
    """Read a curve at a number of features, between its points or at its nearer end.

    >>> at([{"kept": 10, "accuracy": 0.6}, {"kept": 20, "accuracy": 0.8}], 15, "accuracy")
    0.7
    """
    ordered = sorted((point["kept"], point[name]) for point in points if point["kept"])
    return round(float(np.interp(kept, *zip(*ordered, strict=True))), 12)


def leads(ours: Points, theirs: Points, name: str) -> list[float]:
    """By how much the first curve is above the second, at the numbers of features that both cover."""
    counts = [point["kept"] for point in theirs if point["kept"]]
    low, high = min(counts), max(counts)
    return [
        point[name] - at(theirs, point["kept"], name)
        for point in ours
        if low <= point["kept"] <= high
    ]

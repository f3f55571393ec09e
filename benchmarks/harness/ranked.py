"""Ways to choose 10, 20, ... 100 features of training rows with classes, and the judge of every choice.

Most rank all features once and give the best k. FGM, which does not rank, is asked for each k anew.
A package that is absent raises ImportError, which the table prints as "not installed". The judge is a linear SVM, one
class against one, its C by cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import RFE, f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

import handful

from .peers import Array
from .problem import Problem

Method = Callable[[Array, Array], dict[int, Array]]
COUNTS = tuple(range(10, 101, 10))  # numbers of features that are judged
SEARCHED = (10, 30, 60, 100)  # where C is chosen; between them that of the next one is used
WEIGHTS = (0.01, 0.1, 1.0, 10.0)  # the paper's grid without its ends, which were never best
FOLDS = 3
CACHE_MIB = 500
OURS, FGM = "direct sparsity", "FGM"
CHOSEN_P = f"{OURS}, p chosen"
RFS, MRMR, RELIEF, L1 = "RFS", "mRMR", "ReliefF", "l1-SVM"
RFE_SVM, BEST_F = "RFE(LinearSVC)", "SelectKBest, F"
POWERS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # as in the paper's Figure 1
CHOICES_OF_P = [0.5, 0.7, 0.9, 1.0]
HELD_OUT_C = 0.1  # of the judge on held-out rows
MARGINS = ("hard", "projected", "soft")
PENALTIES = (0.1, 1.0, 10.0)  # of RFS
MOST = COUNTS[-1]
RELIEF_ROWS = 1000
RELIEF_NEIGHBOURS = 10
RFE_STEPS = 20
L1_RANGE, L1_FITS = (-4.0, 1.0), 8  # powers of ten
LEAST_CORRELATION = 1e-3


def accuracy(X: Array, y: Array, X_test: Array, y_test: Array, weight: float) -> float:
    """Share of test rows whose class ``SVC(kernel="linear")`` gets right.

    Its votes are counted from its weights: the same answer as ``predict``, which computes a kernel
    with every support vector, in a hundredth of the time.
    """
    machine = SVC(kernel="linear", C=weight, cache_size=CACHE_MIB).fit(X, y)
    n_classes = len(machine.classes_)
    if n_classes == 2:
        return float(np.mean(machine.predict(X_test) == y_test))
    wins = X_test @ machine.coef_.T + machine.intercept_ > 0
    votes = np.zeros((len(X_test), n_classes), dtype=np.int64)
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for column, (first, second) in enumerate(pairs):
        votes[:, first] += wins[:, column]
        votes[:, second] += ~wins[:, column]
    return float(np.mean(machine.classes_[votes.argmax(axis=1)] == y_test))


def cross_validated(X: Array, y: Array, weight: float) -> float:
    """Mean accuracy over the folds; a class with fewer samples than folds is not in all of them."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    found = [accuracy(X[a], y[a], X[b], y[b], weight) for a, b in folds.split(X, y)]
    return float(np.mean(found))


def chosen_weight(X: Array, y: Array) -> float:
    """Return the C that does best on held-out parts of the training rows."""
    scores = [cross_validated(X, y, weight) for weight in WEIGHTS]
    return WEIGHTS[int(np.argmax(scores))]


def judge(problem: Problem, chosen: dict[int, Array]) -> dict[int, float]:
    """Return the accuracy on the test rows for each number of features."""
    found: dict[int, float] = {}
    weight = 1.0
    for k in sorted(chosen, reverse=True):
        X, X_test = problem.X[:, chosen[k]], problem.X_test[:, chosen[k]]
        if k in SEARCHED:
            weight = chosen_weight(X, problem.y)
        found[k] = accuracy(X, problem.y, X_test, problem.y_test, weight)
    return found


# ----------------------------------------------------------------- the methods


def best_first(scores: Array) -> dict[int, Array]:
    """Return the k highest scores for each k; features with a score of zero are never chosen."""
    order = np.argsort(-scores, kind="stable")
    return {k: order[:k][scores[order[:k]] > 0] for k in COUNTS}


def direct(X: Array, y: Array, **parameters: Any) -> dict[int, Array]:
    """Ours: least sum of ``|W_i|^p`` with margins of one."""
    return best_first(handful.DirectSparsityClassifier(MOST, **parameters).fit(X, y).scores_)


def direct_chosen(X: Array, y: Array) -> dict[int, Array]:
    """Ours with p chosen by the accuracy of the judge on held-out rows, as the penalty of RFS is."""
    judge = SVC(kernel="linear", C=HELD_OUT_C)
    return direct(X, y, p=CHOICES_OF_P, refit=judge)


def rfs(X: Array, y: Array) -> dict[int, Array]:
    """l2,1 loss and l2,1 penalty, whose weight is chosen by the accuracy of the judge on held-out rows."""

    def scores(X: Array, y: Array, penalty: float) -> Array:
        return handful.RFSClassifier(MOST, alpha=penalty).fit(X, y).scores_

    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))

    def held_out(penalty: float) -> float:
        found = []
        for train, test in folds:
            ids = best_first(scores(X[train], y[train], penalty))[MOST]
            parts = X[train][:, ids], y[train], X[test][:, ids], y[test]
            found.append(accuracy(*parts, weight=HELD_OUT_C))
        return float(np.mean(found))

    return best_first(scores(X, y, max(PENALTIES, key=held_out)))


def mrmr(X: Array, y: Array) -> dict[int, Array]:
    """Greedy: F statistic divided by the mean absolute correlation with what is chosen already.

    The quotient that the package mrmr-selection computes, and the same choices as it makes (compared
    on semeion), in a hundredth of its time.
    """
    order = mrmr_order(X, np.nan_to_num(f_classif(X, y)[0]), MOST)
    return {k: order[:k] for k in COUNTS}


def mrmr_order(X: Array, relevance: Array, most: int) -> Array:
    """Return the first features of mRMR, in order, given how relevant each is by itself."""
    spread = X.std(axis=0)
    columns = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0) / np.sqrt(len(X))
    redundancy = np.zeros(X.shape[1])
    order = [int(np.argmax(relevance))]
    for _ in range(most - 1):
        redundancy += np.maximum(np.abs(columns.T @ columns[:, order[-1]]), LEAST_CORRELATION)
        scores = relevance * len(order) / redundancy
        scores[order] = -np.inf
        order.append(int(np.argmax(scores)))
    return np.array(order)


def relief(X: Array, y: Array) -> dict[int, Array]:
    """ReliefF of skrebate; of more than a thousand rows a thousand are drawn, its time is quadratic."""
    scores = relief_scores(X, y, RELIEF_ROWS)
    return best_first(scores - scores.min() + 1e-12)


def relief_scores(X: Array, y: Array, most_rows: int, *, is_numbers: bool = False) -> Array:
    """Return what ReliefF says of each feature, from at most so many rows.

    It is told whether y are classes: by itself it takes more than ten different values for numbers.
    """
    from skrebate import ReliefF

    if len(y) > most_rows:
        rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
        X, y = X[rows], y[rows]
    if is_numbers:
        neighbours, kind = RELIEF_NEIGHBOURS, "continuous"
    else:
        sizes = np.bincount(y)
        neighbours = max(1, min(RELIEF_NEIGHBOURS, int(sizes[sizes > 0].min()) - 1))
        kind = "binary" if len(np.unique(y)) == 2 else "multiclass"
    machine = ReliefF(n_neighbors=neighbours, label_type=kind, n_jobs=1)
    return np.asarray(machine.fit(X, y).feature_importances_)


def _squares(coef: Array) -> Array:
    return (coef**2).sum(axis=0)


def l1_svm(X: Array, y: Array) -> dict[int, Array]:
    """LinearSVC with the l1 penalty; the smallest C found that leaves 100 features, or the largest C."""
    low, high = L1_RANGE
    found, is_enough = np.zeros(X.shape[1]), False
    for _ in range(L1_FITS):
        middle = (low + high) / 2
        machine = LinearSVC(penalty="l1", dual=False, C=10**middle, tol=1e-3, max_iter=300)
        scores = _squares(machine.fit(X, y).coef_)
        if (scores > 0).sum() >= MOST:
            high, found, is_enough = middle, scores, True
        else:
            low, found = middle, found if is_enough else scores
    return best_first(found)


def rfe(X: Array, y: Array) -> dict[int, Array]:
    """Backward elimination by an l2 LinearSVC: in twenty steps to 100 features, then by tens."""
    machine = LinearSVC(dual=len(X) < X.shape[1], max_iter=300, random_state=0)
    step = max(1, -(-(X.shape[1] - MOST) // RFE_STEPS))
    left = np.flatnonzero(RFE(machine, n_features_to_select=MOST, step=step).fit(X, y).support_)
    chosen = {MOST: left}
    for k in COUNTS[-2::-1]:
        scores = _squares(machine.fit(X[:, left], y).coef_)
        left = left[np.sort(np.argsort(-scores)[:k])]
        chosen[k] = left
    return chosen


def fgm(X: Array, y: Array) -> dict[int, Array]:
    """Ours: one shared set of exactly k features, each k beginning with the candidates before."""
    model = handful.FGMClassifier(warm_start=True)
    found = {}
    for k in COUNTS:
        found[k] = model.set_params(n_features_to_select=k).fit(X, y).support_ids_
    return found


def best_f(X: Array, y: Array) -> dict[int, Array]:
    """Each feature by itself."""
    return best_first(np.nan_to_num(f_classif(X, y)[0]))


RIVALS: dict[str, Method] = {
    RFS: rfs,
    MRMR: mrmr,
    RELIEF: relief,
    L1: l1_svm,
    RFE_SVM: rfe,
    FGM: fgm,
    BEST_F: best_f,
}


def with_power(p: float) -> str:
    """Return the name of ours with another p."""
    return f"{OURS}, p = {p:g}"


def with_margin(margin: str) -> str:
    """Return the name of ours with a margin by name."""
    return f"{OURS}, {margin}"


METHODS: dict[str, Method] = {
    OURS: direct,
    CHOSEN_P: direct_chosen,
    **RIVALS,
    **{with_margin(margin): partial(direct, margin=margin) for margin in MARGINS},
    **{with_power(p): partial(direct, p=p) for p in POWERS},
}

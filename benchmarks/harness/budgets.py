"""Sets of many classes or labels, and ways to have one budget of k features for all of them.

A way gives scores of the test rows, a column for each label; above 0 a label is predicted. What selects but has no
model for F1 of its own gets a linear SVM for each label on its columns, with the threshold that is best for F1 on
cross-validated scores of the training rows (``harness/topics.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from handful import FGMClassifier, GreedyRLSClassifier

from . import labels
from .child import Answer, limited
from .data import BUILDERS, Source, newsgroups, reuters_topics
from .measure import timed
from .peers import Array
from .problem import Matrix, Problem
from .refit import take_columns
from .topics import best_threshold, unseen_scores

KS = (50, 100, 200, 500)
SIX_GROUPS = (0, 3, 7, 10, 14, 17)  # one of each kind of newsgroup
MOST_FITS, CLOSE, LEAST_C, MOST_C = 25, 1.02, 1e-4, 1e4
GREEDY_ALPHAS = (0.1, 1.0, 10.0, 100.0)
WARM_UP_ROWS, WARM_UP_COLUMNS, WARM_UP_K = 200, 50, 5

# ------------------------------------------------------------------- the sets


def _reuters(source: Source, n_topics: int) -> Iterator[Problem]:
    whole, _ = reuters_topics(source)
    positives = (whole.y > 0).sum(axis=0)
    in_both = (positives > 0) & (whole.y_test > 0).any(axis=0)
    order = np.argsort(-np.where(in_both, positives, -1), kind="stable")[:n_topics]
    parts = whole.X, whole.y[:, order], whole.X_test, whole.y_test[:, order]
    yield Problem(f"reuters-{n_topics}", *parts)


def _as_labels(problem: Problem) -> Problem:
    """One column of -1 and +1 for each class."""
    classes = np.unique(problem.y)
    y, y_test = (np.where(one[:, None] == classes, 1, -1) for one in (problem.y, problem.y_test))
    return Problem(problem.name, problem.X, y, problem.X_test, y_test)


def _news20(source: Source) -> Iterator[Problem]:
    yield _as_labels(BUILDERS["news20"](source))


def _six_groups(source: Source) -> Iterator[Problem]:
    groups = newsgroups(source, longest=1, classes=True)
    kept, kept_test = (np.isin(y, SIX_GROUPS) for y in (groups.y, groups.y_test))
    X, X_test = groups.X[kept], groups.X_test[kept_test]
    yield _as_labels(Problem("six newsgroups", X, groups.y[kept], X_test, groups.y_test[kept_test]))


def _multilabel(source: Source, name: str) -> Iterator[Problem]:
    return labels.folds(name, *labels.load(name, source), source)


_FOLDED = ("emotions", "scene", "yeast", "medical", "delicious")
SETS: dict[str, Callable[[Source], Iterator[Problem]]] = {
    **{name: partial(_multilabel, name=name) for name in _FOLDED},
    "six newsgroups": _six_groups,
    "news20": _news20,
    **{f"reuters-{count}": partial(_reuters, n_topics=count) for count in (10, 50, 90)},
}

# ------------------------------------------------------------------- the ways

OURS, HINGE, SEPARATE = "FGM, F1", "FGM, squared hinge + tuned", "FGM, F1, separate"
SAME_LOSS, OWN_FEATURES = "FGM, F1, last fit by F1", "FGM, F1, features by F1"
PLAIN_HINGE = "FGM, squared hinge"
Way = Callable[[Problem, int], tuple[Array, int]]


def fgm(problem: Problem, k: int, loss: str = "f1", **options: Any) -> tuple[Array, int]:
    """Ours for the measure itself, or another loss, with nothing else set."""
    model = FGMClassifier(k, loss=loss, **options).fit(problem.X, problem.y)
    return model.decision_function(problem.X_test), len(model.support_ids_)


def separate(problem: Problem, k: int) -> tuple[Array, int]:
    """A selection for each label, of its share of k."""
    return fgm(problem, max(1, k // problem.y.shape[1]), per_class=True)


def tuned(problem: Problem, ids: Array) -> tuple[Array, int]:
    """A linear SVM for each label on some columns, with its best threshold."""
    X, X_test = (take_columns(part, ids) for part in (problem.X, problem.X_test))
    scores = np.full(problem.y_test.shape, -1.0)
    for c, y in enumerate(problem.y.T):
        if len(np.unique(y)) < 2:
            scores[:, c] = y[0]
            continue
        model = LinearSVC(random_state=0)
        threshold = best_threshold(y, unseen_scores(model, X, y), "f1")
        scores[:, c] = model.fit(X, y).decision_function(X_test) - threshold
    return scores, len(ids)


def hinge(problem: Problem, k: int) -> tuple[Array, int]:
    """Ours for the squared hinge, which may rank better."""
    return tuned(problem, FGMClassifier(k).fit(problem.X, problem.y).support_ids_)


def rfe(problem: Problem, k: int) -> tuple[Array, int]:
    """Half of the features a step, by the weights of ridge classifiers of all labels."""
    found = RFE(RidgeClassifier(), n_features_to_select=k, step=0.5)
    found.fit(problem.X, (problem.y > 0).astype(int))
    return tuned(problem, found.get_support(indices=True))


def l1_logistic(problem: Problem, k: int) -> tuple[Array, int]:
    """The C at which l1 logistic regressions of all labels together have k features; fewer if none has."""
    Y = (problem.y > 0).astype(int)
    low, high, ids = LEAST_C, MOST_C, np.arange(0)
    for _ in range(MOST_FITS):
        C = float(np.sqrt(low * high))
        one = LogisticRegression(penalty="l1", C=C, solver="liblinear", tol=1e-3)
        model = OneVsRestClassifier(one).fit(problem.X, Y)
        weights = sum(np.abs(part.coef_[0]) for part in model.estimators_ if hasattr(part, "coef_"))
        n_used = int(np.count_nonzero(weights))
        if n_used >= min(k, len(ids) + 1):
            ids = np.sort(np.argsort(-weights, kind="stable")[: min(k, n_used)])
        low, high = (low, C) if n_used >= k else (C, high)
        if n_used == k or high < CLOSE * low:
            break
    return tuned(problem, ids)


def greedy(problem: Problem, k: int) -> tuple[Array, int]:
    """Ours by the leave-one-out error of least squares."""
    model = GreedyRLSClassifier(k, alpha=list(GREEDY_ALPHAS)).fit(problem.X, problem.y)
    return tuned(problem, model.support_ids_)


def lasso(problem: Problem, k: int) -> tuple[Array, int]:
    """scikit-learn's lasso that has features shared by all labels."""
    found = labels.lasso_l2(problem.X, problem.y.astype(float), k, np.empty(0))
    return tuned(problem, found.ids)


WAYS: dict[str, Way] = {
    OURS: fgm,
    SAME_LOSS: partial(fgm, refit_loss="same"),
    OWN_FEATURES: partial(fgm, selection_loss="same"),
    "FGM, F1, weighted": partial(fgm, average="weighted"),
    SEPARATE: separate,
    HINGE: hinge,
    PLAIN_HINGE: partial(fgm, loss="squared_hinge"),
    "RFE + tuned": rfe,
    "l1 logistic + tuned": l1_logistic,
    "greedy RLS + tuned": greedy,
    "MultiTaskLasso + tuned": lasso,
}
#: What is not of handful.
RIVALS = ("RFE + tuned", "l1 logistic + tuned", "MultiTaskLasso + tuned")
#: Ways that take dense matrices only, and the most numbers they are given.
DENSE, MOST_NUMBERS = ("MultiTaskLasso + tuned",), 2e8


def cell(source: Source, dataset: str, way: str, k: int, n_folds: int, timeout: float) -> Answer:
    """One way, one set, one k: macro and micro F1 of each fold, and what it took."""
    found: Answer = {"macro": [], "micro": [], "kept": [], "seconds": []}
    with limited(timeout):
        for problem in islice(SETS[dataset](source), n_folds):
            if k >= problem.X.shape[1]:
                return {"status": f"only {problem.X.shape[1]} features"}
            if way in DENSE and sp.issparse(problem.X) and np.prod(problem.X.shape) > MOST_NUMBERS:
                return {"status": "needs a dense matrix"}
            if not found["seconds"]:
                _warm_up(way, problem)
            (scores, kept), seconds = timed(partial(WAYS[way], problem, k))
            found["seconds"].append(seconds)
            found["kept"].append(kept)
            for average in ("macro", "micro"):
                value = f1_score(problem.y_test > 0, scores > 0, average=average, zero_division=0)
                found[average].append(float(value))
    return {"status": "ok", **found}


def _warm_up(way: str, problem: Problem) -> None:
    """Have everything compiled and loaded, on a corner of the data: its fullest columns and most frequent labels."""
    # Rows may be in the order of classes.
    some = slice(None, None, max(1, problem.X.shape[0] // WARM_UP_ROWS))
    rows: Matrix = problem.X[some]
    fullest = np.argsort(-np.asarray((rows != 0).sum(axis=0)).ravel(), kind="stable")
    X = rows[:, np.sort(fullest[:WARM_UP_COLUMNS])]
    signs = problem.y[some]
    signs = signs[:, np.argsort(-np.minimum((signs > 0).sum(0), (signs < 0).sum(0)))[:2]]
    WAYS[way](Problem("", X, signs, X, signs), WARM_UP_K)

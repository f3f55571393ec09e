"""Choosing how many features: the sets, what chooses on them, and what is measured in a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LassoCV, LogisticRegressionCV, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier, GreedyRLSRegressor
from handful.model_selection import SelectKCV
from handful.model_selection._counts import geometric
from handful.model_selection.nested import _n_chosen

from .child import Answer, limited
from .data import CLASSES, Source, stored
from .measure import timed
from .panel.sources import quantities
from .problem import Problem, scaled

INNER, OUTER = 5, 3
#: Six sets; the last two are quantities.
SETS: dict[str, Callable[[Source], Any]] = {
    "colon": CLASSES["colon"],
    "SRBCT": CLASSES["SRBCT"],
    "Prostate_GE": stored("multiclass", "Prostate_GE"),
    "lung": CLASSES["lung"],
    "riboflavin": quantities("riboflavin"),
    "communities": quantities("communities"),
}
QUANTITIES = ("riboflavin", "communities")
OURS, GREEDY, RFE = "SelectKCV(FGM)", "SelectKCV(greedy)", "RFECV"
BEST = "SelectKCV(FGM), best mean"  # the rule of RFECV
FORWARD_COUNTS = (5, 10, 20)  # of forward selection, which takes minutes for each


@dataclass(frozen=True)
class Row:
    """One method on one set: the outer folds that were done in time."""

    dataset: str
    method: str
    status: str
    scores: list[float] = field(default_factory=list)
    ks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.status == "ok"


@dataclass(frozen=True)
class PathRow:
    """How long a path of all numbers takes beside one fit of the largest."""

    dataset: str
    status: str
    C: str
    n_numbers: int = 0
    path_seconds: float = 0.0
    fit_seconds: float = 0.0


def _linear(is_quantity: bool) -> Any:
    return Ridge() if is_quantity else LinearSVC(C=0.1)


def _ours(is_quantity: bool, rule: str = "one_se") -> Any:
    return SelectKCV(FGMRegressor() if is_quantity else FGMClassifier(), cv=INNER, rule=rule)


def _greedy(is_quantity: bool) -> Any:
    made = GreedyRLSRegressor if is_quantity else GreedyRLSClassifier
    return SelectKCV(made(alpha=[1.0, 10.0, 100.0]), cv=INNER)


def _lasso(is_quantity: bool) -> Any:
    if is_quantity:
        return LassoCV(cv=INNER)
    return LogisticRegressionCV(
        Cs=10, l1_ratios=(1.0,), solver="saga", cv=INNER, max_iter=200, use_legacy_attributes=False
    )


def _abess(is_quantity: bool) -> Any:
    import abess

    return abess.LinearRegression(cv=INNER) if is_quantity else _AbessClasses(cv=INNER)


class _AbessClasses:
    """abess has an estimator for two classes and another for more."""

    def __init__(self, cv: int) -> None:
        self.cv = cv

    def fit(self, X: Any, y: Any) -> _AbessClasses:
        import abess

        self.is_two = len(np.unique(y)) == 2
        made = abess.LogisticRegression if self.is_two else abess.MultinomialRegression
        self.model = made(cv=self.cv).fit(X, y if self.is_two else np.eye(int(y.max()) + 1)[y])
        self.coef_ = self.model.coef_ if self.is_two else self.model.coef_.T
        return self

    def score(self, X: Any, y: Any) -> float:
        found = np.asarray(self.model.predict(X))
        if not self.is_two and found.ndim == 2:
            found = found.argmax(axis=1)
        return float(np.mean(found == y))


def _forward(is_quantity: bool) -> Any:
    inner = SequentialFeatureSelector(_linear(is_quantity), cv=INNER)
    chain = make_pipeline(inner, _linear(is_quantity))
    name = "sequentialfeatureselector__n_features_to_select"
    return GridSearchCV(chain, {name: list(FORWARD_COUNTS)}, cv=INNER)


METHODS: dict[str, Callable[[bool], Any]] = {
    OURS: _ours,
    BEST: lambda is_quantity: _ours(is_quantity, "best"),
    GREEDY: _greedy,
    RFE: lambda is_quantity: RFECV(_linear(is_quantity), cv=INNER),
    "RFECV, a tenth": lambda is_quantity: RFECV(_linear(is_quantity), step=0.1, cv=INNER),
    "l1 with CV": _lasso,
    "abess with CV": _abess,
    "forward + grid": _forward,
}


def cell(source: Source, dataset: str, method: str, timeout: float) -> Iterator[Answer]:
    """Choose inside each outer fold and score it, with an answer after each; columns are scaled inside it.

    The limit counts what was spent on choosing.
    """
    X, y = SETS[dataset](source)
    is_quantity, left = dataset in QUANTITIES, timeout
    answer: Answer = {"status": "", "scores": [], "ks": [], "seconds": []}
    _warm_up(method, is_quantity)
    for train, test in _folds(OUTER, source, X, y, is_quantity):
        problem = Problem(dataset, *scaled(X[train], X[test], y[train], y[test]))
        with limited(left):
            fit = METHODS[method](is_quantity).fit
            model, spent = timed(partial(fit, problem.X, problem.y))
        left = max(left - spent, 1e-3)
        answer["seconds"].append(spent)
        answer["scores"].append(float(model.score(problem.X_test, problem.y_test)))
        answer["ks"].append(_n_chosen(model))
        is_done = len(answer["ks"]) == OUTER
        answer["status"] = "ok" if is_done else f"> {timeout:g} s"
        yield answer


def _folds(count: int, source: Source, X: Any, y: Any, is_quantity: bool) -> Any:
    kind = KFold if is_quantity else StratifiedKFold
    return kind(count, shuffle=True, random_state=source.seed).split(X, y)


def _warm_up(method: str, is_quantity: bool) -> None:
    """Let kernels be compiled before the clock runs."""
    if method in (OURS, BEST, GREEDY):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((40, 30)), np.tile([0, 1], 20)
        METHODS[method](is_quantity).fit(X + y[:, None], y)


def path_cell(source: Source, dataset: str, C: str, timeout: float) -> Answer:
    """Time a path of the numbers of "auto", and one fit of the largest, on the rows of one inner fold."""
    X, y = SETS[dataset](source)
    is_quantity = dataset in QUANTITIES
    train, _ = next(_folds(INNER, source, X, y, is_quantity))
    X, y = StandardScaler().fit_transform(X[train]), y[train]
    ks = geometric(min(X.shape[1], len(y) // 2, 200))
    made = (FGMRegressor if is_quantity else FGMClassifier)(C=C)
    _warm_up(OURS, is_quantity)
    paths, fits = [], []
    for _ in range(3):  # in turn, so that both see the same machine
        paths.append(timed(lambda: made.fit_path(X, y, ks))[1])
        made.set_params(n_features_to_select=ks[-1])
        fits.append(timed(lambda: made.fit(X, y))[1])
    times = {"path_seconds": float(np.median(paths)), "fit_seconds": float(np.median(fits))}
    return {"status": "ok", "n_numbers": len(ks), **times}

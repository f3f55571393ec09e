"""The topics, one against the rest, and ways to get from training rows of one to scores of the test rows.

A way is fitted for a measure, or once for all of them. Its scores predict positive above 0; a way of
another kind, with a threshold tuned on the training rows, subtracts that threshold.

**The honest rival** is ``RFE + balanced + tuned``: recursive elimination with a linear SVM (scikit-learn's
``RFE``, half of the words a step) down to the same k, then ``LinearSVC(class_weight="balanced")`` on those k
words, and the threshold that is best for the measure on cross-validated scores of the training rows. (The
words were chosen on all training rows, which is what one would do; that flatters the scores a little.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC

from handful import FGMClassifier, SVMPerfClassifier
from handful.metrics import measure_score
from handful.status import Status

from .data import BUILDERS, Source, reuters_topics
from .drawing import new_figure, save
from .measure import timed
from .peers import Array
from .problem import Ids, Matrix, Problem
from .refit import take_columns
from .study import Run

REUTERS, NEWS20 = "reuters", "news20"
DATASETS = (REUTERS, NEWS20)
FOLDS = 5
OURS, ACCURACY, HINGE = "FGM, the measure", "FGM, accuracy", "FGM, squared hinge"
SVMPERF, RFE_ALONE = "SVMperf, all features", "RFE"
RIVAL, PLAIN_RIVAL = "RFE + balanced + tuned", "RFE + tuned"
ALL_TUNED = "LinearSVC, all features, balanced + tuned"
HINGE_TUNED = "FGM, squared hinge + tuned"
HELD_OUT = "FGM, the measure, held-out threshold"


def _reuters(source: Source) -> Iterator[Problem]:
    """Every topic with at least one positive document in either part, the most frequent first."""
    whole, names = reuters_topics(source)
    positives = (whole.y > 0).sum(axis=0)
    in_both = (positives > 0) & (whole.y_test > 0).any(axis=0)
    for column in np.argsort(-positives, kind="stable"):
        if in_both[column]:
            yield whole.of_label(names[column], column)


def _news20(source: Source) -> Iterator[Problem]:
    """Each of the 20 groups against the others."""
    whole = BUILDERS[NEWS20](source)
    for label in np.unique(whole.y):
        y, y_test = (np.where(labels == label, 1, -1) for labels in (whole.y, whole.y_test))
        yield Problem(str(label), whole.X, y, whole.X_test, y_test)


def topics_of(dataset: str, source: Source, names: list[str] | None) -> Iterator[Problem]:
    """Yield the topics of a data set, or those named; ``None`` names all."""
    for problem in {REUTERS: _reuters, NEWS20: _news20}[dataset](source):
        if names is None or problem.name in names:
            yield problem


# ----------------------------------------------------------------- the methods


@dataclass(frozen=True)
class Outcome:
    """Scores of the test rows for each measure, seconds of each, and how many features they used.

    ``unfinished`` names the measures whose fit came to its limit of cuts.
    """

    scores: dict[str, Array]
    seconds: dict[str, float]
    kept: int
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """What the ways need beside the data."""

    measures: tuple[str, ...]
    k: int
    svmperf_c: float
    svmperf_cuts: int


class Topic:
    """A problem, and what several ways share; the first that needs it pays, and says how long it took."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem, self.settings, self.k = problem, settings, settings.k
        self._shared: dict[str, tuple[Any, float]] = {}

    def shared(self, name: str, make: Callable[[], Any]) -> tuple[Any, float]:
        """What ``make`` returns, and its seconds, made once."""
        if name not in self._shared:
            self._shared[name] = timed(make)
        return self._shared[name]

    def rfe(self) -> tuple[RFE, float]:
        selector = RFE(LinearSVC(random_state=0), n_features_to_select=self.k, step=0.5)
        return self.shared("rfe", lambda: selector.fit(self.problem.X, self.problem.y))

    def hinge(self) -> tuple[FGMClassifier, float]:
        model = FGMClassifier(self.k)
        return self.shared("hinge", lambda: model.fit(self.problem.X, self.problem.y))


def by_measure(topic: Topic, make: Callable[[str], Any], kept: int) -> Outcome:
    """A model for each measure."""
    problem, models, seconds = topic.problem, {}, {}
    for measure in topic.settings.measures:
        model = make(measure)
        models[measure], seconds[measure] = timed(partial(model.fit, problem.X, problem.y))
    scores = {m: model.decision_function(problem.X_test) for m, model in models.items()}
    unfinished = tuple(m for m, model in models.items() if model.status_ is Status.MAX_STEPS)
    return Outcome(scores, seconds, kept, unfinished)


def for_all(topic: Topic, model: Any, seconds: float) -> Outcome:
    """One fitted model, whatever it is judged by."""
    found = model.decision_function(topic.problem.X_test)
    names = topic.settings.measures
    return Outcome(dict.fromkeys(names, found), dict.fromkeys(names, seconds), topic.k)


def held_out_threshold(topic: Topic) -> Outcome:
    """For the measure, with a threshold for F1 from held-out rows; the others have none."""

    def make(measure: str) -> FGMClassifier:
        how = "held_out" if measure == "f1" else "fitted"
        return FGMClassifier(topic.k, loss=measure, label_threshold=how)

    return by_measure(topic, make, topic.k)


def fgm_for_accuracy(topic: Topic) -> Outcome:
    problem, model = topic.problem, FGMClassifier(topic.k, loss="accuracy")
    return for_all(topic, *timed(lambda: model.fit(problem.X, problem.y)))


def svmperf(topic: Topic) -> Outcome:
    """The same measure on all features, to the tolerance of FGM and with an intercept, as FGM has."""
    settings, kept = topic.settings, topic.problem.X.shape[1]
    options = {"C": settings.svmperf_c, "max_iter": settings.svmperf_cuts}
    options |= {"tol": FGMClassifier().tol, "fit_intercept": True}
    return by_measure(topic, lambda measure: SVMPerfClassifier(measure, **options), kept)


def tuned(topic: Topic, ids: Ids | None, before: float, class_weight: str | None) -> Outcome:
    """A linear SVM on some columns, or all, and for each measure its best threshold."""
    problem = topic.problem
    X, X_test = problem.X, problem.X_test
    if ids is not None:
        X, X_test = take_columns(X, ids), take_columns(X_test, ids)
    model = LinearSVC(class_weight=class_weight, random_state=0)
    known, held_out_seconds = timed(lambda: unseen_scores(model, X, problem.y))
    found, fit_seconds = timed(lambda: model.fit(X, problem.y).decision_function(X_test))
    scores, seconds = {}, {}
    for measure in topic.settings.measures:
        threshold, search = timed(partial(best_threshold, problem.y, known, measure))
        scores[measure] = found - threshold
        seconds[measure] = before + held_out_seconds + fit_seconds + search
    return Outcome(scores, seconds, X.shape[1])


def rfe_tuned(topic: Topic, class_weight: str | None) -> Outcome:
    selector, seconds = topic.rfe()
    return tuned(topic, np.flatnonzero(selector.support_), seconds, class_weight)


def hinge_tuned(topic: Topic) -> Outcome:
    model, seconds = topic.hinge()
    return tuned(topic, model.support_ids_, seconds, None)


def unseen_scores(model: LinearSVC, X: Matrix, y: Array) -> Array:
    """Scores of each training row by a model that has not seen it; of one positive there is none."""
    folds = min(FOLDS, int((y > 0).sum()))
    if folds < 2:
        return np.asarray(model.fit(X, y).decision_function(X))
    cv = StratifiedKFold(folds, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(model, X, y, cv=cv, method="decision_function"))


def best_threshold(y: Array, scores: Array, measure: str) -> float:
    """Where the measure of the training rows is largest: midway between two scores, and 0 on a tie.

    Only F1 depends on it; rankings are the same whatever is subtracted.
    """
    if measure != "f1":
        return 0.0
    order = np.argsort(-scores, kind="stable")
    falling, hits = scores[order], np.cumsum(y[order] > 0)
    f1 = 2 * hits / (np.arange(1, len(y) + 1) + hits[-1])
    f1[:-1][falling[:-1] == falling[1:]] = 0.0  # tied scores cannot be parted
    if f1.max() <= measure_score(y, scores, "f1"):
        return 0.0
    best = int(np.argmax(f1))
    below = falling[best + 1] if best + 1 < len(falling) else falling[best] - 1.0
    return float(0.5 * (falling[best] + below))


METHODS: dict[str, Callable[[Topic], Outcome]] = {
    OURS: lambda topic: by_measure(topic, lambda m: FGMClassifier(topic.k, loss=m), topic.k),
    HELD_OUT: held_out_threshold,
    ACCURACY: fgm_for_accuracy,
    HINGE: lambda topic: for_all(topic, *topic.hinge()),
    HINGE_TUNED: hinge_tuned,
    RFE_ALONE: lambda topic: for_all(topic, *topic.rfe()),
    PLAIN_RIVAL: partial(rfe_tuned, class_weight=None),
    RIVAL: partial(rfe_tuned, class_weight="balanced"),
    SVMPERF: svmperf,
    ALL_TUNED: lambda topic: tuned(topic, None, 0.0, "balanced"),
}
ON_ALL_FEATURES = (SVMPERF, ALL_TUNED)


# ------------------------------------- C and the budget B (the paper's Figure 1)

CS, BUDGETS, ROUNDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0), (2, 5, 10, 20), 6


@dataclass(frozen=True)
class Point:
    """Test figures of one fit."""

    budget: int
    C: float
    accuracy: float
    f1: float
    n_features: int
    seconds: float


def study_point(problem: Problem, budget: int, C: float) -> Point:
    """Fit plain FGM under F1."""
    model = FGMClassifier(loss="f1", budget=budget, C=C, max_rounds=ROUNDS, refit=False)
    _, seconds = timed(lambda: model.fit(problem.X, problem.y))
    scores = model.decision_function(problem.X_test)
    accuracy, f1 = (measure_score(problem.y_test, scores, m) for m in ("accuracy", "f1"))
    return Point(budget, C, accuracy, f1, len(model.support_ids_), seconds)


def run_study(run: Run) -> None:
    """Draw accuracy, F1 and the number of features against C, a line for each B."""
    path = run.given.study
    [problem] = topics_of(REUTERS, run.source, [run.given.study_topic])
    points = [study_point(problem, budget, C) for budget in BUDGETS for C in CS]
    run.report.add(study=[asdict(point) for point in points])
    for point in points:
        run.console.print(point)
    figure, axes = new_figure(1, 3, (9.6, 3.2), layout="constrained")
    panels = (("accuracy", "test accuracy"), ("f1", "test F1"), ("n_features", "features"))
    for panel, (field, label) in zip(axes[0], panels, strict=True):
        for place, budget in enumerate(BUDGETS):
            values = [getattr(point, field) for point in points if point.budget == budget]
            panel.plot(CS, values, f"C{place}o-", markersize=3, label=f"B = {budget}")
        panel.set(xscale="log", xlabel="C", title=label)
    axes[0, 0].legend(frameon=False)
    figure.suptitle(f"Reuters, {problem.name}: plain FGM under F1", parse_math=False)
    save(figure, path)
    run.console.print(f"wrote {path}")

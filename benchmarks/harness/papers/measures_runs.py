"""The experiments of 000 (measures), section 8: text, and bags embedded by their similarities to instances."""

from __future__ import annotations

import time
import warnings
from itertools import islice
from typing import Any

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from handful import FGMClassifier, SVMPerfClassifier
from handful.metrics import measure_score
from harness.bags import Similarities, folds, load
from harness.data import Source, newsgroups
from harness.peers import l1_svm
from harness.problem import Problem, tiny
from harness.refit import take_columns
from harness.topics import NEWS20, REUTERS, study_point, topics_of

from .claim import Figures

MEASURES = ("f1", "rec@2p", "prbep")


def sensitivity(source: Source) -> Figures:
    """Figure 1: C and B under F1, plain machine, on a topic of Reuters."""
    [problem] = topics_of(REUTERS, source, ["corn"])
    Cs, budgets = (0.01, 0.1, 1.0), (2, 5, 10) if source.quick else (2, 5, 10, 20, 50)
    study_point(problem, 2, 0.01)
    found: Figures = {"size": "Reuters, corn, {:,} x {:,}".format(*problem.X.shape), "points": []}
    for budget in budgets:
        for C in Cs:
            point = study_point(problem, budget, C)
            kept = {"B": budget, "C": C, "accuracy": point.accuracy, "f1": point.f1}
            found["points"].append({**kept, "features": point.n_features, "seconds": point.seconds})
    return found


def _scored(problem: Problem, ids: Any) -> float:
    svm = LinearSVC(random_state=0).fit(take_columns(problem.X, ids), problem.y)
    return float(svm.score(take_columns(problem.X_test, ids), problem.y_test))


def for_hamming(source: Source) -> Figures:
    """Figures 2 to 4: selecting for the Hamming loss, against squared hinge, RFE and l1; one refit for all."""
    problem = newsgroups(Source(source.data), 1)
    counts = (10, 20, 60) if source.quick else (5, 10, 20, 50, 100, 200)
    found: Figures = {"size": "20 newsgroups, {:,} x {:,}".format(*problem.X.shape), "curves": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for loss in ("accuracy", "squared_hinge", "f1"):
            FGMClassifier(5, loss=loss, C="fast").fit(*tiny(problem.X, problem.y))
        for name, select in _selectors(problem).items():
            found["curves"][name] = []
            for k in counts:
                started = time.perf_counter()
                ids = select(k)
                seconds = time.perf_counter() - started
                found["curves"][name].append(
                    {"k": k, "accuracy": _scored(problem, ids), "seconds": seconds}
                )
        nested = {}
        for budget in (2, 5, 10, 20):
            settings: dict[str, Any] = {
                "budget": budget,
                "loss": "accuracy",
                "refit": False,
                "max_rounds": 6,
            }
            nested[budget] = FGMClassifier(**settings).fit(problem.X, problem.y).support_ids_
    found["nested"] = [
        {
            "from": a,
            "to": b,
            "size": len(nested[a]),
            "kept": int(np.isin(nested[a], nested[b]).sum()),
        }
        for a, b in ((2, 5), (5, 10), (10, 20))
    ]
    return found


def _selectors(problem: Problem) -> dict[str, Any]:
    X, y = problem.X, problem.y

    def fgm(loss: str) -> Any:
        return lambda k: FGMClassifier(k, loss=loss, C="fast").fit(X, y).support_ids_

    def rfe(k: int) -> Any:
        machine = LinearSVC(random_state=0)
        return np.flatnonzero(RFE(machine, n_features_to_select=k, step=0.5).fit(X, y).support_)

    return {
        "for Hamming": fgm("accuracy"),
        "squared hinge": fgm("squared_hinge"),
        "for F1": fgm("f1"),
        "RFE": rfe,
        "l1": lambda k: l1_svm(X, y, k).ids,
    }


def topics(source: Source) -> Figures:
    """Table 2 and Figures 6 and 7: topics of news20 against the rest, for three measures."""
    n_topics, counts = (2, (20, 250)) if source.quick else (20, (20, 60, 250))
    found: Figures = {"topics": n_topics, "k": list(counts), "values": {}, "seconds": {}}
    problems = list(islice(topics_of(NEWS20, Source(source.data), None), n_topics))
    X, y = tiny(problems[0].X, problems[0].y)
    for loss in (*MEASURES, "accuracy"):
        FGMClassifier(5, loss=loss, C="fast").fit(X, y)
    found["size"] = f"news20, {n_topics} of 20 groups, " + "{:,} x {:,}".format(
        *problems[0].X.shape
    )
    for problem in problems:
        _topic(problem, counts, found)
    return found


def _topic(problem: Problem, counts: Any, found: Figures) -> None:
    def note(name: str, measure: str, scores: Any, started: float) -> None:
        found["values"].setdefault(name, {}).setdefault(measure, []).append(
            measure_score(problem.y_test, scores, measure)
        )
        found["seconds"].setdefault(name, []).append(time.perf_counter() - started)

    X, y, X_test = problem.X, problem.y, problem.X_test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in counts:
            ours = MEASURES if k == counts[-1] else ("f1",)
            for measure in ours:
                started = time.perf_counter()
                model = FGMClassifier(k, loss=measure, C="fast").fit(X, y)
                note(f"the measure, {k}", measure, model.decision_function(X_test), started)
            started = time.perf_counter()
            scores = FGMClassifier(k, loss="accuracy", C="fast").fit(X, y).decision_function(X_test)
            for measure in ours:
                note(f"Hamming, {k}", measure, scores, started)
            for name, ids in (("RFE", _rfe(problem, k)), ("l1", l1_svm(X, y, k).ids)):
                svm = LinearSVC(random_state=0).fit(take_columns(X, ids), y)
                note(
                    f"{name}, {k}", "f1", svm.decision_function(take_columns(X_test, ids)), started
                )
        started = time.perf_counter()
        model = FGMClassifier(counts[-1], loss="rec@2p:paper", C="fast").fit(X, y)
        note(f"the paper's risk, {counts[-1]}", "rec@2p", model.decision_function(X_test), started)
        for measure in MEASURES:
            started = time.perf_counter()
            svm = SVMPerfClassifier(measure, C=0.3, max_iter=40, tol=1e-2, fit_intercept=True).fit(
                X, y
            )
            note("SVMperf, all", measure, svm.decision_function(X_test), started)


def _rfe(problem: Problem, k: int) -> Any:
    machine = LinearSVC(random_state=0)
    return np.flatnonzero(
        RFE(machine, n_features_to_select=k, step=0.5).fit(problem.X, problem.y).support_
    )


def bags(source: Source) -> Figures:
    """Section 7 and Figure 5: bags embedded by all instances, then selected for F1, Hamming, by l1 and by RFE."""
    n_folds, k = (5 if source.quick else 10), 20
    found: Figures = {"size": f"musk1 and elephant, {n_folds} folds, {k} instances", "sets": {}}
    for name in ("musk1", "elephant"):
        data = load(name, source)
        values: dict[str, list[float]] = {}
        for train, test in folds(data.y, n_folds, source.seed):
            made = Similarities(data.bags[train], 0.25)
            atoms = made.bags.instances
            columns = made.to(atoms), made.to(atoms, data.bags[test])
            problem = Problem(name, columns[0], data.y[train], columns[1], data.y[test])
            for way, scores in _ways(problem, k):
                values.setdefault(way, []).append(measure_score(problem.y_test, scores, "f1"))
        found["sets"][name] = values
    return found


def _ways(problem: Problem, k: int) -> Any:
    X, y, X_test = problem.X, problem.y, problem.X_test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, loss in (("for F1", "f1"), ("for Hamming", "accuracy")):
            yield name, FGMClassifier(k, loss=loss).fit(X, y).decision_function(X_test)
        for name, ids in (("RFE", _rfe(problem, k)), ("l1", l1_svm(X, y, k).ids)):
            yield name, LinearSVC().fit(X[:, ids], y).decision_function(X_test[:, ids])

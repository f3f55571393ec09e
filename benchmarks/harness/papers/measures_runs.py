"""The experiments of 000 (measures), section 8: text, and bags embedded by their similarities to instances."""

from __future__ import annotations

import time
from collections import defaultdict
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from handful import FGMClassifier, SVMPerfClassifier
from handful.metrics import measure_score
from harness.bags import Similarities, folds, load
from harness.data import Source, newsgroups
from harness.measure import timed
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


def for_hamming(source: Source) -> Figures:
    """Figures 2 to 4: selecting for the Hamming loss, against squared hinge, RFE and l1; one refit for all."""
    problem = newsgroups(Source(source.data), 1)
    counts = (10, 20, 60) if source.quick else (5, 10, 20, 50, 100, 200)
    found: Figures = {"size": "20 newsgroups, {:,} x {:,}".format(*problem.X.shape), "curves": {}}
    for loss in ("accuracy", "squared_hinge", "f1"):
        FGMClassifier(5, loss=loss, C="fast").fit(*tiny(problem.X, problem.y))
    for name, select in _selectors(problem).items():
        found["curves"][name] = []
        for k in counts:
            ids, seconds = timed(partial(select, k))
            svm = LinearSVC(random_state=0).fit(take_columns(problem.X, ids), problem.y)
            accuracy = float(svm.score(take_columns(problem.X_test, ids), problem.y_test))
            found["curves"][name].append({"k": k, "accuracy": accuracy, "seconds": seconds})
    nested, plain = {}, FGMClassifier(loss="accuracy", refit=False, max_rounds=6)
    for budget in (2, 5, 10, 20):
        nested[budget] = plain.set_params(budget=budget).fit(problem.X, problem.y).support_ids_
    found["nested"] = [
        {
            "from": a,
            "to": b,
            "size": len(nested[a]),
            "kept": len(np.intersect1d(nested[a], nested[b])),
        }
        for a, b in pairwise(nested)
    ]
    return found


def _selectors(problem: Problem) -> dict[str, Any]:
    def fgm(k: int, loss: str) -> Any:
        return FGMClassifier(k, loss=loss, C="fast").fit(problem.X, problem.y).support_ids_

    ways = {"for Hamming": "accuracy", "squared hinge": "squared_hinge", "for F1": "f1"}
    ours = {name: partial(fgm, loss=loss) for name, loss in ways.items()}
    return ours | {name: partial(select, problem) for name, select in RIVALS.items()}


def topics(source: Source) -> Figures:
    """Table 2 and Figures 6 and 7: topics of news20 against the rest, for three measures."""
    n_topics, counts = (2, (20, 250)) if source.quick else (20, (20, 60, 250))
    problems = list(islice(topics_of(NEWS20, Source(source.data), None), n_topics))
    X, y = tiny(problems[0].X, problems[0].y)
    for loss in (*MEASURES, "accuracy"):
        FGMClassifier(5, loss=loss, C="fast").fit(X, y)
    size = "news20, {} of 20 groups, {:,} x {:,}".format(n_topics, *problems[0].X.shape)
    values: dict[str, Any] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, list[float]] = defaultdict(list)
    for problem in problems:
        started = time.perf_counter()
        for name, measures, scores in _topic(problem, counts):
            for measure in measures:
                values[name][measure].append(measure_score(problem.y_test, scores, measure))
                seconds[name].append(time.perf_counter() - started)
            started = time.perf_counter()
    about = {"topics": n_topics, "k": list(counts), "size": size}
    return {**about, "values": values, "seconds": seconds}


def _topic(problem: Problem, counts: Any) -> Any:
    """Yield every way with the measures that it is judged by, and its scores of the test rows."""
    X, y, X_test = problem.X, problem.y, problem.X_test

    def fgm(k: int, loss: str) -> Any:
        return FGMClassifier(k, loss=loss, C="fast").fit(X, y).decision_function(X_test)

    most = counts[-1]
    for k in counts:
        ours = MEASURES if k == most else ("f1",)
        for measure in ours:
            yield f"the measure, {k}", (measure,), fgm(k, measure)
        yield f"Hamming, {k}", ours, fgm(k, "accuracy")
        for name, select in RIVALS.items():
            ids = select(problem, k)
            svm = LinearSVC(random_state=0).fit(take_columns(X, ids), y)
            yield f"{name}, {k}", ("f1",), svm.decision_function(take_columns(X_test, ids))
    yield f"the paper's risk, {most}", ("rec@2p",), fgm(most, "rec@2p:paper")
    for measure in MEASURES:
        svm = SVMPerfClassifier(measure, C=0.3, max_iter=40, tol=1e-2, fit_intercept=True)
        yield "SVMperf, all", (measure,), svm.fit(X, y).decision_function(X_test)


def _rfe(problem: Problem, k: int) -> Any:
    found = RFE(LinearSVC(random_state=0), n_features_to_select=k, step=0.5)
    return np.flatnonzero(found.fit(problem.X, problem.y).support_)


RIVALS = {"RFE": _rfe, "l1": lambda problem, k: l1_svm(problem.X, problem.y, k).ids}


def bags(source: Source) -> Figures:
    """Section 7 and Figure 5: bags embedded by all instances, then selected for F1, Hamming, by l1 and by RFE."""
    n_folds, k = (5 if source.quick else 10), 20
    found: Figures = {"size": f"musk1 and elephant, {n_folds} folds, {k} instances", "sets": {}}
    for name in ("musk1", "elephant"):
        data = load(name, source)
        values: dict[str, list[float]] = defaultdict(list)
        for train, test in folds(data.y, n_folds, source.seed):
            made = Similarities(data.bags[train], 0.25)
            atoms = made.bags.instances
            columns = made.to(atoms), made.to(atoms, data.bags[test])
            problem = Problem(name, columns[0], data.y[train], columns[1], data.y[test])
            for way, scores in _ways(problem, k):
                values[way].append(measure_score(problem.y_test, scores, "f1"))
        found["sets"][name] = values
    return found


def _ways(problem: Problem, k: int) -> Any:
    X, y, X_test = problem.X, problem.y, problem.X_test
    for name, loss in (("for F1", "f1"), ("for Hamming", "accuracy")):
        yield name, FGMClassifier(k, loss=loss).fit(X, y).decision_function(X_test)
    for name, select in RIVALS.items():
        ids = select(problem, k)
        yield name, LinearSVC().fit(X[:, ids], y).decision_function(X_test[:, ids])

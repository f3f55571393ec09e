"""The evidence behind the defaults: the closed rule for C, folds, candidates, elimination, solver, rare classes, columns in units.

    python benchmarks/choices.py [--sections C,folds,candidates,elimination,rare,solvers,units] [--json out.json]

Accuracy is the model's own on the test part, as a user sees it. Data that are not there are named,
not skipped in silence.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from harness.data import BUILDERS, Source, mnist_parts, reuters_topics
from harness.measure import timed
from harness.panel import tasks
from harness.panel.judge import judge
from harness.problem import Problem
from harness.study import Options, Run
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FGMClassifier, FGMRegressor
from handful.methods.fgm import schedule
from handful.sizes import changed_sizes, current_sizes

KS = (50, 150)
FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0)
CANDIDATES = ((1, 0), (3, 0), (1, 2), (3, 2), (6, 2))
ELIMINATION_TASKS = (
    *("communities", "lung", "warpAR10P", "warpPIE10P", "PCMAC"),
    *("RELATHE", "atheism or christian", "ORL", "Reuters acq"),
)
ELIMINATION_KS, ELIMINATION_SPLITS = (5, 10, 20, 50), 4
RARE_TOPICS = ("corn", "wheat", "ship", "sugar", "coffee", "gold", "cpi", "cocoa")
#: Rows, columns, features asked for, and draws of each family of many features.
MANY_ROWS, MANY_COLUMNS, MANY_K, MANY_DRAWS = 3000, 3000, 400, 2
BLOCK = 10
UNIT_KS, UNIT_SPLITS = (2, 5, 10), 20
Rows = list[dict[str, Any]]


def mnist_raw(source: Source) -> Problem:
    """Threes against eights, pixels from 0 to 255 as they are: dense raw data."""
    X, y, X_test, y_test = mnist_parts(source)
    return Problem("mnist-3v8 raw", X.astype(np.float64), y, X_test.astype(np.float64), y_test)


def problems(run: Run, *names: str) -> Iterator[Problem]:
    """Yield the data sets that are there, and name those that are not."""
    builders = {**BUILDERS, "mnist-raw": mnist_raw}
    for name in names:
        problem = run.had(name, builders[name])
        if problem is not None:
            yield problem


def accuracy(problem: Problem, k: int, **parameters: Any) -> tuple[float, FGMClassifier]:
    """Test accuracy with k features, by the closed rule for C unless one is given, and the model."""
    parameters = {"C": "fast", **parameters}
    model = FGMClassifier(n_features_to_select=k, **parameters).fit(problem.X, problem.y)
    return float(model.score(problem.X_test, problem.y_test)), model


def c_rows(run: Run) -> Rows:
    """Accuracy at C="fast" and at multiples of it."""
    rows: Rows = []
    for problem in problems(run, "x1-I", "mnist-raw", "newsgroups", "reuters-acq", "a9a"):
        for k in KS:
            if k >= problem.X.shape[1]:
                continue
            _, model = accuracy(problem, k)
            row: dict[str, Any] = {"data": problem.name, "k": k, "C_": f"{model.C_:.3g}"}
            for factor in FACTORS:
                row[f"x{factor:g}"], _ = accuracy(problem, k, C=factor * model.C_)
            rows.append(row)
    return rows


def fold_rows(run: Run) -> Rows:
    """Many features of thousands of rows, where C="auto" tries larger values alone: the judge's score and the seconds."""
    rows: Rows = []
    families = itertools.product((True, False), (0.0, 0.3, 1.0, 2.0), (0.0, 0.7), (100, 400))
    for of_classes, noise, correlation, n_true in families:
        estimator = FGMClassifier if of_classes else FGMRegressor
        scores: dict[str, list[float]] = {"fast": [], "auto": []}
        seconds: dict[str, list[float]] = {"fast": [], "auto": []}
        factors = []
        for draw in range(MANY_DRAWS):
            problem = _many(1000 + run.source.seed + draw, of_classes, noise, correlation, n_true)
            found = {}
            for C, own in scores.items():
                model = estimator(MANY_K, C=C)
                _, spent = timed(partial(model.fit, problem.X, problem.y))
                own.append(judge(problem, model.support_ids_, not of_classes))
                seconds[C].append(spent)
                found[C] = model.C_
            factors.append(f"{found['auto'] / found['fast']:g}")
        about = {"task": "classes" if of_classes else "numbers", "noise": noise}
        about |= {"correlation": correlation, "true": n_true}
        timings = {f"{C}, s": float(np.mean(spent)) for C, spent in seconds.items()}
        rows.append({**about, **_means(scores), "times C": " ".join(factors), **timings})
    return rows


def _many(seed: int, of_classes: bool, noise: float, correlation: float, n_true: int) -> Problem:
    """Normal columns, in blocks of ten where they correlate, of which some decide; noise in deviations of the signal."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * MANY_ROWS, MANY_COLUMNS))
    if correlation:
        common = rng.standard_normal((2 * MANY_ROWS, MANY_COLUMNS // BLOCK))
        X *= np.sqrt(1 - correlation)
        X += np.sqrt(correlation) * np.repeat(common, BLOCK, axis=1)
    true = rng.choice(MANY_COLUMNS, n_true, replace=False)
    signal = X[:, true] @ rng.standard_normal(n_true)
    told = signal / signal.std() + noise * rng.standard_normal(2 * MANY_ROWS)
    y = np.where(told > 0, 1, -1) if of_classes else told
    return Problem("many features", X[:MANY_ROWS], y[:MANY_ROWS], X[MANY_ROWS:], y[MANY_ROWS:])


def candidate_rows(run: Run) -> Rows:
    """Accuracy by candidates per feature and number of swaps, with the limit on rows in force."""
    rows: Rows = []
    default = schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS
    for problem in problems(run, "x1-I", "newsgroups", "news20"):
        for k in KS:
            row: dict[str, Any] = {"data": problem.name, "k": k}
            for per_feature, swaps in CANDIDATES:
                schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS = per_feature, swaps
                row[f"{per_feature}k, {swaps} swaps"], _ = accuracy(problem, k)
            rows.append(row)
    schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS = default
    return rows


def elimination_rows(run: Run) -> Rows:
    """Accuracy after the panel's refit on tuned tasks, with the Hessian and with its diagonal alone."""
    rows: Rows = []
    most = {"Hessian": current_sizes().hessian_columns, "diagonal": 0}
    for name in ELIMINATION_TASKS:
        task = tasks.TASKS[name]
        estimator = FGMRegressor if task.is_numbers else FGMClassifier
        scores: dict[str, list[float]] = {kind: [] for kind in most}
        drawn = itertools.islice(tasks.splits(task, run.source), ELIMINATION_SPLITS)
        for problem, kind, k in itertools.product(drawn, most, ELIMINATION_KS):
            with changed_sizes(hessian_columns=most[kind]):
                model = estimator(k, C="fast").fit(problem.X, problem.y)
            scores[kind].append(judge(problem, model.support_ids_, task.is_numbers))
        rows.append({"task": name, **_means(scores)})
    return [*rows, {"task": "mean", **_means({kind: [r[kind] for r in rows] for kind in most})}]


def _means(scores: dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.mean(found)) for name, found in scores.items()}


def rare_rows(run: Run) -> Rows:
    """F1 of topics of Reuters with 50 words: plain, with balanced weights, and selected for F1."""
    whole, names = reuters_topics(run.source)
    ways: dict[str, dict[str, Any]] = {
        "squared hinge": {},
        "balanced": {"class_weight": "balanced"},
        "loss=f1": {"loss": "f1"},
    }
    rows: Rows = []
    for topic in RARE_TOPICS:
        y, y_test = (labels[:, names.index(topic)] for labels in (whole.y, whole.y_test))
        row: dict[str, Any] = {"topic": topic, "positive": int((y > 0).sum())}
        for way, options in ways.items():
            model = FGMClassifier(50, C="fast", **options).fit(whole.X, y)
            row[way] = float(f1_score(y_test, model.predict(whole.X_test)))
        rows.append(row)
    means = _means({way: [row[way] for row in rows] for way in ways})
    return [*rows, {"topic": "mean", "positive": "", **means}]


def solver_rows(run: Run) -> Rows:
    """Rounds, seconds and certified gap of the solvers on one problem, plain and for exactly k."""
    rows: Rows = []
    problem = BUILDERS["x1-I"](Source(run.source.data, run.source.seed, quick=True))
    for k, solver in itertools.product((None, 50), ("auto", "ksupport", "apg", "mkl")):
        if solver == "mkl" and k is not None:
            continue  # minutes, for the answer ksupport gives
        model = FGMClassifier(k, solver=solver, C=0.1, tol=1e-2)
        _, seconds = timed(partial(model.fit, problem.X, problem.y))
        about = {"data": "x1-I {} x {}".format(*problem.X.shape), "k": k or "plain"}
        row = {
            "solver": solver,
            "features": len(model.support_ids_),
            "rounds": model.n_iter_,
            "seconds": round(seconds, 3),
            "objective": round(model.objective_, 4),
            "relative gap": round(model.dual_gap_ / model.objective_, 4),
            "accuracy": float(model.score(problem.X_test, problem.y_test)),
        }
        rows.append({**about, **row})
    return rows


def unit_rows(run: Run) -> Rows:
    """Accuracy on tables with a unit for each column: as they are, scaled on the fly, and with scaled copies."""
    ways: dict[str, Any] = {
        **{f"scale={kind}": partial(FGMClassifier, scale=kind) for kind in ("raw", "norm", "std")},
        "StandardScaler": lambda k: make_pipeline(StandardScaler(), FGMClassifier(k)),
        "StandardScaler, RFE": lambda k: make_pipeline(
            StandardScaler(), RFE(LogisticRegression(), n_features_to_select=k)
        ),
    }
    rows: Rows = []
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        halves = StratifiedShuffleSplit(UNIT_SPLITS, test_size=0.3, random_state=run.source.seed)
        for k in UNIT_KS:
            scores: dict[str, list[float]] = {way: [] for way in ways}
            for fit, test in halves.split(X, y):
                for way, make in ways.items():
                    scores[way].append(make(k).fit(X[fit], y[fit]).score(X[test], y[test]))
            rows.append({"data": name, "k": k, **_means(scores)})
    return rows


SECTIONS = {
    "C": c_rows,
    "folds": fold_rows,
    "candidates": candidate_rows,
    "elimination": elimination_rows,
    "rare": rare_rows,
    "solvers": solver_rows,
    "units": unit_rows,
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    options = Options(__doc__, seed="synthetic data and splits")
    options.words("--sections", SECTIONS, "what to run")
    return options.parse()


def main() -> None:
    """Run the sections asked for."""
    run = Run(parse_arguments(), width=140, tell_system=False)
    for section in run.given.sections:
        rows = SECTIONS[section](run)
        texts = (
            [f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values()]
            for row in rows
        )
        if rows:
            run.show(section, list(rows[0]), texts, left=0)
        run.report.add(**{section: rows})


if __name__ == "__main__":
    main()

"""The evidence behind the defaults: the closed rule for C, candidates, elimination, solver, rare classes.

    python benchmarks/choices.py [--sections C,candidates,elimination,rare,solvers] [--json out.json]

Accuracy is the model's own on the test part, as a user sees it. Data that are not there are named,
not skipped in silence.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness.data import (
    BUILDERS,
    MissingDataError,
    Source,
    default_data_folder,
    reuters_topics,
)
from harness.panel import tasks
from harness.panel.judge import judge
from harness.problem import Problem
from harness.system import system_information
from rich.console import Console
from rich.table import Table
from sklearn.metrics import f1_score

from handful import FGMClassifier, FGMRegressor
from handful.methods.fgm import schedule
from handful.methods.fgm.solvers import newton

KS = (50, 150)
FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0)
CANDIDATES = ((1, 0), (3, 0), (1, 2), (3, 2), (6, 2))
ELIMINATION_TASKS = (
    *("communities", "lung", "warpAR10P", "warpPIE10P", "PCMAC"),
    *("RELATHE", "atheism or christian", "ORL", "Reuters acq"),
)
ELIMINATION_KS, ELIMINATION_SPLITS = (5, 10, 20, 50), 4
RARE_TOPICS = ("corn", "wheat", "ship", "sugar", "coffee", "gold", "cpi", "cocoa")
Rows = list[dict[str, Any]]


def mnist_raw(source: Source) -> Problem:
    """Threes against eights, pixels from 0 to 255 as they are: dense raw data."""
    stored = np.load(source.file("mnist/mnist_3v8.npz"))
    X, X_test = (stored[name].astype(np.float64) for name in ("X_train", "X_test"))
    y, y_test = (np.where(stored[name] == 3, 1, -1) for name in ("y_train", "y_test"))
    return Problem("mnist-3v8 raw", X, y, X_test, y_test)


def problems(source: Source, names: tuple[str, ...], console: Console) -> Iterator[Problem]:
    """Yield the data sets that are there, and name those that are not."""
    builders = {**BUILDERS, "mnist-raw": mnist_raw}
    for name in names:
        try:
            yield builders[name](source)
        except MissingDataError as missing:
            console.print(f"{name}: {missing}")


def accuracy(problem: Problem, k: int, **parameters: Any) -> tuple[float, FGMClassifier]:
    """Test accuracy with k features, by the closed rule for C unless one is given, and the model."""
    parameters = {"C": "fast", **parameters}
    model = FGMClassifier(n_features_to_select=k, **parameters).fit(problem.X, problem.y)
    return float(model.score(problem.X_test, problem.y_test)), model


def c_rows(source: Source, console: Console) -> Rows:
    """Accuracy at C="fast" and at multiples of it."""
    rows: Rows = []
    names = ("x1-I", "mnist-raw", "newsgroups", "reuters-acq", "a9a")
    for problem in problems(source, names, console):
        for k in KS:
            if k >= problem.X.shape[1]:
                continue
            _, model = accuracy(problem, k)
            row: dict[str, Any] = {"data": problem.name, "k": k, "C_": f"{model.C_:.3g}"}
            for factor in FACTORS:
                row[f"x{factor:g}"], _ = accuracy(problem, k, C=factor * model.C_)
            rows.append(row)
    return rows


def candidate_rows(source: Source, console: Console) -> Rows:
    """Accuracy by candidates per feature and number of swaps, with the limit on rows in force."""
    rows: Rows = []
    default = schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS
    for problem in problems(source, ("x1-I", "newsgroups", "news20"), console):
        for k in KS:
            row: dict[str, Any] = {"data": problem.name, "k": k}
            for per_feature, swaps in CANDIDATES:
                schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS = per_feature, swaps
                row[f"{per_feature}k, {swaps} swaps"], _ = accuracy(problem, k)
            rows.append(row)
    schedule.CANDIDATES_PER_FEATURE, schedule.SWAPS = default
    return rows


def elimination_rows(source: Source, console: Console) -> Rows:
    """Accuracy after the panel's refit on tuned tasks, with the Hessian and with its diagonal alone."""
    rows: Rows = []
    whole = newton.MOST_EXACT
    for name in ELIMINATION_TASKS:
        task = tasks.TASKS[name]
        estimator = FGMRegressor if task.is_numbers else FGMClassifier
        scores: dict[str, list[float]] = {"Hessian": [], "diagonal": []}
        for problem in itertools.islice(tasks.splits(task, source), ELIMINATION_SPLITS):
            for kind, most in (("Hessian", whole), ("diagonal", 0)):
                newton.MOST_EXACT = most
                for k in ELIMINATION_KS:
                    model = estimator(k, C="fast").fit(problem.X, problem.y)
                    scores[kind].append(judge(problem, model.support_ids_, task.is_numbers))
        rows.append(
            {"task": name} | {kind: float(np.mean(found)) for kind, found in scores.items()}
        )
    newton.MOST_EXACT = whole
    means = {kind: float(np.mean([row[kind] for row in rows])) for kind in ("Hessian", "diagonal")}
    return [*rows, {"task": "mean"} | means]


def rare_rows(source: Source, console: Console) -> Rows:
    """F1 of topics of Reuters with 50 words: plain, with balanced weights, and selected for F1."""
    whole, names = reuters_topics(source)
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
    means = {way: float(np.mean([row[way] for row in rows])) for way in ways}
    return [*rows, {"topic": "mean", "positive": ""} | means]


def solver_rows(source: Source, console: Console) -> Rows:
    """Rounds, seconds and certified gap of the solvers on one problem, plain and for exactly k."""
    rows: Rows = []
    small = Source(source.data, source.seed, quick=True)
    for problem in problems(small, ("x1-I",), console):
        for k in (None, 50):
            for solver in ("auto", "ksupport", "apg", "mkl"):
                if solver == "mkl" and k is not None:
                    continue  # minutes, for the answer ksupport gives
                started = time.perf_counter()
                model = FGMClassifier(k, solver=solver, C=0.1, tol=1e-2).fit(problem.X, problem.y)
                rows.append(
                    {
                        "data": f"x1-I {problem.X.shape[0]} x {problem.X.shape[1]}",
                        "k": k or "plain",
                        "solver": solver,
                        "features": len(model.support_ids_),
                        "rounds": model.n_iter_,
                        "seconds": round(time.perf_counter() - started, 3),
                        "objective": round(model.objective_, 4),
                        "relative gap": round(model.dual_gap_ / model.objective_, 4),
                        "accuracy": float(model.score(problem.X_test, problem.y_test)),
                    }
                )
    return rows


SECTIONS = {
    "C": c_rows,
    "candidates": candidate_rows,
    "elimination": elimination_rows,
    "rare": rare_rows,
    "solvers": solver_rows,
}


def print_rows(console: Console, title: str, rows: Rows) -> None:
    """Print rows of equal keys as a table."""
    table = Table(title=title, title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            *(f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values())
        )
    console.print(table)


def main() -> None:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", default=",".join(SECTIONS))
    parser.add_argument("--data", type=Path, default=default_data_folder())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 140)
    source = Source(given.data, given.seed)
    results: dict[str, Any] = {"system": system_information()}
    for section in given.sections.split(","):
        results[section] = SECTIONS[section](source, console)
        if results[section]:
            print_rows(console, section, results[section])
        if given.json:
            given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

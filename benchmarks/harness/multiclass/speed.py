"""Seconds of one fit of ours: wide data, isolet, and cost against the number of features.

Each runs in a process of its own: ``python -m harness.multiclass.speed``.
"""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import handful
from harness.cell import answer_parent, run_child
from harness.data import MissingDataError, Source
from harness.growth import Growth

from .data import load, splits
from .methods import MOST

Array = NDArray[Any]
ROWS, CLASSES = 200, 5
WIDE = 10_000
GROWTH = (5_000, 10_000, 20_000, 40_000, 80_000)
ISOLET = "isolet"
#: isolet with other margins, and with the labels of some samples contradicted: options of the fit.
MARGINS: dict[str, dict[str, Any]] = {
    "isolet, hard": {"margin": "hard"},
    "isolet, contradicted": {"margin": "hard"},
    "isolet, projected": {"margin": "projected"},
    "isolet, projected, constant penalised": {"margin": "projected", "penalize_intercept": True},
}
CONTRADICTIONS = 50
WARM_UP = 500


@dataclass(frozen=True)
class Timing:
    """Seconds of one fit, by the clock and of work, and its steps; None when ``status`` says why not.

    ``feasible`` is None, too, where hard margins were not tried.
    """

    name: str
    status: str
    seconds: float | None = None
    cpu_seconds: float | None = None  # of all threads: what other work on the machine leaves alone
    steps: int | None = None
    feasible: bool | None = None
    margin: str | None = None


def wide(n_features: int) -> tuple[Array, Array]:
    """Draw classes that fifty columns tell apart, among many that do not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, n_features))
    y = np.arange(ROWS) % CLASSES
    X[:, :50] += rng.standard_normal((CLASSES, 50))[y]
    return X, y


def time_fit(source: Source, name: str, timeout: float) -> Timing:
    """Time one fit; the name is isolet, one of :data:`MARGINS`, or how many columns to draw."""
    quick = ["--quick"] if source.quick else []
    arguments = [*quick, str(source.data), name, str(timeout)]
    return Timing(name, **_plain(run_child("harness.multiclass.speed", arguments, timeout)))


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "error"}


def run_speed(
    console: Console, source: Source, timeout: float
) -> tuple[list[Timing], list[Timing], Growth]:
    """Time isolet with each kind of margins and rising numbers of columns, and print them."""
    isolet = [time_fit(source, name, timeout) for name in (ISOLET, *MARGINS)]
    sizes = GROWTH[:3] if source.quick else GROWTH
    drawn = [time_fit(source, str(size), timeout) for size in sizes]
    growth = Growth(list(sizes), [timing.cpu_seconds for timing in drawn])
    for timing in (*isolet, *drawn):
        what = f"{ROWS} x {int(timing.name):,}" if timing in drawn else timing.name
        told = timing.status
        if timing.seconds is not None:
            told = (
                f"{timing.seconds:.2f} s ({timing.cpu_seconds:.2f} s of work), {timing.steps} steps,"
                f" {timing.margin} margins"
            )
            told += {True: ", which hold", False: ", as hard ones cannot hold", None: ""}[
                timing.feasible
            ]
        console.print(f"one fit, {what}: {told}")
    slope = "unknown" if growth.slope is None else f"{growth.slope:.2f}"
    console.print(f"work against the number of features: slope {slope}")
    return isolet, drawn, growth


def _child(given: argparse.Namespace) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    if given.name.startswith(ISOLET):
        source = Source(given.data, quick=given.quick)
        try:
            problem = next(splits(load(ISOLET, source), source, 1))
        except MissingDataError as missing:
            return {"status": str(missing)}
        X, y = problem.X, problem.y
        if "contradicted" in given.name:
            labels, codes = np.unique(y, return_inverse=True)
            X = np.vstack([X, X[:CONTRADICTIONS]])
            y = np.append(y, np.roll(labels, 1)[codes[:CONTRADICTIONS]])
    else:
        X, y = wide(int(given.name))
    rows = np.arange(len(y)) if len(y) <= WARM_UP else np.arange(WARM_UP)
    handful.DirectSparsityClassifier(10).fit(X[rows, :WARM_UP], y[rows])
    signal.setitimer(signal.ITIMER_REAL, given.timeout)
    started, worked = time.perf_counter(), time.process_time()
    model = handful.DirectSparsityClassifier(MOST, **MARGINS.get(given.name, {})).fit(X, y)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - worked
    signal.setitimer(signal.ITIMER_REAL, 0)
    steps, feasible = len(model.objective_path_), model.feasible_
    return {
        "status": "ok",
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "steps": steps,
        "feasible": feasible,
        "margin": model.margin_,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("data", type=Path)
    parser.add_argument("name")
    parser.add_argument("timeout", type=float)
    answer_parent(parser, _child)


if __name__ == "__main__":
    main()

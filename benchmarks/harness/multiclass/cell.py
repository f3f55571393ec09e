"""One method on one set, all splits, in a process of its own: ``python -m harness.multiclass.cell``.

The time limit counts the selections of all splits and not the judging. The answer is written anew
after each split: a method that runs out of time keeps the splits that it has.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
import warnings
from pathlib import Path
from typing import Any

from harness.cell import limit_memory, run_child
from harness.data import Source
from harness.problem import Problem

from .data import load, splits
from .judge import COUNTS, judge
from .methods import METHODS
from .rows import Row

WARM_UP_ROWS, WARM_UP_COLUMNS = 200, 120


def run_splits(
    source: Source, dataset: str, method: str, first: int, last: int, timeout: float
) -> Row:
    """Return the splits from ``first`` up to ``last``; the status says if some are missing."""
    quick = ["--quick"] if source.quick else []
    numbers = [str(source.seed), str(first), str(last), str(timeout)]
    arguments = [*quick, str(source.data), dataset, method, *numbers]
    answer = run_child("harness.multiclass.cell", arguments, timeout)
    if "seconds" in answer and len(answer["seconds"]) < last - first:
        answer["status"] = f"> {timeout:g} s"
    answer.pop("error", None)
    return Row(dataset, method, **answer)


def _warm_up(problem: Problem, method: str) -> None:
    """Compile on a corner of the data."""
    X, y = problem.X[:WARM_UP_ROWS, :WARM_UP_COLUMNS], problem.y[:WARM_UP_ROWS]
    METHODS[method](X, y)


def _child(given: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    source = Source(given.data, given.seed, given.quick)
    names = [str(k) for k in COUNTS]
    answer: dict[str, Any] = {
        "status": "ok",
        "accuracies": {name: [] for name in names},
        "kept": {name: [] for name in names},
        "seconds": [],
    }
    left, select = given.timeout, METHODS[given.method]
    for number, problem in enumerate(splits(load(given.dataset, source), source, given.last)):
        if number < given.first:
            continue
        if number == given.first and given.method.startswith(("direct", "FGM", "RFS")):
            _warm_up(problem, given.method)
        signal.setitimer(signal.ITIMER_REAL, left)
        started = time.perf_counter()
        chosen = select(problem.X, problem.y)
        answer["seconds"].append(time.perf_counter() - started)
        signal.setitimer(signal.ITIMER_REAL, 0)
        left = max(0.01, left - answer["seconds"][-1])
        for k, value in judge(problem, chosen).items():
            answer["accuracies"][str(k)].append(value)
            answer["kept"][str(k)].append(len(chosen[k]))
        written = given.answer.with_suffix(".part")
        written.write_text(json.dumps(answer))
        written.replace(given.answer)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    for name, kind in (
        ("data", Path),
        ("dataset", str),
        ("method", str),
        ("seed", int),
        ("first", int),
        ("last", int),
        ("timeout", float),
        ("answer", Path),
    ):
        parser.add_argument(name, type=kind)
    given = parser.parse_args()
    limit_memory()
    _child(given)


if __name__ == "__main__":
    main()

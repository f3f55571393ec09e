"""One method on one task, all splits and all k, in a process of its own: ``python -m harness.panel.cell``.

The limit of time is on the processor seconds of one selection: what the method does once on a split and what it
does for the k. When it is up the process is ended by a signal, even inside compiled code; its parent notes
that and goes on with the rest in a new process. The judge's time does not count. The file of the cell is
written anew after each selection, so an interrupted run loses one.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tarfile
import time
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from harness.cell import limit_memory, start_child, tiny, why_it_ended
from harness.data import CACHE, ROOT, Source
from harness.problem import Problem

from . import tasks
from .cells import Cell, Measured, open_cell
from .judge import judge, score
from .method import Data, Method, NotForThisTaskError
from .methods import METHODS
from .ours import BEFORE, COMMIT_BEFORE

WARM_UP_COUNTS = (5,)
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "POLARS_MAX")
}
NICE = 5
STOPPED = (-signal.SIGTERM, -signal.SIGINT)


# -------------------------------------------------------------- the parent


def run_cell(
    folder: Path,
    source: Source,
    task: str,
    method: str,
    counts: list[int],
    splits: int,
    timeout: float,
) -> Cell:
    """Measure what is missing of a cell; processes that die are replaced until nothing is left."""
    quick = ["--quick"] if source.quick else []
    asked = ",".join(map(str, counts))
    numbers = [asked, str(splits), str(timeout)]
    arguments = [*quick, str(source.data), str(source.seed), task, method, *numbers]
    while True:
        done = start_child("harness.panel.cell", [*arguments, str(folder)], _environment(method))
        cell = open_cell(folder, task, METHODS[method])
        if done.returncode == 0:
            return cell
        if done.returncode in STOPPED:  # somebody ended it: that says nothing about the method
            raise InterruptedError(f"{task}, {method}: stopped from outside")
        why = why_it_ended(done, timeout)
        if cell.at is None:  # not in a selection: loading, or a package that is not there
            for k in map(str, counts):
                cell.failed.setdefault(k, why)
                cell.limits.setdefault(k, timeout)
            return cell  # not kept
        _give_up(cell, METHODS[method], [str(k) for k in counts], why, timeout)
        cell.save()


def _give_up(cell: Cell, method: Method, counts: list[str], why: str, timeout: float) -> None:
    """Note why the k at work has no answer; with it go larger ones, if they take no less time."""
    assert cell.at is not None
    _, at = cell.at
    for k in counts:
        if k == at or (method.grows and int(k) > int(at)):
            cell.fail(k, why, timeout)
    cell.at = None


def _environment(method: str) -> dict[str, str]:
    """One thread; for the method called "before" the library of that time."""
    if method != BEFORE:
        return ONE_THREAD
    folder = CACHE / f"library-{COMMIT_BEFORE}"
    if not folder.exists():
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", COMMIT_BEFORE, "src"],
            capture_output=True,
            check=True,
        )
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as packed:
            packed.extractall(folder, filter="data")
    return {**ONE_THREAD, "PYTHONPATH": str(folder / "src")}


# --------------------------------------------------------------- the child


def _limited(seconds: float) -> None:
    """End this process after so many processor seconds; 0 takes that back."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _warm_up(method: Method, problem: Problem, is_numbers: bool) -> None:
    """Let compilers work on a corner of the data; what goes wrong here is no result."""
    if is_numbers:
        X, y = np.ascontiguousarray(problem.X[:200, :100]), problem.y[:200]
    else:
        X, y = tiny(problem.X, problem.y)
    data = Data(X, y, is_numbers, WARM_UP_COUNTS)
    try:
        method.select(data, method.prepare(data), WARM_UP_COUNTS[0])
    except (ValueError, RuntimeError, ArithmeticError, IndexError) as trouble:
        print(f"warming up: {trouble!r}", file=sys.stderr)


class _Worker:
    """Fills one cell."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.method = METHODS[given.method]
        self.task = tasks.TASKS[given.task]
        self.cell = open_cell(given.folder, given.task, self.method)
        self.counts = tuple(given.counts)
        self.splits, self.timeout = given.splits, given.timeout
        self.source = Source(given.data, given.seed, given.quick)
        self.is_warm = False
        self.cell.at = None  # what an earlier process was at when it was stopped

    def run(self) -> None:
        """Go through the splits."""
        self.cell.save()
        for number, problem in enumerate(tasks.splits(self.task, self.source)):
            if number >= self.splits:
                break
            todo = [k for k in self.counts if self._is_open(k, number)]
            if todo:
                self._split(str(number), problem, todo)

    def _is_open(self, k: int, number: int) -> bool:
        known = self.cell.found.get(str(k), {})
        return str(number) not in known and not self.cell.is_given_up(str(k), self.timeout)

    def _split(self, number: str, problem: Problem, todo: list[int]) -> None:
        numbers = self.task.is_numbers
        if not self.is_warm:
            _warm_up(self.method, problem, numbers)
            self.is_warm = True
        data = Data(problem.X, problem.y, numbers, self.counts)
        self._mark(number, todo[0])
        clock = _Clock(self.timeout)
        prepared = self.method.prepare(data)
        spent = clock.stop()
        for k in todo:
            if self.cell.is_given_up(str(k), self.timeout):
                continue
            self._mark(number, k)
            clock = _Clock(max(self.timeout - spent[0], 0.1))
            chosen = self.method.select(data, prepared, k)
            now = clock.stop()
            assert len(chosen.ids) <= k
            own = None
            if chosen.predict is not None:
                own = score(problem.y_test, chosen.predict(problem.X_test), numbers)
            self.cell.found.setdefault(str(k), {})[number] = Measured(
                score=judge(problem, chosen.ids, numbers),
                own=own,
                kept=len(chosen.ids),
                seconds=spent[0] + now[0],
                wall=spent[1] + now[1],
            )
            self.cell.at = None
            self.cell.save()

    def _mark(self, number: str, k: int) -> None:
        self.cell.at = (number, str(k))
        self.cell.save()


class _Clock:
    """Counts processor and other seconds from its making, under a limit."""

    def __init__(self, limit: float) -> None:
        _limited(limit)
        self.started = time.process_time(), time.perf_counter()

    def stop(self) -> tuple[float, float]:
        """Return the seconds, and lift the limit."""
        found = time.process_time() - self.started[0], time.perf_counter() - self.started[1]
        _limited(0)
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    kinds: tuple[tuple[str, Any], ...] = (
        ("data", Path),
        ("seed", int),
        ("task", str),
        ("method", str),
        ("counts", lambda text: [int(k) for k in text.split(",")]),
        ("splits", int),
        ("timeout", float),
        ("folder", Path),
    )
    for name, kind in kinds:
        parser.add_argument(name, type=kind)
    given = parser.parse_args()
    os.nice(NICE)
    limit_memory()
    warnings.simplefilter("ignore")
    worker = _Worker(given)
    try:
        worker.run()
    except NotForThisTaskError as reason:
        for k in worker.counts:
            worker.cell.fail(str(k), f"not for this: {reason}", given.timeout)
        worker.cell.save()


if __name__ == "__main__":
    main()

"""Cells of the panel: one method on one task, all splits and all k, in a process of its own, some side by side.

The limit of time is on the processor seconds of one selection: what the method does once on a split and what it
does for the k. When it is up the process is ended by a signal, even inside compiled code; its parent notes
that and goes on with the rest in a new process. The judge's time does not count. The file of the cell is
written anew after each selection, so an interrupted run loses one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console

from harness.cells import Cell, Measured, open_cell
from harness.child import limited, start, why_it_ended
from harness.data import CACHE, ROOT, MissingDataError, Source
from harness.measure import timed
from harness.problem import Problem, tiny

from . import stored, tasks
from .judge import judge, score
from .method import Data, Method, NotForThisTaskError
from .methods import BEFORE, COMMIT_BEFORE, METHODS

T = TypeVar("T")
WARM_UP_COUNTS = (5,)
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "POLARS_MAX")
}
NICE = 5
STOPPED = (-signal.SIGTERM, -signal.SIGINT)


# -------------------------------------------------------------- the parent


@dataclass(frozen=True)
class Panel:
    """What was asked for, and where results are kept."""

    source: Source
    folder: Path
    tasks: list[str]
    methods: list[str]
    counts: list[int]
    timeout: float
    console: Console
    most_splits: int | None = None
    stored: Path | None = None

    def known(self, task: str, method: str) -> Cell:
        """Return what has been measured, here or by those who stored it."""
        cell = open_cell(self.folder, task, METHODS[method])
        if cell.found or cell.failed:
            return cell
        return stored.find(self.stored, task, method) or cell

    def run(self, jobs: int, *, refresh: bool = False) -> None:
        """Measure what is missing, or all anew, cheap tasks first."""
        there = [task for task in self.tasks if self.is_there(task)]
        with ThreadPoolExecutor(jobs) as pool:
            pairs = [(task, method) for task in there for method in self.methods]
            waiting = [pool.submit(self._run, *pair, refresh) for pair in pairs]
            for one in waiting:
                one.result()

    def is_there(self, task: str) -> bool:
        """Whether the data of a task can be had."""
        try:
            return n_columns(task, self.source) > 0
        except MissingDataError:
            return False

    def counts_of(self, task: str) -> list[int]:
        """Which of the k asked for a task is asked for."""
        allowed = tasks.counts_of(n_columns(task, self.source))
        return [k for k in self.counts if k in allowed]

    def splits_of(self, task: str) -> int:
        """How many splits are run."""
        every = tasks.QUICK_SPLITS if self.source.quick else tasks.TASKS[task].splits
        return min(every, self.most_splits or every)

    def _run(self, task: str, method: str, refresh: bool) -> None:
        """Measure what is missing of a cell; processes that die are replaced until nothing is left."""
        counts, splits = self.counts_of(task), self.splits_of(task)
        names, cell = [str(k) for k in counts], self.known(task, method)
        if refresh and cell.path is not None:
            cell.path.unlink(missing_ok=True)
        elif cell.is_done(names, splits, self.timeout):
            return
        what = {"folder": self.folder, "source": self.source, "task": task, "method": method}
        limits = {"counts": tuple(counts), "splits": splits, "timeout": self.timeout}
        while True:
            done = start(fill, _environment(method), None, **what, **limits)
            cell = self.known(task, method)
            if done.returncode == 0:
                break
            if done.returncode in STOPPED:  # somebody ended it: that says nothing about the method
                raise InterruptedError(f"{task}, {method}: stopped from outside")
            why = why_it_ended(done, self.timeout)
            if cell.at is None:  # not in a selection: loading, or a package that is not there
                for k in names:
                    cell.failed.setdefault(k, why)
                    cell.limits.setdefault(k, self.timeout)
                break  # not kept
            _give_up(cell, METHODS[method], names, why, self.timeout)
            cell.save()
        self._say(cell)

    def _say(self, cell: Cell) -> None:
        """Leave a line for each cell, without figures of how good it is."""
        seconds = [one.seconds for every in cell.found.values() for one in every.values()]
        kinds = sorted({f"{why} ({k})" for k, why in cell.failed.items()})
        longest = f", longest {max(seconds):.2f} s" if seconds else ""
        text = f"{cell.task}, {cell.method}: {len(seconds)} selections{longest}"
        self.console.print("; ".join([text, *kinds]), markup=False, highlight=False)


@cache
def n_columns(task: str, source: Source) -> int:
    """Return how many columns the methods see."""
    columns = int(tasks.TASKS[task].load(source)[0].shape[1])
    return columns + columns * (columns + 1) // 2 if tasks.TASKS[task].pairs else columns


def _give_up(cell: Cell, method: Method, counts: list[str], why: str, timeout: float) -> None:
    """Note why the k at work has no answer; with it go larger ones, if they take no less time."""
    assert cell.at is not None
    _, at = cell.at
    for k in counts:
        if k == at or (method.grows and int(k) > int(at)):
            cell.fail(k, why, timeout)


def _environment(method: str) -> dict[str, str]:
    """One thread; for the method called "before" the library of that time."""
    if method != BEFORE:
        return ONE_THREAD
    folder = CACHE / f"library-{COMMIT_BEFORE}"
    if not folder.exists():
        command = ["git", "-C", str(ROOT), "archive", COMMIT_BEFORE, "src"]
        archive = subprocess.run(command, capture_output=True, check=True)
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as packed:
            packed.extractall(folder, filter="data")
    return {**ONE_THREAD, "PYTHONPATH": str(folder / "src")}


# --------------------------------------------------------------- the child


def fill(
    folder: Path,
    source: Source,
    task: str,
    method: str,
    counts: tuple[int, ...],
    splits: int,
    timeout: float,
) -> None:
    """Go through the splits of a cell and measure what its file does not have."""
    os.nice(NICE)
    worker = _Worker(open_cell(folder, task, METHODS[method]), METHODS[method], counts, timeout)
    worker.cell.at = None  # what an earlier process was at when it was stopped
    worker.cell.save()
    about = tasks.TASKS[task]
    try:
        for number, problem in enumerate(tasks.splits(about, source)):
            if number >= splits:
                break
            worker.split(str(number), problem, about.is_numbers)
    except NotForThisTaskError as reason:
        for k in counts:
            worker.cell.fail(str(k), f"not for this: {reason}", timeout)
        worker.cell.save()


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


@dataclass
class _Worker:
    """Fills one cell."""

    cell: Cell
    method: Method
    counts: tuple[int, ...]
    timeout: float
    is_warm: bool = False

    def split(self, number: str, problem: Problem, is_numbers: bool) -> None:
        """Select and judge every k that is open on a split."""
        found = self.cell.found
        todo = [k for k in self.counts if number not in found.get(str(k), {})]
        todo = [k for k in todo if not self._is_given_up(k)]
        if not todo:
            return
        if not self.is_warm:
            _warm_up(self.method, problem, is_numbers)
            self.is_warm = True
        data = Data(problem.X, problem.y, is_numbers, self.counts)
        self._mark(number, todo[0])
        prepared, before, wall_before = _timed(self.timeout, lambda: self.method.prepare(data))
        for k in todo:
            if self._is_given_up(k):
                continue
            self._mark(number, k)
            select = partial(self.method.select, data, prepared, k)
            chosen, seconds, wall = _timed(max(self.timeout - before, 0.1), select)
            assert len(chosen.ids) <= k
            own = None
            if chosen.predict is not None:
                own = score(problem.y_test, chosen.predict(problem.X_test), is_numbers)
            found.setdefault(str(k), {})[number] = Measured(
                score=judge(problem, chosen.ids, is_numbers),
                own=own,
                kept=len(chosen.ids),
                seconds=before + seconds,
                wall=wall_before + wall,
            )
            self.cell.at = None
            self.cell.save()

    def _is_given_up(self, k: int) -> bool:
        return self.cell.is_given_up(str(k), self.timeout)

    def _mark(self, number: str, k: int) -> None:
        self.cell.at = (number, str(k))
        self.cell.save()


def _timed(limit: float, call: Callable[[], T]) -> tuple[T, float, float]:
    """Return what a call gives, its seconds of the processor, of which it has so many, and by the clock."""
    with limited(limit, of_processor=True):
        (value, wall), seconds = timed(lambda: timed(call), time.process_time)
    return value, seconds, wall

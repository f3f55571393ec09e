"""Which cells of the panel are run, in which order, several side by side."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console

from harness.data import MissingDataError, Source

from . import tasks
from .cell import run_cell
from .cells import Cell, open_cell
from .methods import METHODS
from .ours import FAST

NOT_AVAILABLE = "not available"


@dataclass(frozen=True)
class Study:
    """What was asked for, and where results are kept."""

    source: Source
    folder: Path
    tasks: list[str]
    methods: list[str]
    counts: list[int]
    timeout: float
    console: Console
    most_splits: int | None = None

    def cells(self) -> Iterator[tuple[str, str]]:
        """All pairs of a task and a method, cheap tasks first."""
        for task in self.tasks:
            for method in self.methods:
                yield task, method

    def known(self, task: str, method: str) -> Cell:
        """Return what has been measured."""
        return open_cell(self.folder, task, METHODS[method])

    def run(self, jobs: int, *, refresh: bool = False) -> None:
        """Measure what is missing, or all anew."""
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [
                pool.submit(self._run, task, method, refresh)
                for task, method in self.cells()
                if self.is_there(task)
            ]
            for one in waiting:
                one.result()

    def is_there(self, task: str) -> bool:
        """Whether the data of a task can be had."""
        try:
            n_columns(task, self.source)
        except MissingDataError:
            return False
        return True

    def counts_of(self, task: str) -> list[int]:
        """Which of the k asked for a task is asked for."""
        allowed = tasks.counts_of(n_columns(task, self.source))
        return [k for k in self.counts if k in allowed]

    def splits_of(self, task: str) -> int:
        """How many splits are run."""
        every = tasks.QUICK_SPLITS if self.source.quick else tasks.TASKS[task].splits
        return min(every, self.most_splits or every)

    def _run(self, task: str, method: str, refresh: bool) -> None:
        counts = self.counts_of(task)
        cell = self.known(task, method)
        if refresh and cell.path is not None:
            cell.path.unlink(missing_ok=True)
        elif cell.is_done([str(k) for k in counts], self.splits_of(task), self.timeout):
            return
        if method == FAST and not has_fast():
            self.console.print(f"{task}, {method}: {NOT_AVAILABLE}")
            return
        splits = self.splits_of(task)
        cell = run_cell(self.folder, self.source, task, method, counts, splits, self.timeout)
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


@cache
def has_fast() -> bool:
    """Whether this library knows ``C="fast"``."""
    import numpy as np

    import handful

    X = np.random.default_rng(0).standard_normal((40, 5))
    try:
        handful.FGMRegressor(2, C="fast").fit(X, X[:, 0])
    except (ValueError, TypeError):
        return False
    return True

"""The figures of one half of the panel, looked up by task, method and k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.cells import Cell, Measured

from .methods import RIVALS
from .ranks import Array
from .run import Panel
from .tasks import TASKS

#: A rival without an answer in more than this share of the cells is not ranked.
MOST_MISSING = 0.5


@dataclass(frozen=True)
class Results:
    """What is known of one half of the tasks."""

    tasks: list[str]
    methods: list[str]
    counts: dict[str, list[int]]
    splits: dict[str, int]
    cells: dict[tuple[str, str], Cell]

    def measured(self, task: str, method: str, k: int) -> list[Measured]:
        """Return all splits."""
        cell = self.cells.get((task, method))
        return [] if cell is None else list(cell.found.get(str(k), {}).values())

    def score(self, task: str, method: str, k: int) -> float:
        """Mean over the splits, NaN where there are none."""
        found = [one.score for one in self.measured(task, method, k)]
        return float(np.mean(found)) if found else float("nan")

    def error_of_difference(self, task: str, method: str, other: str, k: int) -> float:
        """Standard error of the mean difference of two methods over the splits that both have."""
        mine, theirs = (
            {} if cell is None else cell.found.get(str(k), {})
            for cell in (self.cells.get((task, name)) for name in (method, other))
        )
        gains = [theirs[split].score - mine[split].score for split in mine if split in theirs]
        return float(np.std(gains, ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else 0.0

    def own(self, task: str, method: str, k: int) -> float:
        """Mean score of the method's own model, NaN where it has none."""
        found = [one.own for one in self.measured(task, method, k) if one.own is not None]
        return float(np.mean(found)) if found else float("nan")

    def seconds(self, method: str) -> list[float]:
        """Processor seconds of all selections."""
        return [
            one.seconds
            for task in self.tasks
            for k in self.counts[task]
            for one in self.measured(task, method, k)
        ]

    def with_k(self, k: int) -> list[str]:
        """Which tasks were asked for k."""
        return [task for task in self.tasks if k in self.counts[task]]

    def all_counts(self) -> list[int]:
        """Every k of any task."""
        return sorted({k for counts in self.counts.values() for k in counts})

    def at(self, k: int, methods: list[str]) -> Array:
        """Scores of tasks by methods."""
        names = self.with_k(k)
        found = [[self.score(task, method, k) for method in methods] for task in names]
        return np.array(found).reshape(len(names), len(methods))

    def over_cells(self, methods: list[str]) -> tuple[list[tuple[str, int]], Array]:
        """Scores of all (task, k) by methods, and which row is which."""
        where = [(task, k) for task in self.tasks for k in self.counts[task]]
        found = [[self.score(task, method, k) for method in methods] for task, k in where]
        return where, np.array(found).reshape(len(where), len(methods))

    def means(self, ours: str, other: str) -> tuple[Array, Array]:
        """Scores of two methods on each task, the mean over the k that both have."""
        pairs = []
        for task in self.tasks:
            both = np.array(
                [[self.score(task, name, k) for name in (ours, other)] for k in self.counts[task]]
            )
            known = ~np.isnan(both).any(axis=1)
            pairs.append(both[known].mean(axis=0) if known.any() else np.full(2, np.nan))
        found = np.array(pairs).reshape(len(self.tasks), 2)
        return found[:, 0], found[:, 1]

    def why(self, task: str, method: str, k: int) -> str:
        """Say why there is no score."""
        cell = self.cells.get((task, method))
        return "not run" if cell is None else cell.failed.get(str(k), "not run")

    def share_missing(self, method: str) -> float:
        """In which share of the cells a method has no answer."""
        scores = self.over_cells([method])[1]
        return float(np.isnan(scores).mean()) if scores.size else 1.0

    def ranked_rivals(self) -> list[str]:
        """List the rivals that have an answer in at least half of the cells."""
        return [
            method
            for method in self.methods
            if method in RIVALS and self.share_missing(method) <= MOST_MISSING
        ]

    def coverage(self) -> tuple[int, int]:
        """How many (task, method, k) have all their splits or the reason why not, of how many."""
        done, asked = 0, 0
        for task in self.tasks:
            for method in self.methods:
                for k in self.counts[task]:
                    asked += 1
                    is_whole = len(self.measured(task, method, k)) >= self.splits[task]
                    done += is_whole or self.why(task, method, k) != "not run"
        return done, asked

    def is_numbers(self, task: str) -> bool:
        """Whether the task's score is R2."""
        return TASKS[task].is_numbers


def gather(study: Panel, half: str) -> Results:
    """Read all cells of one half."""
    names = [name for name in study.tasks if TASKS[name].half == half]
    names = [name for name in names if study.is_there(name)]
    cells = {}
    for task in names:
        for method in study.methods:
            cells[task, method] = study.known(task, method)
    counts = {task: study.counts_of(task) for task in names}
    splits = {task: study.splits_of(task) for task in names}
    return Results(names, study.methods, counts, splits, cells)

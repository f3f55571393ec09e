"""The figures of one half of the panel, looked up by task, method and k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.cells import Cell, Measured
from harness.splits import standard_error

from .methods import RIVALS
from .ranks import Array
from .run import Panel
from .tasks import TASKS

#: A rival without an answer in more than this share of the cells is not ranked.
MOST_MISSING = 0.5


Where = list[tuple[str, int]]


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


@dataclass(frozen=True)
class Results:
    """What is known of one half of the tasks."""

    tasks: list[str]
    methods: list[str]
    counts: dict[str, list[int]]
    splits: dict[str, int]
    cells: dict[tuple[str, str], Cell]

    def where(self, k: int | None = None) -> Where:
        """List every task with each of its k, or those that were asked for one k."""
        every = [(task, one) for task in self.tasks for one in self.counts[task]]
        return [(task, one) for task, one in every if k in (None, one)]

    def measured(self, task: str, method: str, k: int) -> dict[str, Measured]:
        """Return all splits."""
        cell = self.cells.get((task, method))
        return {} if cell is None else cell.found.get(str(k), {})

    def score(self, task: str, method: str, k: int) -> float:
        """Mean over the splits, NaN where there are none."""
        return _mean([one.score for one in self.measured(task, method, k).values()])

    def own(self, task: str, method: str, k: int) -> float:
        """Mean score of the method's own model, NaN where it has none."""
        found = self.measured(task, method, k).values()
        return _mean([one.own for one in found if one.own is not None])

    def scores(self, methods: list[str], k: int | None = None) -> Array:
        """Scores of all that :meth:`where` lists, by methods."""
        where = self.where(k)
        found = [[self.score(task, method, one) for method in methods] for task, one in where]
        return np.array(found).reshape(len(where), len(methods))

    def error_of_difference(self, task: str, method: str, other: str, k: int) -> float:
        """Standard error of the mean difference of two methods over the splits that both have."""
        mine, theirs = (self.measured(task, name, k) for name in (method, other))
        gains = [theirs[split].score - mine[split].score for split in mine if split in theirs]
        return standard_error(gains)

    def seconds(self, method: str) -> list[float]:
        """Processor seconds of all selections."""
        found = (self.measured(task, method, k) for task, k in self.where())
        return [one.seconds for splits in found for one in splits.values()]

    def all_counts(self) -> list[int]:
        """Every k of any task."""
        return sorted({k for _, k in self.where()})

    def means(self, ours: str, other: str) -> tuple[Array, Array]:
        """Scores of two methods on each task, the mean over the k that both have."""
        scores = self.scores([ours, other])
        pairs = []
        for task in self.tasks:
            both = scores[[name == task for name, _ in self.where()]]
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
        scores = self.scores([method])
        return float(np.isnan(scores).mean()) if scores.size else 1.0

    def ranked_rivals(self) -> list[str]:
        """List the rivals that have an answer in at least half of the cells."""
        rivals = [method for method in self.methods if method in RIVALS]
        return [name for name in rivals if self.share_missing(name) <= MOST_MISSING]

    def coverage(self) -> tuple[int, int]:
        """How many (task, method, k) have all their splits or the reason why not, of how many."""
        asked = [(task, method, k) for task, k in self.where() for method in self.methods]
        done = sum(
            len(self.measured(*place)) >= self.splits[place[0]] or self.why(*place) != "not run"
            for place in asked
        )
        return done, len(asked)


def gather(study: Panel, half: str) -> Results:
    """Read all cells of one half."""
    names = [name for name in study.tasks if TASKS[name].half == half and study.is_there(name)]
    return Results(
        names,
        study.methods,
        {task: study.counts_of(task) for task in names},
        {task: study.splits_of(task) for task in names},
        {(task, way): study.known(task, way) for task in names for way in study.methods},
    )

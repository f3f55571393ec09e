"""One half of the panel in figures: ranks, wins, losses and tests, for the tables and the targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import ranks
from .methods import OWN
from .ranks import Comparison
from .results import Results
from .tasks import TASKS

POINTS, POINTS_R2 = 0.02, 0.03  # how far behind the best rival is too far


@dataclass(frozen=True)
class Loss:
    """How far a method is behind the best rival on a task, at k; ``error`` is of the mean over splits."""

    task: str
    k: int
    behind: float
    rival: str
    is_numbers: bool
    error: float

    @property
    def in_points(self) -> float:
        """Relative to what is allowed, so that accuracy and R2 can be compared."""
        return self.behind / (POINTS_R2 if self.is_numbers else POINTS)

    @property
    def is_too_large(self) -> bool:
        """Whether it is beyond two points, or .03 of R2."""
        return self.behind > (POINTS_R2 if self.is_numbers else POINTS)


@dataclass(frozen=True)
class Line:
    """One method: its mean rank at each k and over all cells, wins, largest loss, seconds."""

    method: str
    ranks: dict[int, float]
    rank: float
    wins: dict[int, int]
    largest: Loss | None
    seconds: float
    answered: float


@dataclass(frozen=True)
class Verdict:
    """All lines of one half; ``field`` is the lead and the rivals, which are ranked together.

    Each other method of ours is ranked in the lead's place, so that it takes no rank from others.
    """

    half: str
    lead: str
    field: list[str]
    lines: list[Line]
    left_out: list[str]
    friedman: float
    difference: float
    n_tasks: int
    by_task: dict[str, Comparison]
    by_cell: dict[str, Comparison]
    holm_by_task: dict[str, float]
    holm_by_cell: dict[str, float]


def loss_of(results: Results, method: str, rivals: list[str], task: str, k: int) -> Loss | None:
    """Compare with the best of the rivals in one cell; None where either has no score."""
    mine = results.score(task, method, k)
    found = {name: results.score(task, name, k) for name in rivals if name != method}
    known = {name: score for name, score in found.items() if not np.isnan(score)}
    if np.isnan(mine) or not known:
        return None
    best = max(known, key=lambda name: known[name])
    error = results.error_of_difference(task, method, best, k)
    return Loss(task, k, known[best] - mine, best, TASKS[task].is_numbers, error)


def every_loss(results: Results, method: str, rivals: list[str]) -> list[Loss]:
    """Return the losses in all cells, the largest first."""
    found = [loss_of(results, method, rivals, task, k) for task, k in results.where()]
    return sorted((loss for loss in found if loss is not None), key=lambda loss: -loss.in_points)


def _line(results: Results, method: str, field: list[str]) -> Line:
    place = field.index(method)
    by_k = {k: results.scores(field, k) for k in results.all_counts()}
    behind, seconds = every_loss(results, method, field), results.seconds(method)
    return Line(
        method,
        {k: float(ranks.ranks(scores)[:, place].mean()) for k, scores in by_k.items()},
        float(ranks.ranks(results.scores(field))[:, place].mean()),
        {k: int(ranks.wins(scores)[place]) for k, scores in by_k.items()},
        behind[0] if behind else None,
        float(np.median(seconds)) if seconds else float("nan"),
        1 - results.share_missing(method),
    )


def _adjusted(tests: dict[str, Comparison]) -> dict[str, float]:
    return dict(zip(tests, ranks.holm([test.p for test in tests.values()]), strict=True))


def _by_task(results: Results, field: list[str]) -> ranks.Array:
    """Mean ranks over a task's k, a row for each task: tasks are independent, their cells are not."""
    table, names = ranks.ranks(results.scores(field)), [task for task, _ in results.where()]
    tasks = dict.fromkeys(names)
    return np.array([table[[name == task for name in names]].mean(axis=0) for task in tasks])


def mean_ranks(results: Results, field: list[str]) -> dict[str, float]:
    """Mean over the tasks of the mean rank over a task's k: what the diagram shows."""
    means = _by_task(results, field).mean(axis=0)
    return dict(zip(field, map(float, means), strict=True))


def judge_half(results: Results, half: str, lead: str) -> Verdict | None:
    """Work out everything about one half; None where the lead has no score."""
    if not results.tasks or results.share_missing(lead) == 1:
        return None
    rivals = results.ranked_rivals()
    field = [lead, *rivals]
    others = [name for name in OWN if name in results.methods and results.share_missing(name) < 1]
    lines = [_line(results, name, [name, *rivals]) for name in others if name != lead]
    lines = [_line(results, lead, field), *lines, *(_line(results, name, field) for name in rivals)]
    by_task = {name: ranks.signed_rank(*results.means(lead, name)) for name in rivals}
    by_cell = {name: ranks.signed_rank(*results.scores([lead, name]).T) for name in rivals}
    ranked = {*field, *others}
    return Verdict(
        half=half,
        lead=lead,
        field=field,
        lines=lines,
        left_out=[name for name in results.methods if name not in ranked],
        friedman=ranks.friedman(-_by_task(results, field)),
        difference=ranks.critical_difference(len(field), len(results.tasks)),
        n_tasks=len(results.tasks),
        by_task=by_task,
        by_cell=by_cell,
        holm_by_task=_adjusted(by_task),
        holm_by_cell=_adjusted(by_cell),
    )

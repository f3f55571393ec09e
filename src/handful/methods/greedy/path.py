"""The steps of greedy selections, one run for each alpha."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from handful.history import History, Round
from handful.spaces.base import Array
from handful.status import Status


@dataclass
class Run:
    """The steps for one alpha.

    Attributes
    ----------
    alpha : float
    groups : list of int
        In the order they entered.
    errors : list of float
        Mean squared leave-one-out error after each step.
    costs : list of float
        Cost of the model after each step.
    n_features : list of int
        Features in the model after each step.
    status : Status or None
        How it ended; None before.
    """

    alpha: float
    groups: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    n_features: list[int] = field(default_factory=list)
    status: Status | None = None

    def append(self, group: int, error: float, cost: float, n_features: int) -> None:
        """Write down a step."""
        self.groups.append(group)
        self.errors.append(error)
        self.costs.append(cost)
        self.n_features.append(n_features)

    def up_to(self, n_groups: int) -> Run:
        """Return the run as it was after some steps."""
        status = self.status if n_groups > len(self.groups) else Status.CHOSEN
        return Run(
            self.alpha,
            self.groups[:n_groups],
            self.errors[:n_groups],
            self.costs[:n_groups],
            self.n_features[:n_groups],
            status,
        )


@dataclass
class Path:
    """Runs for all alphas, in their order, and the rounds so far."""

    runs: list[Run]
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)

    def record(self, run: Run) -> None:
        """Write down the step that has just ended; its objective is the leave-one-out error."""
        self.history.record("add", run.n_features[-1], run.errors[-1], self.started)

    @property
    def errors(self) -> Array:
        """(n_steps, n_alphas) leave-one-out errors; NaN after the end of a run."""
        longest = max(len(run.errors) for run in self.runs)
        errors = np.full((longest, len(self.runs)), np.nan)
        for column, run in zip(errors.T, self.runs, strict=True):
            column[: len(run.errors)] = run.errors
        return errors

    def best(self, n_groups: int) -> Run:
        """Return the run with the least error after so many steps, or at its end if that is before.

        A run that was interrupted does not count beside a complete one.
        """
        runs = [run.up_to(n_groups) for run in self.runs if run.groups]
        complete = [run for run in runs if run.status not in (None, Status.INTERRUPTED)]
        return min(complete or runs, key=lambda run: run.errors[-1])

    def up_to(self, n_groups: int) -> Path:
        """Return the path as it would be with a smaller number to select."""
        rounds: list[Round] = []
        first = 0
        for run in self.runs:
            rounds += self.history[first : first + min(n_groups, len(run.groups))]
            first += len(run.groups)
        renumbered = [replace(record, number=n) for n, record in enumerate(rounds, start=1)]
        runs = [run.up_to(n_groups) for run in self.runs]
        return Path(runs, History(renumbered), self.started)

    def to_arrays(self) -> dict[str, Array]:
        """Return the steps of all runs, end to end, by the names that model files and checkpoints have."""
        runs = self.runs
        return {
            "lengths": np.array([len(run.groups) for run in runs], dtype=np.int64),
            "units": np.array([group for run in runs for group in run.groups], dtype=np.int64),
            "errors": np.array([error for run in runs for error in run.errors]),
            "costs": np.array([cost for run in runs for cost in run.costs]),
            "n_features": np.array([n for run in runs for n in run.n_features], dtype=np.int64),
            "status": np.array([run.status.name if run.status else "" for run in runs]),
        }

    def fill(self, arrays: Mapping[str, Array]) -> None:
        """Put such steps into the runs; an error when the arrays do not belong together."""
        lengths = arrays["lengths"]
        ends = np.cumsum(lengths)
        steps = [arrays[name] for name in ("units", "errors", "costs", "n_features")]
        if lengths.min() < 0 or any(column.shape != (ends[-1],) for column in steps):
            raise ValueError("the steps of a path have different lengths")
        statuses = arrays["status"].tolist()
        for run, status, stop, length in zip(self.runs, statuses, ends, lengths, strict=True):
            parts = (column[stop - length : stop].tolist() for column in steps)
            run.groups, run.errors, run.costs, run.n_features = parts
            run.status = Status[status] if status else None

"""One line of a table of measures, and how lines are compared fold by fold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .cell import MEASURES

#: Differences below this many standard errors of their mean over the folds are noise.
NOISE = 2.0


@dataclass(frozen=True)
class Row:
    """One method at one budget; ``values`` has each measure on each fold."""

    dataset: str
    budget: str
    k: int
    method: str
    status: str
    values: dict[str, list[float]] = field(default_factory=dict)
    kept: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, str, str]:
        """Which cell of the tables it is."""
        return self.dataset, self.budget, self.method

    @property
    def ok(self) -> bool:
        """Whether there are figures."""
        return self.status == "ok"


def find(rows: list[Row], dataset: str, budget: str, method: str) -> Row | None:
    """Find the finished row of that cell, or None."""
    return next((r for r in rows if r.ok and r.place == (dataset, budget, method)), None)


def lead(ours: Row, other: Row, measure: str) -> tuple[float, float]:
    """Return by how much ours is better on average, and the standard error of that over the folds."""
    sign = 1.0 if MEASURES[measure] else -1.0
    gains = sign * (np.array(ours.values[measure]) - np.array(other.values[measure]))
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))

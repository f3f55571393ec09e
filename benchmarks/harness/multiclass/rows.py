"""One line of a table: a method on a set, its accuracy on every split at every number of features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Row:
    """``accuracies`` and ``kept`` have a list over the splits for each number of features, as text."""

    dataset: str
    method: str
    status: str
    accuracies: dict[str, list[float]] = field(default_factory=dict)
    kept: dict[str, list[int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there are figures, of some splits at least."""
        return bool(self.seconds)

    def mean(self, k: int) -> float:
        """Mean accuracy over the splits."""
        return float(np.mean(self.accuracies[str(k)]))

    def deviation(self, k: int) -> float:
        """Standard deviation of the accuracy over the splits."""
        values = self.accuracies[str(k)]
        return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0

    def error(self, k: int) -> float:
        """Standard error of the mean."""
        return self.deviation(k) / float(np.sqrt(len(self.seconds)))

    def ran_out_of(self, seconds: float) -> bool:
        """Whether it was ended by a limit as long as this, and would be again."""
        return self.status.startswith(">") and float(self.status.split()[1]) >= seconds

    def followed_by(self, later: Row) -> Row:
        """Return the splits of both; the status is the later one."""
        if not self.ok:
            return later
        if not later.ok:
            return Row(self.dataset, self.method, later.status, *self._lists())
        accuracies = {k: values + later.accuracies[k] for k, values in self.accuracies.items()}
        kept = {k: values + later.kept[k] for k, values in self.kept.items()}
        seconds = self.seconds + later.seconds
        return Row(self.dataset, self.method, later.status, accuracies, kept, seconds)

    def _lists(self) -> tuple[dict[str, list[float]], dict[str, list[int]], list[float]]:
        return self.accuracies, self.kept, self.seconds


def find(rows: Iterable[Row], dataset: str, method: str) -> Row | None:
    """Find the row of that method on that set, or None."""
    for row in rows:
        if (row.dataset, row.method) == (dataset, method):
            return row
    return None


def lead(ours: Row, other: Row, k: int) -> tuple[float, float]:
    """Return by how much ours is better on the splits both have, and the standard error of that."""
    pairs = zip(ours.accuracies[str(k)], other.accuracies[str(k)], strict=False)
    gains = np.array([mine - theirs for mine, theirs in pairs])
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0
    return float(gains.mean()), float(error)

"""One line of a table whose figures are lists over splits, and how two such lines compare."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


def standard_error(values: list[float]) -> float:
    """Return the standard error of the mean; 0 where there is one value only."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


@dataclass(frozen=True)
class Row:
    """One method on one set; ``values`` has a list over the splits for each name of a figure.

    ``status`` is "ok" or says why splits are missing; ``budget`` and ``k`` tell lines of one method apart.
    """

    dataset: str
    method: str
    status: str = "ok"
    values: dict[str, list[float]] = field(default_factory=dict)
    kept: Any = ()
    seconds: list[float] = field(default_factory=list)
    chosen: dict[str, list[Any]] = field(default_factory=dict)
    budget: str = ""
    k: int = 0

    @property
    def ok(self) -> bool:
        """Whether there are figures, of some splits at least."""
        return bool(self.seconds)

    def mean(self, name: object) -> float:
        """Mean over the splits; NaN when there are none."""
        return float(np.mean(self.values[str(name)])) if self.values.get(str(name)) else np.nan

    def deviation(self, name: object) -> float:
        """Standard deviation over the splits."""
        values = self.values[str(name)]
        return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0

    def error(self, name: object) -> float:
        """Standard error of the mean."""
        return standard_error(self.values[str(name)])

    def lead(self, other: Row, name: object, sign: float = 1.0) -> tuple[float, float]:
        """Return by how much this is better on the splits both have, and the standard error of that."""
        pairs = zip(self.values[str(name)], other.values[str(name)], strict=False)
        gains = [sign * (mine - theirs) for mine, theirs in pairs]
        return float(np.mean(gains)), standard_error(gains)

    def with_later(self, later: Row) -> Row:
        """Return the splits of both; the status is the later one's."""
        if not later.ok:
            return replace(self, status=later.status)
        values = {k: mine + later.values[k] for k, mine in self.values.items()}
        kept = {k: mine + later.kept[k] for k, mine in self.kept.items()}
        return replace(later, values=values, kept=kept, seconds=self.seconds + later.seconds)


def find(rows: list[Row], dataset: str, method: str, budget: str = "") -> Row | None:
    """Find the row of that method on that set, or None."""
    place = (dataset, method, budget)
    return next((row for row in rows if (row.dataset, row.method, row.budget) == place), None)


def why(row: Row | None) -> str:
    """Say why there is no figure."""
    return "not run" if row is None else row.status

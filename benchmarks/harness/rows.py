"""One line of a table, and how to look lines up."""

from __future__ import annotations

from dataclasses import dataclass

from .peers import FLOOR


@dataclass(frozen=True)
class Row:
    """One method at one k on one data set; ``status`` is "ok" or says what went wrong."""

    dataset: str
    method: str
    k: int
    status: str
    kept: int | None = None
    accuracy: float | None = None
    f1: float | None = None
    true_found: int | None = None
    seconds: float | None = None
    extra_bytes: int | None = None
    fits: int | None = None
    rounds: int | None = None
    active_bytes: float | None = None
    rows_and_columns: int | None = None
    refit_c: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are figures."""
        return self.status == "ok"


def find(rows: list[Row], dataset: str, method: str, k: int) -> Row | None:
    """Find the finished row of that cell, or None."""
    for row in rows:
        if (row.dataset, row.method, row.k) == (dataset, method, k) and row.ok:
            return row
    return None


def floor_seconds(rows: list[Row], dataset: str) -> float | None:
    passes = [
        row.seconds
        for row in rows
        if row.dataset == dataset and row.method == FLOOR and row.seconds
    ]
    return min(passes) if passes else None

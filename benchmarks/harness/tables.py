"""How results are printed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from .claims import Debias
from .peers import FLOOR, OURS
from .rows import Row, find, floor_seconds
from .targets import Target


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _cells(row: Row, rows: list[Row]) -> list[str]:
    if not row.ok:
        return [str(row.k), row.method, "", "", "", "", row.status, "", "", "", ""]
    ours, floor = find(rows, row.dataset, OURS, row.k), floor_seconds(rows, row.dataset)
    to_ours = to_floor = None
    if ours and ours.seconds and row.seconds:
        to_ours = row.seconds / ours.seconds
    if floor and row.rounds and row.seconds:
        to_floor = row.seconds / (row.rounds * floor)
    memory = None if row.extra_bytes is None else row.extra_bytes / 2**20
    return [
        "" if row.method == FLOOR else str(row.k),
        row.method,
        _number(row.kept, "d"),
        _number(row.accuracy, ".4f"),
        _number(row.f1, ".4f"),
        _number(row.true_found, "d"),
        _number(row.seconds, ".3f"),
        _number(to_ours, ".1f"),
        _number(to_floor, ".2f"),
        _number(memory, ",.0f"),
        _number(row.fits, "d"),
    ]


HEADINGS = (
    "k",
    "method",
    "kept",
    "accuracy",
    "F1",
    "true",
    "seconds",
    "/ ours",
    "/ floor",
    "extra MiB",
    "fits",
)


def print_rows(console: Console, title: str, rows: list[Row]) -> None:
    table = Table(title=title, title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "method" else "right")
    previous = None
    for row in rows:
        if previous not in (None, row.k):
            table.add_section()
        previous = row.k
        table.add_row(*_cells(row, rows))
    console.print(table)


def print_debias(console: Console, results: list[Debias]) -> None:
    """Print accuracy before and after de-biasing."""
    table = Table(title="bias: own weights against an l2 SVM on the same features")
    for heading in ("data", "method", "kept", "true", "own", "de-biased", "gain"):
        table.add_column(heading, justify="left" if heading in ("data", "method") else "right")
    for one in results:
        figures = (f"{one.own:.4f}", f"{one.debiased:.4f}", f"{one.gain:+.4f}")
        table.add_row(one.dataset, one.method, str(one.kept), str(one.true_found), *figures)
    console.print(table)


def print_targets(console: Console, targets: list[Target]) -> None:
    """Print every target with its figure and verdict, and how many were missed."""
    table = Table(title="targets")
    for heading in ("target", "figure", "verdict"):
        table.add_column(heading)
    for target in targets:
        table.add_row(target.text, target.figure, target.verdict)
    console.print(table)
    missed = sum(target.met is False for target in targets)
    unknown = sum(target.met is None for target in targets)
    console.print(f"of {len(targets)} targets {missed} missed, {unknown} not measured")

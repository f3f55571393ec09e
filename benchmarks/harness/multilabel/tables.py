"""The tables of measures, ours and the paper's."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from .cell import MEASURES
from .paper import figures
from .rows import Row

ARROWS = {True: "up", False: "down"}


def print_budget(console: Console, rows: list[Row]) -> None:
    """Print the methods at one budget of one set, and what the paper says of it."""
    first = rows[0]
    title = f"{first.dataset}, budget {first.budget}: {first.k} features"
    table = Table(title=title, caption="mean and deviation over the folds; seconds of one fold")
    table.add_column("method")
    for name, is_higher_better in MEASURES.items():
        table.add_column(f"{name} ({ARROWS[is_higher_better]})", justify="right")
    table.add_column("kept", justify="right")
    table.add_column("s", justify="right")
    for row in rows:
        if not row.ok:
            table.add_row(row.method, *[""] * len(MEASURES), "", row.status)
            continue
        cells = [_figure(row.values[name]) for name in MEASURES]
        kept = f"{min(row.kept)}" if len(set(row.kept)) == 1 else f"{min(row.kept)}-{max(row.kept)}"
        table.add_row(row.method, *cells, kept, f"{np.median(row.seconds):.2f}")
    table.add_section()
    for method, values in figures(first.dataset, first.budget).items():
        table.add_row(method, *(f"{values[name]:.4g}" for name in MEASURES), "", "")
    console.print(table)


def _figure(values: list[float]) -> str:
    return f"{np.mean(values):.4g} ±{np.std(values, ddof=1):.2g}"

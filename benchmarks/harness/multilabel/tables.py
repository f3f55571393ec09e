"""The tables of measures, ours and the paper's."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from .cell import MEASURES
from .methods import METHODS, titles
from .paper import GREEDY, LASSO, figures
from .rows import Row

ARROWS = {True: "up", False: "down"}
PAIR = ("hamming_loss", "macro_auc")


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


def markdown(rows: list[Row]) -> str:
    """Return one line for each set and budget: Hamming loss and macro AUC of every method, and the paper's."""
    methods = [title for method in METHODS for title in titles(method)]
    lines = [f"| set, features | {' | '.join((*methods, GREEDY, LASSO))} |"]
    lines.append("|---" * (len(methods) + 3) + "|")
    found = {row.place: row for row in rows}
    for dataset, budget, k in dict.fromkeys((row.dataset, row.budget, row.k) for row in rows):
        cells = [_pair(found.get((dataset, budget, method))) for method in methods]
        told = figures(dataset, budget)
        for method in (GREEDY, LASSO):
            values = told.get(method)
            cells.append("" if values is None else _short(*(values[name] for name in PAIR)))
        lines.append(f"| {dataset}, {k} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _pair(row: Row | None) -> str:
    if row is None or not row.ok:
        return "not run" if row is None else row.status.split(":")[0]
    return _short(*(float(np.mean(row.values[name])) for name in PAIR))


def _short(loss: float, area: float) -> str:
    return f"{loss:.4f}, {area:.3f}".replace("0.", ".")

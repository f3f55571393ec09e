"""The table of each set, and the whole in the form of the paper's Table 1."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from .judge import COUNTS
from .methods import OURS, RIVALS
from .paper import DSO, TABLE_1
from .rows import Row, find

LAST = COUNTS[-1]
ROUNDING = 1e-9  # means over splits that are equal but for the order of adding


def per_cent(mean: float, deviation: float) -> str:
    """Write an accuracy as the paper does."""
    return f"{100 * mean:.2f}±{100 * deviation:.2f}"


def print_set(console: Console, rows: list[Row]) -> None:
    """Print the accuracy of every method on one set at every number of features."""
    table = Table(
        title=f"{rows[0].dataset}: accuracy in per cent of a linear SVM on the best 10 ... 100 features",
        caption="mean over the splits, at 100 with deviation; kept: features at 100; s: median seconds of a selection",
    )
    table.add_column("method")
    for k in COUNTS:
        table.add_column(str(k), justify="right")
    for heading in ("paper, 100", "kept", "s", "splits"):
        table.add_column(heading, justify="right")
    told = TABLE_1.get(rows[0].dataset, {})
    for row in rows:
        name = DSO if row.method == OURS else row.method
        paper = "{:.2f}±{:.2f}".format(*told[name]) if name in told else ""
        if not row.ok:
            table.add_row(row.method, *[""] * len(COUNTS), paper, "", "", row.status)
            continue
        curve = [f"{100 * row.mean(k):.1f}" for k in COUNTS[:-1]]
        at_last = per_cent(row.mean(LAST), row.deviation(LAST))
        kept = f"{np.mean(row.kept[str(LAST)]):.0f}"
        count = str(len(row.seconds)) + ("" if row.status == "ok" else f" ({row.status})")
        seconds = f"{np.median(row.seconds):.2f}"
        table.add_row(row.method, *curve, at_last, paper, kept, seconds, count)
    console.print(table)


def markdown(rows: list[Row]) -> str:
    """Return the table of all sets at 100 features, the first in bold; fewer splits are told in brackets."""
    methods = [OURS, *RIVALS]
    lines = ["| | " + " | ".join(methods) + " | paper |", "|---" * (len(methods) + 2) + "|"]
    for name in dict.fromkeys(row.dataset for row in rows):
        found = [find(rows, name, method) for method in methods]
        done = [row for row in found if row is not None and row.ok]
        if not done:
            continue
        most = max(len(row.seconds) for row in done)
        best = max(row.mean(LAST) for row in done if len(row.seconds) == most)
        cells = []
        for row in found:
            if row is None or not row.ok:
                cells.append("not run" if row is None else row.status)
                continue
            text = per_cent(row.mean(LAST), row.deviation(LAST))
            if len(row.seconds) < most:
                text += f" ({len(row.seconds)})"
            elif row.mean(LAST) >= best - ROUNDING:
                text = f"**{text}**"
            cells.append(text)
        told = TABLE_1.get(name, {}).get(DSO)
        paper = "" if told is None else "{:.2f}±{:.2f}".format(*told)
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {paper} |")
    return "\n".join(lines)

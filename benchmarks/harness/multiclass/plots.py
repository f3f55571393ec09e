"""Accuracy against the number of features, one panel for each set: as in the paper's Figures 1 and 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .judge import COUNTS
from .methods import OURS, POWERS, RIVALS, with_power
from .rows import Row, find

COLUMNS = 3
FIGURE_1 = ("isolet", "lung", "UMIST")  # the sets of the paper's Figure 1
METADATA = {"Date": None}  # equal figures make equal files


def draw_curves(rows: list[Row], path: Path) -> None:
    """Ours and its rivals on every set; those that finished fewer splits are on other ground."""
    methods = [OURS, *RIVALS]
    names = list(dict.fromkeys(row.dataset for row in rows))
    most = {name: max(len(row.seconds) for row in rows if row.dataset == name) for name in names}
    _draw([row for row in rows if len(row.seconds) == most[row.dataset]], names, methods, path)


def draw_powers(rows: list[Row], path: Path) -> None:
    """Ours with different p, on the three sets of the paper."""
    known = {row.dataset for row in rows if row.method in map(with_power, POWERS)}
    _draw(rows, [n for n in FIGURE_1 if n in known], [with_power(p) for p in POWERS], path)


def _draw(rows: list[Row], names: list[str], methods: list[str], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "handful"
    from matplotlib import pyplot as plt

    if not names:
        return
    n_lines = -(-len(names) // COLUMNS)
    figure, axes = plt.subplots(
        n_lines, COLUMNS, figsize=(4 * COLUMNS, 3.1 * n_lines), squeeze=False
    )
    for panel in axes.flat[len(names) :]:
        panel.axis("off")
    for name, panel in zip(names, axes.flat, strict=False):
        for place, method in enumerate(methods):
            row = find(rows, name, method)
            if row is None or not row.ok:
                continue
            heights = [100 * row.mean(k) for k in COUNTS]
            width = 2.2 if method == OURS else 1.1
            panel.plot(COUNTS, heights, color=f"C{place}", linewidth=width, label=method)
        panel.set_title(name, fontsize=10)
        panel.grid(alpha=0.3)
    for panel in axes[:, 0]:
        panel.set_ylabel("accuracy, per cent")
    for panel in axes[-1]:
        panel.set_xlabel("features")
    by_name: dict[str, Any] = {}
    for panel in axes.flat:
        by_name.update(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    shown = [method for method in methods if method in by_name]
    handles = [by_name[method] for method in shown]
    figure.legend(handles, shown, loc="lower center", ncols=min(5, len(shown)), fontsize=9)
    figure.tight_layout(rect=(0, 0.09 if n_lines > 1 else 0.12, 1, 1))
    figure.savefig(path, metadata=METADATA)
    plt.close(figure)

"""Figures that are the same file when they show the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def new_figure(
    n_rows: int, n_columns: int, size: tuple[float, float], *, paths: bool = False, **options: Any
) -> tuple[Any, Any]:
    """Return a figure and its panels; text stays text, which makes a small file, or becomes ``paths``."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "handful"
    mpl.rcParams["svg.fonttype"] = "path" if paths else "none"
    figure = Figure(figsize=size, **options)
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def save(
    figure: Any, path: Path, *, metadata: dict[str, None] | None = None, **options: Any
) -> None:
    """Write the file without the date."""
    without = {"Date": None, **(metadata or {})} if path.suffix == ".svg" else None
    figure.savefig(path, metadata=without, **options)

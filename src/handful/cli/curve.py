"""Draw a measure against the number of features."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from handful.files import atomic_write
from handful.io.errors import InputError

if TYPE_CHECKING:
    from handful.cli.cross_validation import Curve

__all__ = ["check_plot", "draw"]

_SUFFIXES = (".png", ".svg")


def check_plot(path: Path) -> None:
    """Raise, before long work, when the curve cannot be drawn."""
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"cannot draw {path}: its name must end in {' or '.join(_SUFFIXES)}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"drawing {path} needs matplotlib; install it with: pip install 'handful[plot]'"
        ) from error


def draw(curve: Curve, path: Path, title: str) -> None:
    """Write the curve of the test score with one standard deviation, and the training score."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A figure of its own: nothing of the user's matplotlib session is touched.
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    ks, mean, std = curve.ks, curve.mean, curve.std
    axes.plot(ks, curve.train.mean(axis=0), color="0.6", linestyle="--", label="training rows")
    axes.fill_between(ks, mean - std, mean + std, color="C0", alpha=0.2, linewidth=0)
    axes.plot(ks, mean, color="C0", marker="o", label=f"held-out rows, {len(curve.test)} folds")
    best, sparing = curve.best, curve.one_standard_error
    axes.axvline(ks[best], color="C1", linewidth=1, label=f"best: {ks[best]}")
    if sparing != best:
        axes.axvline(
            ks[sparing], color="C2", linewidth=1, label=f"within one standard error: {ks[sparing]}"
        )
    if len(ks) > 1 and ks[-1] / ks[0] >= 8:
        axes.set_xscale("log")
        axes.set_xticks(ks, labels=[str(k) for k in ks])
        axes.minorticks_off()
    axes.set(xlabel=f"number of {curve.counted}", ylabel=curve.scoring)
    axes.set_title(title, parse_math=False)
    axes.legend(frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lower().lstrip("."), dpi=150)
    with atomic_write(path) as file:
        file.write(buffer.getvalue())

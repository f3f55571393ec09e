"""A measure against the number of features: as a table, for machines, and drawn."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table
from handful.files import atomic_write
from handful.io.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Curve", "check_plot", "describe", "draw", "print_curve"]

_SUFFIXES = (".png", ".svg")


@dataclass(frozen=True)
class Curve:
    """Scores of every fold (rows) at every number of features (columns)."""

    scoring: str
    ks: tuple[int, ...]
    test: np.ndarray
    train: np.ndarray
    n_selected: np.ndarray
    seconds: np.ndarray
    interrupted: bool = False
    counted: str = "features"
    method: str = "fgm"
    cases: str = "rows"

    @property
    def mean(self) -> np.ndarray:
        """Mean test score at each number of features."""
        return self.test.mean(axis=0)

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of the test score over the folds."""
        return self.test.std(axis=0, ddof=1) if len(self.test) > 1 else np.zeros(len(self.ks))

    @property
    def best(self) -> int:
        """Position of the best mean score, the fewest features among equals."""
        return int(np.argmax(self.mean))

    @property
    def one_standard_error(self) -> int:
        """Position of the fewest features within one standard error of the best score."""
        error = self.std[self.best] / np.sqrt(len(self.test))
        return int(np.flatnonzero(self.mean >= self.mean[self.best] - error)[0])


def describe(curve: Curve) -> dict[str, Any]:
    """Return all figures for machines."""
    columns = zip(
        curve.ks,
        curve.n_selected.T,
        curve.test.T,
        curve.mean,
        curve.std,
        curve.train.mean(axis=0),
        curve.seconds.sum(axis=0),
        strict=True,
    )
    fields = ("k", "n_selected", "test_scores", "mean", "std", "train_mean", "seconds")
    return {
        "scoring": curve.scoring,
        "n_folds": len(curve.test),
        "path": [dict(zip(fields, column, strict=True)) for column in columns],
        "best_k": curve.ks[curve.best],
        "one_standard_error_k": curve.ks[curve.one_standard_error],
        "interrupted": curve.interrupted,
    }


def print_curve(console: Console, curve: Curve) -> None:
    """Print the table, the best number and the fewest that are about as good."""
    by = "" if curve.method == "fgm" else f" by {curve.method}"
    title = f"{curve.scoring}, {len(curve.test)} folds, selection{by} inside each fold"
    rows = [
        (
            *(str(k), f"{curve.mean[j]:.4f} ± {curve.std[j]:.4f}"),
            *(f"{curve.train[:, j].mean():.4f}", f"{curve.seconds[:, j].sum():.2f}"),
        )
        for j, k in enumerate(curve.ks)
    ]
    console.print(title, style="bold")
    scored = (f"held-out {curve.cases}", f"training {curve.cases}")
    console.print(make_table((curve.counted, *scored, "seconds"), rows))
    console.print(f"best: {curve.ks[curve.best]} {curve.counted}")
    console.print(
        f"fewest within one standard error of the best: "
        f"{curve.ks[curve.one_standard_error]} {curve.counted}"
    )


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
    axes.plot(
        ks, curve.train.mean(axis=0), color="0.6", linestyle="--", label=f"training {curve.cases}"
    )
    axes.fill_between(ks, mean - std, mean + std, color="C0", alpha=0.2, linewidth=0)
    held_out = f"held-out {curve.cases}, {len(curve.test)} folds"
    axes.plot(ks, mean, color="C0", marker="o", label=held_out)
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

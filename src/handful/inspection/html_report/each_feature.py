"""What the table tells of each feature: a small picture of it and the target, and which other one could have its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from handful.inspection import _drawing as drawing
from handful.inspection.correlation import correlations_with
from handful.inspection.html_report.charts import Chart, chart_of
from handful.inspection.html_report.subject import Subject, Target
from handful.spaces.base import dense
from handful.spaces.columns import lengths_about_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = np.ndarray
#: Classes in one picture; of more those with the largest weights.
MOST_CLASSES = 6
#: Parts of equally many rows that a feature is cut into beside a quantity.
MOST_BINS = 8
WIDTH, ROW, MARGIN = 2.3, 0.145, 0.13
#: Chosen columns that are compared with all others at a time.
BLOCK = 64
#: Multiplications that the comparison may take; beyond, only the strongest features are compared.
MOST_WORK = 2e11
#: Of features that are made: chosen ones that are compared, and others that each is compared with.
MOST_MADE, MOST_OTHERS = 60, 40


# ------------------------- its values in each class, or the target along its values


@dataclass(frozen=True)
class _Line:
    """A class: its name, its colour, and the values of the feature in it."""

    name: str
    colour: str
    values: Array


def thumbnail(name: str, values: Array, target: Target, weights: Array) -> Chart | None:
    """Return a picture of one feature; None where it has no finite values.

    ``name`` tells the parts of this picture from those of others. Of many outputs those with the largest ``weights`` are shown.
    """
    if not np.isfinite(values).all():
        return None
    if target.kind == "quantities":
        return _along_values(name, values, target, int(np.argmax(np.abs(weights))))
    shown: Sequence[int] = range(target.n_outputs)
    if len(shown) > MOST_CLASSES:
        shown = np.sort(np.argsort(-np.abs(weights), kind="stable")[:MOST_CLASSES]).tolist()
    lines = [
        _Line(target.names[c], drawing.COLOURS[c % 6], values[target.members(c)]) for c in shown
    ]
    lines = [line for line in lines if len(line.values)]
    if not lines:
        return None
    return _shares(name, lines, values) if len(np.unique(values)) <= 2 else _spreads(name, lines)


def _spreads(name: str, lines: Sequence[_Line]) -> Chart:
    """Draw for each class the middle 90 % of the values, the middle half, and the median."""
    ax = _small_axes(lines)
    at = [0.05, 0.25, 0.5, 0.75, 0.95]
    low, first, middle, third, high = np.array([np.quantile(line.values, at) for line in lines]).T
    places, colours = np.arange(len(lines)), [line.colour for line in lines]
    ax.hlines(places, low, high, colors=colours, linewidth=1)
    ax.hlines(places, first, third, colors=colours, linewidth=5)
    ax.plot(middle, places, "|", markersize=8, markeredgewidth=1.6, color="#000000")
    return chart_of(ax, name, f"Medians: {_told(lines, middle.tolist(), '.3g')}")


def _shares(name: str, lines: Sequence[_Line], values: Array) -> Chart:
    """Draw for each class how many rows have the larger of two values."""
    ax = _small_axes(lines)
    larger = values.max()
    shares = [float((line.values == larger).mean()) for line in lines]
    ax.barh(np.arange(len(lines)), shares, 0.62, color=[line.colour for line in lines])
    ax.set_xlim(0, 1.05)
    ax.set_xticks([0, 0.5, 1], labels=["0", "½", "1"])
    return chart_of(ax, name, f"Share of rows with {larger:.3g}: {_told(lines, shares, '.0%')}")


def _told(lines: Sequence[_Line], figures: Sequence[float], form: str) -> str:
    named = zip(lines, figures, strict=True)
    return ", ".join(f"{drawing.shortened(line.name, 24)} {x:{form}}" for line, x in named)


def _along_values(name: str, values: Array, target: Target, output: int) -> Chart:
    """Draw the mean of the target, with its standard error, in parts of the rows that the feature orders."""
    quantity = target.quantity(output)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, MOST_BINS + 1)))
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(0, len(edges) - 2))
    places, means, errors = [], [], []
    for number in np.unique(bins):
        own = bins == number
        places.append(float(np.median(values[own])))
        means.append(float(quantity[own].mean()))
        errors.append(float(quantity[own].std() / np.sqrt(own.sum())))
    ax = _axes(0.72, 5)
    ax.errorbar(
        places, means, yerr=errors, color=drawing.BLUE, marker="o", markersize=3, linewidth=1.2
    )
    ax.locator_params(axis="y", nbins=3)
    of = drawing.shortened(target.names[output], 24)
    told = f"Mean of {of}: {means[0]:.3g} where the feature is {places[0]:.3g}, {means[-1]:.3g} where it is {places[-1]:.3g}"
    return chart_of(ax, name, told)


def _small_axes(lines: Sequence[_Line]) -> Axes:
    labels = drawing.told_apart([line.name for line in lines], 14)
    ax = _axes(2 * MARGIN + ROW * len(lines), max(map(len, labels)))
    ax.set_yticks(range(len(lines)), labels=labels, parse_math=False)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    return ax


def _axes(height: float, n_characters: int) -> Axes:
    """Return axes beside labels of so many characters: no layout is computed, which takes longer than drawing."""
    from matplotlib.figure import Figure

    left = 0.04 + (0.058 * n_characters + 0.05) / WIDTH
    bottom = 1.3 * MARGIN / height
    axes = Figure(figsize=(WIDTH, height)).add_axes((left, bottom, 0.97 - left, 0.97 - bottom))
    axes.tick_params(labelsize=6.5, length=2, pad=1.5)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=4)
    drawing.plain(axes)
    return axes


# ------------------------------------ the nearest feature that was not chosen


@dataclass(frozen=True)
class Runner:
    """A feature that was not chosen, and its correlation with one that was."""

    name: str
    correlation: float


def runners_up(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    """Return the nearest other feature of each chosen one, by its position in the model.

    Columns are compared with all columns. Features that are made from the data are compared with those
    that have the largest products with them, since nobody can make all of them. ``order`` says which are
    compared first where that is too much work.
    """
    if not hasattr(subject.selector, "support_ids_") or not len(order):
        return {}
    return _of_columns(subject, order) if subject.has_own_columns else _of_made(subject, order)


def _of_columns(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    X, chosen = subject.columns_of_X  # type: ignore[misc]
    n_rows, n_columns = X.shape
    names = subject.names_of_columns()
    most = int(max(1, MOST_WORK // (n_rows * n_columns)))
    found: dict[int, Runner] = {}
    for start in range(0, min(most, len(order)), BLOCK):
        part = list(order[start : min(start + BLOCK, most)])
        correlations = correlations_with(X, chosen[part])
        sizes = np.abs(correlations)
        sizes[:, chosen] = -1.0
        for row, place in enumerate(part):
            nearest = int(np.argmax(sizes[row]))
            if sizes[row, nearest] > 0:
                found[place] = Runner(names[nearest], float(correlations[row, nearest]))
    return found


def _of_made(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    space = subject.space()
    chosen = np.asarray(subject.selector.support_ids_)
    found: dict[int, Runner] = {}
    if int(space.widths(chosen).max()) > 1:  # a feature of several columns has no correlation
        return found
    columns = _standardized(dense(space.columns(chosen[list(order[:MOST_MADE])])))
    for place, column in zip(order[:MOST_MADE], columns.T, strict=True):
        ids, _ = space.top(column, MOST_OTHERS, chosen)
        if not len(ids):
            continue
        correlations = column @ _standardized(dense(space.columns(ids)))
        nearest = int(np.argmax(np.abs(correlations)))
        if abs(correlations[nearest]) > 0:
            [name] = space.names(ids[nearest : nearest + 1], subject.selection.names)  # type: ignore[arg-type]
            found[place] = Runner(str(name), float(np.clip(correlations[nearest], -1, 1)))
    return found


def _standardized(columns: Array) -> Array:
    """Return columns about their means, of length one; constant ones are zero."""
    centred = columns - columns.mean(axis=0)
    squares, about_means = (np.square(part).sum(axis=0) for part in (columns, centred))
    lengths = lengths_about_means(about_means, squares)
    return np.asarray(centred / lengths)

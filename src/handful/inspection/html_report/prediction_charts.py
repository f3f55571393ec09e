"""Pictures of predictions: confusion, ROC, precision against recall, and residuals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import metrics

from handful.inspection import _drawing as drawing
from handful.inspection.html_report.charts import Chart, chart_of

Array = np.ndarray
#: Points of a curve and of a scatter plot.
MOST_ON_CURVE, MOST_POINTS = 150, 400
#: Classes whose curves have a colour, and cells of a map with numbers in them.
MOST_CURVES, MOST_NUMBERS = 6, 150
#: Classes of a map with names, and of one whose figures are written as a table.
MOST_NAMED, MOST_IN_TABLE = 40, 12


def confusion(y: Array, predicted: Array, names: Sequence[str]) -> Chart:
    """Draw how many rows of each class were taken for which."""
    counts = metrics.confusion_matrix(y, predicted, labels=np.arange(len(names)))
    n = len(names)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    labels = drawing.told_apart(names, 18) if n <= MOST_NAMED else []
    longest = max(map(len, labels), default=0)
    is_upright = longest > 6 or n > 12
    side, room = (float(np.clip(0.6 * n, 1.7, 6.0)), 0.5 + 0.08 * longest)
    ax = drawing.new_axes((side + room, side + (room if is_upright else 0.6)))
    ax.imshow(counts / totals, cmap="Blues", vmin=0, vmax=1)
    if labels:
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(np.arange(n), labels=labels, fontsize=drawing.FONT, parse_math=False)
        ax.tick_params(axis="x", rotation=90 if is_upright else 0)
    if n * n <= MOST_NUMBERS:
        for (i, j), count in np.ndenumerate(counts):
            colour = "white" if count > 0.55 * totals[i, 0] else "#000000"
            ax.text(j, i, f"{count}", ha="center", va="center", fontsize=8, color=colour)
    ax.set(xlabel="predicted", ylabel="true")
    ax.spines[:].set_visible(False)
    right = int(np.trace(counts))
    wrong = counts - np.diag(np.diag(counts))
    i, j = divmod(int(wrong.argmax()), n)
    alt = f"Confusion matrix: {right} of {counts.sum()} are on the diagonal."
    if wrong[i, j]:
        often = f"{drawing.shortened(names[i])} taken for {drawing.shortened(names[j])}"
        alt += f" The most frequent mistake is {often}, {wrong[i, j]} times."
    if n > MOST_IN_TABLE:
        return chart_of(ax, "confusion", alt)
    rows = [[names[c], *(str(x) for x in row)] for c, row in enumerate(counts)]
    return chart_of(ax, "confusion", alt, ["true \\ predicted", *names], rows)


def _thinned(*columns: Array) -> list[Array]:
    """Return at most so many points of a curve, its ends among them."""
    n = len(columns[0])
    kept = np.unique(np.linspace(0, n - 1, MOST_ON_CURVE).round().astype(int))
    return [column[kept] for column in columns]


def roc(
    pairs: dict[str, tuple[Array, Array]], weight: Array | None = None, counted: str = "classes"
) -> Chart:
    """Draw the share of a class, or label, that is found against the share of the others that is taken for it."""
    ax = drawing.new_axes((4.9 if len(pairs) == 1 else 6.2, 3.9))
    ax.plot([0, 1], [0, 1], color=drawing.DARK, linestyle=":", linewidth=1, label="guessing")
    is_many = len(pairs) > MOST_CURVES
    grid, mean, rows = np.linspace(0, 1, 101), np.zeros(101), []
    labels = drawing.told_apart(list(pairs), 18)
    for number, (name, (y, scores)) in enumerate(pairs.items()):
        false, true = metrics.roc_curve(y, scores, sample_weight=weight)[:2]
        mean += np.interp(grid, false, true) / len(pairs)
        area = float(metrics.auc(false, true))
        rows.append([name, f"{area:.3f}"])
        if is_many:
            at = np.linspace(0, 1, 31)
            ax.plot(at, np.interp(at, false, true), color=drawing.PALE, linewidth=0.5)
        else:
            style: Any = {"color": drawing.COLOURS[number], "linewidth": 1.6}
            label = drawing.in_legend(f"{labels[number]}: {area:.3f}")
            ax.plot(*_thinned(false, true), label=label, **style)
    if is_many:
        label = f"mean of {len(pairs)} {counted}"
        ax.plot(grid, mean, color=drawing.BLUE, linewidth=1.8, label=label)
    ax.set(xlabel="others taken for it (false positive rate)", ylabel="found (true positive rate)")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    drawing.plain(ax)
    drawing.legend(ax, outside=len(pairs) > 1, **({} if len(pairs) > 1 else {"loc": "lower right"}))
    areas = [float(area) for _, area in rows]
    told = f"{areas[0]:.3f}" if len(rows) == 1 else f"{min(areas):.3f} to {max(areas):.3f}"
    titles = ("label" if counted == "labels" else "class", "area under ROC")
    return chart_of(ax, "roc", f"ROC curve: area {told}.", titles, rows)


def precision_recall(y: Array, scores: Array, name: str, weight: Array | None = None) -> Chart:
    """Draw how many of those found are right against how many are found."""
    precision, recall, _ = metrics.precision_recall_curve(y, scores, sample_weight=weight)
    ax = drawing.new_axes((4.9, 3.9))
    share = float(np.average(y, weights=weight))
    ax.axhline(share, color=drawing.DARK, linestyle=":", linewidth=1, label="guessing")
    average = metrics.average_precision_score(y, scores, sample_weight=weight)
    label = f"{drawing.shortened(name, 18)}: {average:.3f}"
    ax.plot(*_thinned(recall, precision), color=drawing.BLUE, linewidth=1.6, label=label)
    ax.set(xlabel="found (recall)", ylabel="right among those found (precision)")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    drawing.plain(ax)
    drawing.legend(ax, loc="lower left")
    alt = f"Precision against recall: average precision {average:.3f}, guessing has {share:.3f}."
    return chart_of(ax, "pr", alt)


def _points(ax: Any, x: Array, y: Array) -> str:
    """Draw points, of very many some, and say which."""
    note = ""
    if len(x) > MOST_POINTS:
        note = f" {MOST_POINTS} of {len(x):,} rows, drawn at random, are shown."
        shown = np.sort(np.random.default_rng(0).choice(len(x), MOST_POINTS, replace=False))
        x, y = x[shown], y[shown]
    ax.scatter(x, y, s=9, color=drawing.BLUE, alpha=0.6, linewidth=0)
    return note


def against(y: Array, predicted: Array, name: str, n_targets: int) -> Chart:
    """Draw predicted against true values."""
    ax = drawing.new_axes((4.9, 3.9))
    note = _points(ax, y, predicted)
    ends = [float(min(y.min(), predicted.min())), float(max(y.max(), predicted.max()))]
    ax.plot(ends, ends, color=drawing.DARK, linestyle=":", linewidth=1, label="exactly right")
    called = drawing.shortened(name, 30)
    ax.set_xlabel(f"true {called}", parse_math=False)
    ax.set_ylabel(f"predicted {called}", parse_math=False)
    drawing.plain(ax)
    drawing.legend(ax, loc="upper left")
    r = float(np.corrcoef(y, predicted)[0, 1]) if y.std() and predicted.std() else 0.0
    which = f" This is the target that is predicted worst of {n_targets}." if n_targets > 1 else ""
    alt = f"Predicted against true values of {called}: correlation {r:.3f}.{which}{note}"
    return chart_of(ax, "against", alt)


def residuals(y: Array, predicted: Array, name: str) -> Chart:
    """Draw what is wrong with each prediction."""
    ax = drawing.new_axes((4.9, 3.9))
    errors = y - predicted
    note = _points(ax, predicted, errors)
    ax.axhline(0, color=drawing.DARK, linestyle=":", linewidth=1)
    called = drawing.shortened(name, 30)
    ax.set_xlabel(f"predicted {called}", parse_math=False)
    ax.set_ylabel("true − predicted", parse_math=False)
    drawing.plain(ax)
    low, high = np.quantile(errors, [0.05, 0.95])
    alt = f"Residuals of {called}: nine in ten are between {low:.3g} and {high:.3g}.{note}"
    return chart_of(ax, "residuals", alt)

"""How good: figures and pictures of rows that were held out of everything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn import metrics

from handful.inspection import _drawing as drawing
from handful.inspection.html_report.charts import Chart, chart_of
from handful.inspection.html_report.held_out import HeldOut
from handful.measures import Accuracy, Measure
from handful.metrics import macro_measure_score

__all__ = ["Figure", "HowGood", "how_good"]

Array = np.ndarray
#: Points of a curve and of a scatter plot.
MOST_ON_CURVE, MOST_POINTS = 150, 400
#: Classes whose curves have a colour, and cells of a map with numbers in them.
MOST_CURVES, MOST_NUMBERS = 6, 150
#: Classes of a map with names, and with a map at all.
MOST_NAMED, MOST_MAPPED = 40, 200


@dataclass(frozen=True)
class Figure:
    """One figure: its value, how sure it is, and what guessing would give."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class HowGood:
    """Everything that the section shows.

    Attributes
    ----------
    how : str
        Which rows were held out.
    figures : list of Figure
    charts : list of Chart
    titles, rows
        A table of classes, labels or targets; empty where one has nothing to compare.
    """

    how: str
    figures: Sequence[Figure]
    charts: Sequence[Chart]
    titles: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def how_good(held_out: HeldOut, measure: Measure | None = None) -> HowGood:
    """Judge predictions of held-out rows, also by the measure that was selected for, if there is one."""
    with warnings.catch_warnings():
        # A class that is never predicted has no precision; that reads 0 in the table.
        warnings.simplefilter("ignore", category=UserWarning)
        if held_out.truth.kind == "classes":
            return _of_classes(held_out, measure)
        return (_of_labels if held_out.truth.kind == "labels" else _of_quantities)(held_out)


# ------------------------------------------------------------------ classes


def _of_classes(held_out: HeldOut, measure: Measure | None) -> HowGood:
    truth, names = held_out.truth, held_out.truth.names
    known = truth.values >= 0
    y, predicted = truth.values[known], held_out.predicted[known]
    scores = None if held_out.scores is None else held_out.scores[known]
    n_right = int((y == predicted).sum())
    sure = binomtest(n_right, len(y)).proportion_ci(method="wilson")
    counts = np.bincount(y, minlength=len(names))
    commonest = int(counts.argmax())
    figures = [
        Figure(
            "accuracy",
            f"{n_right / len(y):.1%}",
            f"{n_right:,} of {len(y):,}; 95 % interval {sure.low:.1%} to {sure.high:.1%}",
        ),
        Figure(
            "always guessing the commonest class",
            f"{counts[commonest] / len(y):.1%}",
            f"that is {names[commonest]}",
        ),
        Figure(
            "balanced accuracy",
            f"{metrics.balanced_accuracy_score(y, predicted):.1%}",
            f"the mean over classes; guessing has {1 / max(1, np.count_nonzero(counts)):.1%}",
        ),
    ]
    figures += _measured(y, scores, names, measure)
    charts = [_confusion(y, predicted, names)] if len(names) <= MOST_MAPPED else []
    if len(names) == 2 and scores is not None and 0 < counts[1] < len(y):
        scores = scores if scores.ndim == 1 else scores[:, 1]
        figures += _ranking_figures(y, scores, float(counts[1] / len(y)))
        charts += [_roc({names[1]: (y, scores)}), _precision_recall(y, scores, names[1])]
    elif scores is not None and scores.ndim == 2:
        pairs = {
            name: (y == c, scores[:, c])
            for c, name in enumerate(names)
            if 0 < counts[c] < len(y)
        }
        if pairs:
            areas = [metrics.roc_auc_score(*pair) for pair in pairs.values()]
            note = "each class against the rest, the mean; guessing has 0.5"
            figures.append(Figure("area under ROC", f"{np.mean(areas):.3f}", note))
            charts.append(_roc(pairs))
    rows = _class_rows(y, predicted, names)
    return HowGood(held_out.how, figures, charts, ("class", "rows", "precision", "recall", "F1"), rows)


def _measured(
    y: Array, scores: Array | None, names: Sequence[str], measure: Measure | None
) -> list[Figure]:
    """Return the measure that was selected for; none where it has no meaning on these rows."""
    if measure is None or scores is None or isinstance(measure, Accuracy):
        return []
    try:
        if len(names) == 2:
            own = scores if scores.ndim == 1 else scores[:, 1]
            value = measure.value(np.where(y == 1, 1.0, -1.0), own)
        else:
            value = macro_measure_score(y, scores, measure, labels=np.arange(len(names)))
    except ValueError:
        return []
    mean = "" if len(names) == 2 else ", the mean over classes"
    return [Figure(f"{measure}", f"{value:.3f}", f"what was selected for{mean}")]


def _class_rows(y: Array, predicted: Array, names: Sequence[str]) -> list[list[str]]:
    columns = metrics.precision_recall_fscore_support(
        y, predicted, labels=np.arange(len(names)), zero_division=0.0
    )
    return [
        [name, f"{int(count):,}", *(f"{value:.3f}" for value in values)]
        for name, count, *values in zip(names, columns[3], *columns[:3], strict=True)
    ]


def _ranking_figures(y: Array, scores: Array, share: float) -> list[Figure]:
    area = metrics.roc_auc_score(y, scores)
    precision = metrics.average_precision_score(y, scores)
    return [
        Figure("area under ROC", f"{area:.3f}", "guessing has 0.5"),
        Figure("average precision", f"{precision:.3f}", f"guessing has {share:.3f}"),
    ]


def _confusion(y: Array, predicted: Array, names: Sequence[str]) -> Chart:
    counts = metrics.confusion_matrix(y, predicted, labels=np.arange(len(names)))
    n = len(names)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = float(np.clip(0.55 * n, 2.0, 6.2)) if n <= 12 else 6.2
    ax = drawing.new_axes((side + 1.9, side + 0.9))
    ax.imshow(counts / totals, cmap="Blues", vmin=0, vmax=1)
    if n <= MOST_NAMED:
        drawing.name_columns(ax, names)
        drawing.name_rows(ax, names)
        ax.set_ylim(n - 0.5, -0.5)
    if n * n <= MOST_NUMBERS:
        for (i, j), count in np.ndenumerate(counts):
            colour = "white" if count > 0.55 * totals[i, 0] else "#000000"
            ax.text(j, i, f"{count}", ha="center", va="center", fontsize=8, color=colour)
    ax.set(xlabel="predicted", ylabel="true")
    ax.spines[:].set_visible(False)
    right = int(np.trace(counts))
    wrong = counts - np.diag(np.diag(counts))
    i, j = np.unravel_index(int(wrong.argmax()), wrong.shape)
    alt = f"Confusion matrix: {right} of {counts.sum()} are on the diagonal."
    if wrong[i, j]:
        often = f"{drawing.shortened(names[i])} taken for {drawing.shortened(names[j])}"
        alt += f" The most frequent mistake is {often}, {wrong[i, j]} times."
    titles = ["true \\ predicted", *names] if n <= 12 else ()
    rows = [[names[c], *(str(x) for x in row)] for c, row in enumerate(counts)] if n <= 12 else ()
    return chart_of(ax.figure, "confusion", alt, titles, rows)


def _thinned(*columns: Array) -> list[Array]:
    """Return at most so many points of a curve, its ends among them."""
    n = len(columns[0])
    kept = np.unique(np.linspace(0, n - 1, MOST_ON_CURVE).round().astype(int))
    return [column[kept] for column in columns]


def _roc(pairs: dict[str, tuple[Array, Array]]) -> Chart:
    """Draw the share of a class that is found against the share of the others that is taken for it."""
    ax = drawing.new_axes((4.9 if len(pairs) == 1 else 6.2, 3.9))
    ax.plot([0, 1], [0, 1], color=drawing.DARK, linestyle=":", linewidth=1, label="guessing")
    is_many = len(pairs) > MOST_CURVES
    grid, mean, rows = np.linspace(0, 1, 101), np.zeros(101), []
    labels = drawing.told_apart(list(pairs), 18)
    for number, (name, (y, scores)) in enumerate(pairs.items()):
        false, true = metrics.roc_curve(y, scores)[:2]
        mean += np.interp(grid, false, true) / len(pairs)
        area = float(metrics.auc(false, true))
        rows.append([name, f"{area:.3f}"])
        if is_many:
            at = np.linspace(0, 1, 31)
            ax.plot(at, np.interp(at, false, true), color=drawing.PALE, linewidth=0.5)
        else:
            style = {"color": drawing.COLOURS[number], "linewidth": 1.6}
            ax.plot(*_thinned(false, true), label=f"{labels[number]}: {area:.3f}", **style)
    if is_many:
        ax.plot(grid, mean, color=drawing.BLUE, linewidth=1.8, label=f"mean of {len(pairs)} classes")
    ax.set(xlabel="others taken for it (false positive rate)", ylabel="found (true positive rate)")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    drawing.plain(ax)
    drawing.legend(ax, outside=len(pairs) > 1, **({} if len(pairs) > 1 else {"loc": "lower right"}))
    areas = [float(area) for _, area in rows]
    told = f"{areas[0]:.3f}" if len(rows) == 1 else f"{min(areas):.3f} to {max(areas):.3f}"
    return chart_of(ax.figure, "roc", f"ROC curve: area {told}.", ("class", "area under ROC"), rows)


def _precision_recall(y: Array, scores: Array, name: str) -> Chart:
    precision, recall, _ = metrics.precision_recall_curve(y, scores)
    ax = drawing.new_axes((4.9, 3.9))
    share = float(np.mean(y))
    ax.axhline(share, color=drawing.DARK, linestyle=":", linewidth=1, label="guessing")
    average = metrics.average_precision_score(y, scores)
    label = f"{drawing.shortened(name, 18)}: {average:.3f}"
    ax.plot(*_thinned(recall, precision), color=drawing.BLUE, linewidth=1.6, label=label)
    ax.set(xlabel="found (recall)", ylabel="right among those found (precision)")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
    drawing.plain(ax)
    drawing.legend(ax, loc="lower left")
    alt = f"Precision against recall: average precision {average:.3f}, guessing has {share:.3f}."
    return chart_of(ax.figure, "pr", alt)


# ------------------------------------------------------------------- labels


def _of_labels(held_out: HeldOut) -> HowGood:
    y, predicted, names = held_out.truth.values, held_out.predicted, held_out.truth.names
    common = (y.mean(axis=0) > 0.5).astype(np.int64)
    figures = [
        Figure(
            "labels that are right",
            f"{(y == predicted).mean():.1%}",
            f"over all rows and labels; always the commoner answer has {(y == common).mean():.1%}",
        ),
        Figure("rows with all labels right", f"{(y == predicted).all(axis=1).mean():.1%}"),
        Figure(
            "F1, mean over labels",
            f"{metrics.f1_score(y, predicted, average='macro', zero_division=0.0):.3f}",
        ),
    ]
    columns = metrics.precision_recall_fscore_support(y, predicted, average=None, zero_division=0.0)
    charts, titles = [], ["label", "rows", "precision", "recall", "F1"]
    rows = [
        [name, f"{int(count):,}", *(f"{value:.3f}" for value in values)]
        for name, count, *values in zip(names, columns[3], *columns[:3], strict=True)
    ]
    if held_out.scores is not None:
        pairs = {
            f"{name}": (y[:, c], held_out.scores[:, c])
            for c, name in enumerate(names)
            if 0 < y[:, c].sum() < len(y)
        }
        areas = {name: metrics.roc_auc_score(*pair) for name, pair in pairs.items()}
        if pairs:
            titles.append("area under ROC")
            for row in rows:
                row.append(f"{areas[row[0]]:.3f}" if row[0] in areas else "")
            mean = float(np.mean(list(areas.values())))
            note = "the mean over labels; guessing has 0.5"
            figures.append(Figure("area under ROC", f"{mean:.3f}", note))
            charts.append(_roc(pairs))
    return HowGood(held_out.how, figures, charts, titles, rows)


# --------------------------------------------------------------- quantities


def _of_quantities(held_out: HeldOut) -> HowGood:
    names = held_out.truth.names
    y = held_out.truth.values.reshape(len(held_out.truth.values), -1)
    predicted = held_out.predicted.reshape(y.shape)
    shares = metrics.r2_score(y, predicted, multioutput="raw_values")
    roots = np.sqrt(((y - predicted) ** 2).mean(axis=0))
    middles = np.median(np.abs(y - predicted), axis=0)
    figures = [
        Figure(
            "R²" if len(names) == 1 else "R², mean over targets",
            f"{np.mean(shares):.3f}",
            "the share of the target's variance that is predicted; the mean of the target has 0",
        )
    ]
    if len(names) == 1:
        figures += [
            Figure(
                "root mean squared error",
                f"{roots[0]:.4g}",
                f"always guessing the mean has {y.std():.4g}",
            ),
            Figure("median error", f"{middles[0]:.4g}", "half of the rows are nearer"),
        ]
    rows = [
        [name, f"{a:.3f}", f"{b:.4g}", f"{c:.4g}"]
        for name, a, b, c in zip(names, shares, roots, middles, strict=True)
    ]
    worst = int(np.argmin(shares))
    charts = [
        _against(y[:, worst], predicted[:, worst], names[worst], len(names)),
        _residuals(y[:, worst], predicted[:, worst], names[worst]),
    ]
    if len(names) == 1:
        return HowGood(held_out.how, figures, charts)
    titles = ("target", "R²", "root mean squared error", "median error")
    return HowGood(held_out.how, figures, charts, titles, rows)


def _some(n: int) -> Array:
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MOST_POINTS, replace=False))


def _points(ax: Any, x: Array, y: Array) -> str:
    shown = _some(len(x))
    ax.scatter(x[shown], y[shown], s=9, color=drawing.BLUE, alpha=0.6, linewidth=0)
    return "" if len(shown) == len(x) else f" {len(shown)} of {len(x):,} rows, drawn at random, are shown."


def _against(y: Array, predicted: Array, name: str, n_targets: int) -> Chart:
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
    return chart_of(ax.figure, "against", alt)


def _residuals(y: Array, predicted: Array, name: str) -> Chart:
    ax = drawing.new_axes((4.9, 3.9))
    residuals = y - predicted
    note = _points(ax, predicted, residuals)
    ax.axhline(0, color=drawing.DARK, linestyle=":", linewidth=1)
    called = drawing.shortened(name, 30)
    ax.set_xlabel(f"predicted {called}", parse_math=False)
    ax.set_ylabel("true − predicted", parse_math=False)
    drawing.plain(ax)
    low, high = np.quantile(residuals, [0.05, 0.95])
    alt = f"Residuals of {called}: nine in ten are between {low:.3g} and {high:.3g}.{note}"
    return chart_of(ax.figure, "residuals", alt)

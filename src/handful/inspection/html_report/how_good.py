"""How good: figures and pictures of rows that were held out of everything."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn import metrics

from handful.inspection._drawing import shortened
from handful.inspection.html_report import prediction_charts as pictures
from handful.inspection.html_report.charts import Chart
from handful.inspection.html_report.held_out import HeldOut
from handful.measures import Measure
from handful.model_selection._scoring import value_of

Array = np.ndarray
#: Classes of a confusion matrix that is drawn.
MOST_MAPPED = 200
#: Characters of a class's name beside a figure.
LONGEST_NAME = 80
#: So many standard deviations of a normal variable hold 95 %.
Z = 1.959964


@dataclass(frozen=True)
class Figure:
    """One figure: its value, how sure it is, and what guessing would give; whether features were selected for it."""

    name: str
    value: str
    note: str = ""
    is_selected_for: bool = False


@dataclass(frozen=True)
class HowGood:
    """Everything that the section shows."""

    #: Which rows were held out.
    how: str
    figures: Sequence[Figure]
    charts: Sequence[Chart]
    #: A table of classes, labels or targets; empty where one has nothing to compare.
    titles: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    @property
    def headline(self) -> Figure:
        """What counts: the measure that was selected for, if there is one, or else the first."""
        return next((one for one in self.figures if one.is_selected_for), self.figures[0])


def how_good(held_out: HeldOut, measure: Measure | None = None) -> HowGood:
    """Judge predictions of held-out rows, also by the measure that was selected for, if there is one."""
    with warnings.catch_warnings():
        # A class that is never predicted has no precision; that reads 0 in the table.
        warnings.simplefilter("ignore", category=UserWarning)
        if held_out.truth.kind == "classes":
            return _of_classes(held_out, measure)
        if held_out.truth.kind == "labels":
            return _of_labels(held_out, measure)
        return _of_quantities(held_out)


# ------------------------------------------------------------------ classes


def _of_classes(held_out: HeldOut, measure: Measure | None) -> HowGood:
    truth, names = held_out.truth, held_out.truth.names
    is_right = truth.values == held_out.predicted  # a label that is not known is never predicted
    known = truth.values >= 0
    y, predicted = truth.values[known], held_out.predicted[known]
    scores = None if held_out.scores is None else held_out.scores[known]
    weight = None if held_out.weight is None else held_out.weight[known]
    all_of_them = len(is_right) if held_out.weight is None else float(held_out.weight.sum())
    counts = np.bincount(y, weight, minlength=len(names))
    commonest, n_there = int(counts.argmax()), max(1, int(np.count_nonzero(counts)))
    figures = [
        _accuracy(is_right, held_out.weight),
        Figure(
            "always guessing the commonest class",
            f"{counts[commonest] / all_of_them:.1%}",
            f"that is {shortened(names[commonest], LONGEST_NAME)}",
        ),
        Figure(
            "balanced accuracy",
            f"{metrics.balanced_accuracy_score(y, predicted, sample_weight=weight):.1%}",
            f"the mean over classes; guessing has {1 / n_there:.1%}",
        ),
    ]
    figures += _measured(y, scores, names, measure, weight)
    charts = [pictures.confusion(y, predicted, names)] if len(names) <= MOST_MAPPED else []
    if len(names) == 2 and scores is not None and 0 < counts[1] < counts.sum():
        scores = scores if scores.ndim == 1 else scores[:, 1]
        area = metrics.roc_auc_score(y, scores, sample_weight=weight)
        precision = metrics.average_precision_score(y, scores, sample_weight=weight)
        by_chance = f"guessing has {counts[1] / counts.sum():.3f}"
        figures.append(Figure("area under ROC", f"{area:.3f}", "guessing has 0.5"))
        figures.append(Figure("average precision", f"{precision:.3f}", by_chance))
        charts += [
            pictures.roc({names[1]: (y, scores)}, weight),
            pictures.precision_recall(y, scores, names[1], weight),
        ]
    elif scores is not None and scores.ndim == 2:
        pairs = {
            name: (y == c, scores[:, c])
            for c, name in enumerate(names)
            if 0 < counts[c] < counts.sum()
        }
        if pairs:
            areas = [metrics.roc_auc_score(*pair, sample_weight=weight) for pair in pairs.values()]
            note = "each class against the rest, the mean; guessing has 0.5"
            figures.append(Figure("area under ROC", f"{np.mean(areas):.3f}", note))
            charts.append(pictures.roc(pairs, weight))
    rows = _rows_of_names(y, predicted, names, weight)
    return HowGood(
        held_out.how, figures, charts, ("class", "rows", "precision", "recall", "F1"), rows
    )


def _accuracy(is_right: Array, weight: Array | None) -> Figure:
    n_right, n_rows = int(is_right.sum()), len(is_right)
    if weight is None:
        sure = binomtest(n_right, n_rows).proportion_ci(method="wilson")
        told = f"{n_right:,} of {n_rows:,}; 95 % interval {sure.low:.1%} to {sure.high:.1%}"
        return Figure("accuracy", f"{n_right / n_rows:.1%}", told)
    share, low, high, n_worth = proportion(is_right, weight)
    told = (
        f"weighted, {n_right:,} of {n_rows:,} rows; 95 % interval {low:.1%} to {high:.1%}, as of {n_worth:,.0f} rows that "
        "count alike"
    )
    return Figure("accuracy", f"{share:.1%}", told)


def _measured(
    y: Array,
    scores: Array | None,
    names: Sequence[str],
    measure: Measure | None,
    weight: Array | None,
) -> list[Figure]:
    """Return the measure that was selected for; none where it has no meaning on these rows."""
    if measure is None or scores is None or measure.is_of_classes:
        return []
    over = ", the mean over labels" if y.ndim == 2 else ", the mean over classes"
    if weight is not None and not measure.accepts_weight:
        weight, over = None, f"{over}, not weighted"
    if y.ndim == 1 and len(names) == 2:
        scores = scores if scores.ndim == 1 else scores[:, 1]
        over = over.removeprefix(", the mean over classes")
    try:
        value = value_of(measure, y, scores, np.arange(len(names)), weight)
    except ValueError:
        return []
    note = f"what was selected for{over}"
    return [Figure(f"{measure}", f"{value:.3f}", note, is_selected_for=True)]


def _rows_of_names(
    y: Array, predicted: Array, names: Sequence[str], weight: Array | None
) -> list[list[str]]:
    """Return a row for each class or label: how many there are, precision, recall and F1."""
    labels = np.arange(len(names)) if y.ndim == 1 else None
    columns = metrics.precision_recall_fscore_support(
        y, predicted, labels=labels, zero_division=0.0, sample_weight=weight
    )
    counts = np.bincount(y, minlength=len(names)) if y.ndim == 1 else y.sum(axis=0)
    return [
        [name, f"{int(count):,}", *(f"{value:.3f}" for value in values)]
        for name, count, *values in zip(names, counts, *columns[:3], strict=True)
    ]


# ------------------------------------------------------------------- labels


def _of_labels(held_out: HeldOut, measure: Measure | None) -> HowGood:
    y, predicted, names = held_out.truth.values, held_out.predicted, held_out.truth.names
    weight = held_out.weight
    common = (mean(y, weight) > 0.5).astype(np.int64)
    f1 = metrics.f1_score(y, predicted, average="macro", zero_division=0.0, sample_weight=weight)
    figures = [
        Figure(
            "labels that are right",
            f"{mean(y == predicted, weight).mean():.1%}",
            f"over all rows and labels; always the commoner answer has {mean(y == common, weight).mean():.1%}",
        ),
        Figure("rows with all labels right", f"{mean((y == predicted).all(axis=1), weight):.1%}"),
        Figure("F1, mean over labels", f"{f1:.3f}"),
    ]
    figures += _measured(y, held_out.scores, names, measure, weight)
    charts, titles = [], ["label", "rows", "precision", "recall", "F1"]
    rows = _rows_of_names(y, predicted, names, weight)
    if held_out.scores is not None:
        pairs = {
            f"{name}": (y[:, c], held_out.scores[:, c])
            for c, name in enumerate(names)
            if 0 < mean(y[:, c], weight) < 1
        }
        areas = {
            name: metrics.roc_auc_score(*pair, sample_weight=weight) for name, pair in pairs.items()
        }
        if pairs:
            titles.append("area under ROC")
            for row in rows:
                row.append(f"{areas[row[0]]:.3f}" if row[0] in areas else "")
            area = float(np.mean(list(areas.values())))
            note = "the mean over labels; guessing has 0.5"
            figures.append(Figure("area under ROC", f"{area:.3f}", note))
            charts.append(pictures.roc(pairs, weight, "labels"))
    return HowGood(held_out.how, figures, charts, titles, rows)


# --------------------------------------------------------------- quantities


def _of_quantities(held_out: HeldOut) -> HowGood:
    names = held_out.truth.names
    y = held_out.truth.values.reshape(len(held_out.truth.values), -1)
    predicted = held_out.predicted.reshape(y.shape)
    weight = held_out.weight
    shares = metrics.r2_score(y, predicted, multioutput="raw_values", sample_weight=weight)
    roots = np.sqrt(mean((y - predicted) ** 2, weight))
    guessed = np.sqrt(mean((y - mean(y, weight)) ** 2, weight))
    middles = median(np.abs(y - predicted), weight)
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
                f"always guessing the mean has {guessed[0]:.4g}",
            ),
            Figure("median error", f"{middles[0]:.4g}", "half of the rows are nearer"),
        ]
    rows = [
        [name, f"{a:.3f}", f"{b:.4g}", f"{c:.4g}"]
        for name, a, b, c in zip(names, shares, roots, middles, strict=True)
    ]
    worst = int(np.argmin(shares))
    charts = [
        pictures.against(y[:, worst], predicted[:, worst], names[worst], len(names)),
        pictures.residuals(y[:, worst], predicted[:, worst], names[worst]),
    ]
    if len(names) == 1:
        return HowGood(held_out.how, figures, charts)
    titles = ("target", "R²", "root mean squared error", "median error")
    return HowGood(held_out.how, figures, charts, titles, rows)


# ------------------------------------------ rows that do not all count alike


def mean(values: Array, weight: Array | None) -> Any:
    """Return the means over rows."""
    return np.average(values, axis=0, weights=weight)


def median(values: Array, weight: Array | None) -> Array:
    """Return for each column the least value that half of the weight is at or below.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [9.0]])
    >>> median(values, None).tolist(), median(values, np.array([1.0, 1.0, 3.0])).tolist()
    ([2.0], [9.0])
    """
    if weight is None:
        return np.asarray(np.median(values, axis=0))
    found = []
    for column in values.T:
        order = np.argsort(column, kind="stable")
        reached = np.cumsum(weight[order])
        found.append(column[order[np.searchsorted(reached, reached[-1] / 2)]])
    return np.array(found)


def proportion(is_so: Array, weight: Array) -> tuple[float, float, float, float]:
    """Return a weighted share, its 95 % interval after Wilson, and how many equal rows would be as sure.

    The number is ``(sum w)^2 / sum w^2``.
    """
    share = float(mean(is_so, weight))
    n = float(weight.sum() ** 2 / (weight**2).sum())
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n))
    return share, max(0.0, middle - half), min(1.0, middle + half), n

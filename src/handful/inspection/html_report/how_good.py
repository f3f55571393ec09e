"""How good: figures and pictures of rows that were held out of everything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest
from sklearn import metrics

from handful.inspection.html_report import prediction_charts as pictures
from handful.inspection.html_report.charts import Chart
from handful.inspection.html_report.held_out import HeldOut
from handful.measures import Measure
from handful.metrics import macro_measure_score

Array = np.ndarray
#: Classes of a confusion matrix that is drawn.
MOST_MAPPED = 200


@dataclass(frozen=True)
class Figure:
    """One figure: its value, how sure it is, and what guessing would give; whether features were selected for it."""

    name: str
    value: str
    note: str = ""
    is_selected_for: bool = False


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
    known = truth.values >= 0
    y, predicted = truth.values[known], held_out.predicted[known]
    scores = None if held_out.scores is None else held_out.scores[known]
    n_right = int((y == predicted).sum())
    sure = binomtest(n_right, len(y)).proportion_ci(method="wilson")
    counts = np.bincount(y, minlength=len(names))
    commonest, n_there = int(counts.argmax()), max(1, int(np.count_nonzero(counts)))
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
            f"the mean over classes; guessing has {1 / n_there:.1%}",
        ),
    ]
    figures += _measured(y, scores, names, measure)
    charts = [pictures.confusion(y, predicted, names)] if len(names) <= MOST_MAPPED else []
    if len(names) == 2 and scores is not None and 0 < counts[1] < len(y):
        scores = scores if scores.ndim == 1 else scores[:, 1]
        figures += _ranking_figures(y, scores, float(counts[1] / len(y)))
        charts += [
            pictures.roc({names[1]: (y, scores)}),
            pictures.precision_recall(y, scores, names[1]),
        ]
    elif scores is not None and scores.ndim == 2:
        pairs = {
            name: (y == c, scores[:, c]) for c, name in enumerate(names) if 0 < counts[c] < len(y)
        }
        if pairs:
            areas = [metrics.roc_auc_score(*pair) for pair in pairs.values()]
            note = "each class against the rest, the mean; guessing has 0.5"
            figures.append(Figure("area under ROC", f"{np.mean(areas):.3f}", note))
            charts.append(pictures.roc(pairs))
    rows = _rows_of_names(y, predicted, names)
    return HowGood(
        held_out.how, figures, charts, ("class", "rows", "precision", "recall", "F1"), rows
    )


def _measured(
    y: Array, scores: Array | None, names: Sequence[str], measure: Measure | None
) -> list[Figure]:
    """Return the measure that was selected for; none where it has no meaning on these rows."""
    if measure is None or scores is None or measure.is_of_classes:
        return []
    mean = ", the mean over labels" if y.ndim == 2 else ", the mean over classes"
    try:
        if y.ndim == 2:
            value = macro_measure_score(y, scores.reshape(y.shape), measure)
        elif len(names) == 2:
            own = scores if scores.ndim == 1 else scores[:, 1]
            value, mean = measure.value(np.where(y == 1, 1.0, -1.0), own), ""
        else:
            value = macro_measure_score(y, scores, measure, labels=np.arange(len(names)))
    except ValueError:
        return []
    note = f"what was selected for{mean}"
    return [Figure(f"{measure}", f"{value:.3f}", note, is_selected_for=True)]


def _rows_of_names(y: Array, predicted: Array, names: Sequence[str]) -> list[list[str]]:
    """Return a row for each class or label: how many there are, precision, recall and F1."""
    labels = np.arange(len(names)) if y.ndim == 1 else None
    columns = metrics.precision_recall_fscore_support(
        y, predicted, labels=labels, zero_division=0.0
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


# ------------------------------------------------------------------- labels


def _of_labels(held_out: HeldOut, measure: Measure | None) -> HowGood:
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
    figures += _measured(y, held_out.scores, names, measure)
    charts, titles = [], ["label", "rows", "precision", "recall", "F1"]
    rows = _rows_of_names(y, predicted, names)
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
            charts.append(pictures.roc(pairs))
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
        pictures.against(y[:, worst], predicted[:, worst], names[worst], len(names)),
        pictures.residuals(y[:, worst], predicted[:, worst], names[worst]),
    ]
    if len(names) == 1:
        return HowGood(held_out.how, figures, charts)
    titles = ("target", "R²", "root mean squared error", "median error")
    return HowGood(held_out.how, figures, charts, titles, rows)

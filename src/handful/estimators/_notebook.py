"""What a notebook shows of a fitted estimator: a summary, with the score of its own rows, and scikit-learn's diagram below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from handful.estimators._features import Feature, InputNames, Selection
from handful.estimators._gap import gap_in_words
from handful.estimators._older_sklearn import ReprHookMixin
from handful.markup import paragraph, table
from handful.spaces.resolve import source_of

Array = np.ndarray
#: Features in the table, and classes with a column of their own.
MOST_FEATURES, MOST_OUTPUTS = 20, 4


class NotebookMixin(ReprHookMixin):
    """``_repr_html_`` with a summary once there is something to summarise."""

    def _html_repr(self) -> str:
        return self._summary_html() + str(estimator_html_repr(self))

    def _summary_html(self) -> str:
        """Return the summary; nothing before fit."""
        return summary_of_selector(self) if hasattr(self, "weights_") else ""


def summary_of_selector(estimator: Any, names: Sequence[str] | None = None) -> str:
    """Return how many of how many, names with weights, how well training rows are predicted, and what is proved."""
    selection = Selection(estimator, InputNames.of(estimator, names))
    parts = [paragraph(selection.headline, bold=True), features_table(selection)]
    own = getattr(estimator, "estimator_", None)
    if own is not None:
        told = f"Predictions are those of {type(own).__name__} on these features; the weights are of the selection."
        parts.append(paragraph(told))
    score = getattr(estimator, "_training_score", None)
    parts += [paragraph(score)] if score else []
    parts += [paragraph(estimator.status_), paragraph(gap_in_words(estimator))]
    return summary_box(parts)


def summary_box(parts: Sequence[str]) -> str:
    """Return parts of a summary, each of them HTML, in one box."""
    return f'<div class="handful-summary">{"".join(parts)}</div>'


def features_table(selection: Selection) -> str:
    """Return the strongest features with their weights; many classes share one column, the norm."""
    features = sorted(selection.features, key=lambda feature: -feature.strength)
    titles = selection.weight_titles(MOST_OUTPUTS)

    def cells(feature: Feature) -> list[str]:
        is_each = len(titles) == len(feature.weights)
        numbers = feature.weights if is_each else [feature.strength]
        return [feature.name, *(f"{number:.4g}" for number in numbers)]

    shown = table(["feature", *titles], map(cells, features[:MOST_FEATURES]))
    left_out = len(features) - MOST_FEATURES
    more = paragraph(f"and {left_out} more with smaller weights") if left_out > 0 else ""
    return shown + more


def remember_training_score(estimator: Any, X: Any, Y: Array, weight: Array) -> None:
    """Keep a sentence about the score of the rows that a selector was just fitted to, for its summary.

    X is checked and Y has a column for each output, so that only the chosen columns are gathered once more. Of data that are
    elsewhere they are not: that would read them again. Every row that has a weight counts once, as in ``score``.
    """
    estimator._training_score = ""
    if source_of(X) is not None:
        return
    counts = weight > 0
    with np.errstate(all="ignore"):  # numbers near the largest there are
        raw = np.asarray(estimator._make_columns(X) @ estimator.weights_.T) + estimator.intercept_
        if raw.shape == Y.shape:  # not where labels that all samples have were left out
            estimator._training_score = training_score(estimator, raw[counts], Y[counts])


def training_score(estimator: Any, raw: Array, Y: Array) -> str:
    """Return which share of classes or labels is right, or R2, in a sentence."""
    rows = "the rows it was fitted to, which is too good for others"
    if not hasattr(estimator, "classes_"):
        left, whole = ((Y - raw) ** 2).sum(axis=0), ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)
        share = (1 - left / whole).mean()
        return f"R² {share:.4g} on {rows}." if np.isfinite(share) else ""
    is_right = (raw > 0) == (Y > 0)
    if hasattr(estimator, "label_values_"):
        return f"{is_right.mean():.1%} of labels right on {rows}."
    if raw.shape[1] > 1:
        is_right = raw.argmax(axis=1) == Y.argmax(axis=1)
    return f"Accuracy {is_right.mean():.1%} on {rows}."

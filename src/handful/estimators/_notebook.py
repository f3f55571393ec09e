"""What a notebook shows of a fitted estimator: a summary, and scikit-learn's diagram below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils import estimator_html_repr

from handful.estimators._features import Feature, InputNames, Selection
from handful.estimators._gap import gap_in_words
from handful.estimators._older_sklearn import ReprHookMixin
from handful.markup import paragraph, table

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
    names = selection.output_names
    has_norms = any(feature.columns is not None for feature in features)
    weight = "norm of weights" if has_norms else "weight"
    titles = [f"{weight}, {name}" for name in names] if len(names) > 1 else [weight]
    if len(names) > MOST_OUTPUTS:
        titles = [f"norm of {len(names)} weights"]

    def cells(feature: Feature) -> list[str]:
        several = len(titles) == len(names)
        numbers = feature.weights if several else [feature.strength]
        return [feature.name, *(f"{number:.4g}" for number in numbers)]

    shown = table(["feature", *titles], map(cells, features[:MOST_FEATURES]))
    left_out = len(features) - MOST_FEATURES
    more = paragraph(f"and {left_out} more with smaller weights") if left_out > 0 else ""
    return shown + more

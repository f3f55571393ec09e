"""What a fitted model looks like: as tables for people, as a dictionary for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table
from handful.cli.feature_names import FeatureNames
from handful.cli.methods import Method, method_of
from handful.estimators._features import Feature, Selection
from handful.estimators._gap import gap_in_words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_FEATURES_SHOWN = 30
_MOST_WEIGHT_COLUMNS = 4


def describe(estimator: Any, names: FeatureNames) -> dict[str, Any]:
    """Return everything that the tables show, and the features that they leave out."""
    return method_of(estimator).describe(Selection(estimator, names))


def print_report(
    console: Console, estimator: Any, names: FeatureNames, *, all_features: bool = False
) -> None:
    """Print the features, the rounds and the certificate."""
    method, selection = method_of(estimator), Selection(estimator, names)
    rows = _strongest_first(selection)
    shown = len(rows) if all_features else min(len(rows), _FEATURES_SHOWN)
    console.print(selection.headline, style="bold")
    if selection.groups is not None and names.grouped == "columns":
        console.print("a column of text is selected whole: -k counts columns, not categories")
    console.print(_feature_table(method, selection, rows[:shown]))
    if shown < len(rows):
        console.print(f"and {len(rows) - shown} more with smaller weights", style="dim")
    for part in method.course(selection):
        console.print(part)
    if hasattr(estimator, "calibration_"):
        console.print("scores are calibrated on held-out rows: predict writes probabilities")
    console.print(str(estimator.status_), soft_wrap=True)
    console.print(gap_in_words(estimator, names.grouped), soft_wrap=True)


def _strongest_first(selection: Selection) -> list[tuple[str, Feature]]:
    """Put the strongest features first, within groups if there are any, the strongest group first.

    A feature of several selected groups has a row in each. The name of a group stands in its first.
    """

    def strongest(features: Iterable[Feature]) -> list[Feature]:
        return sorted(features, key=lambda feature: -feature.strength)

    if selection.groups is None:
        return [("", feature) for feature in strongest(selection.features)]
    by_id = {feature.id: feature for feature in selection.features}
    groups = [
        (group.name, strongest(by_id[j] for j in group.features if j in by_id))
        for group in selection.groups
    ]
    groups.sort(key=lambda group: -np.linalg.norm([feature.strength for feature in group[1]]))
    return [
        (name if place == 0 else "", feature)
        for name, features in groups
        for place, feature in enumerate(features)
    ]


def _feature_table(
    method: Method, selection: Selection, rows: Sequence[tuple[str, Feature]]
) -> Table:
    """Show the weights; many classes share one column, the norm."""
    # A feature of several columns has a norm where another has a weight.
    sign = "+" if selection.weight_name == "weight" else ""
    titles, n_outputs = selection.weight_titles(_MOST_WEIGHT_COLUMNS), len(selection.output_names)
    texts = [] if selection.groups is None else [selection.names.grouped.removesuffix("s")]
    texts.append(method.counted.removesuffix("s"))
    of_strings = selection.frequencies
    cells = []
    for group, feature in rows:
        numbers = feature.weights if len(titles) == n_outputs else [feature.strength]
        # Blanks at either end are part of a substring.
        name = feature.name if of_strings is None else repr(feature.name)
        named = [group, name][-len(texts) :]
        cells.append([*named, *(f"{number:{sign}.4g}" for number in numbers)])
        if of_strings is not None:
            cells[-1].append(str(of_strings[feature.id]))
    if of_strings is not None:
        titles.append("strings")
    return make_table([*texts, *titles], cells, texts=texts)

"""What a fitted model looks like: as tables for people, as a dictionary for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.atoms import atom_headline, atom_summary, describe_atoms, has_atoms
from handful.cli.console import printable
from handful.cli.descent import descent_summary, descent_table, describe_descent, has_descent
from handful.cli.problem import FeatureNames
from handful.cli.selection import Feature, Selection
from handful.cli.steps import describe_steps, has_steps, step_summary, step_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["describe", "print_report"]

_FEATURES_SHOWN = 30
_MOST_WEIGHT_COLUMNS = 4


def describe(estimator: Any, names: FeatureNames) -> dict[str, Any]:
    """Return everything that the tables show, and the features that they leave out."""
    selection = Selection(estimator, names)
    if has_atoms(estimator):
        return describe_atoms(estimator, selection.features)
    space = getattr(estimator, "space", None)
    return {
        "estimator": type(estimator).__name__,
        "space": None if space is None else repr(space),
        "n_features_in": estimator.n_features_in_,
        "n_features": selection.n_features,
        "n_selected": len(estimator.support_ids_),
        "classes": None if names.target_names else getattr(estimator, "classes_", None),
        "targets": names.target_names,
        "class_features": getattr(estimator, "class_support_ids_", None),
        "features": [_describe_feature(feature) for feature in selection.features],
        "n_groups": selection.n_groups,
        "groups": None
        if selection.groups is None
        else [
            {"id": group.id, "name": group.name, "features": group.features}
            for group in selection.groups
        ],
        "intercept": np.atleast_1d(estimator.intercept_),
        "C": getattr(estimator, "C_", None),
        "C_path": getattr(estimator, "C_path_", None),
        **describe_steps(selection),
        **_describe_instances(estimator),
        **describe_descent(estimator),
        "objective": estimator.objective_,
        "dual_gap": getattr(estimator, "dual_gap_", None),
        "relative_gap": _relative_gap(estimator),
        "status": estimator.status_.name,
        "message": str(estimator.status_),
        "rounds": estimator.history_.to_records(),
    }


def _relative_gap(estimator: Any) -> float | None:
    """That of the last round; of the model where rounds have none, or each class its own."""
    if not len(estimator.history_) or not hasattr(estimator, "dual_gap_"):
        return None
    own = hasattr(estimator, "class_support_ids_")
    if (own or np.isinf(estimator.history_[-1].bound)) and estimator.objective_:
        return float(estimator.dual_gap_ / abs(estimator.objective_))
    return float(estimator.history_[-1].relative_gap)


def _describe_instances(estimator: Any) -> dict[str, Any]:
    """Of a model on bags, the chosen instances: the bag and the row in it."""
    chosen = getattr(estimator, "selected_instances_", None)
    return {} if chosen is None else {"instances": chosen}


def _describe_feature(feature: Feature) -> dict[str, Any]:
    described = {"id": feature.id, "name": feature.name, "weights": feature.weights}
    if feature.columns is None:
        return described
    columns = [{"name": name, "weights": values} for name, values in feature.columns]
    return {**described, "columns": columns}


def print_report(
    console: Console, estimator: Any, names: FeatureNames, *, all_features: bool = False
) -> None:
    """Print the features, the rounds and the certificate."""
    selection = Selection(estimator, names)
    rows = _rows(selection)
    shown = len(rows) if all_features else min(len(rows), _FEATURES_SHOWN)
    console.print(_headline(selection), style="bold")
    console.print(_feature_table(selection, rows[:shown]))
    if shown < len(rows):
        console.print(f"and {len(rows) - shown} more with smaller weights", style="dim")
    for part in _how_it_went(selection):
        console.print(part)
    console.print(str(estimator.status_), soft_wrap=True)


def _how_it_went(selection: Selection) -> Iterator[Table | str]:
    """The steps or rounds, then where they ended."""
    estimator = selection.estimator
    if has_atoms(estimator):
        yield atom_summary(estimator)
    elif has_steps(estimator):
        yield step_table(selection)
        yield step_summary(estimator)
    elif has_descent(estimator):
        yield descent_table(estimator)
        yield descent_summary(estimator)
    else:
        own = getattr(estimator, "class_support_ids_", ())
        few = len(own) <= _MOST_WEIGHT_COLUMNS
        yield _round_table(estimator) if few else f"{len(estimator.history_)} rounds in all classes"
        yield f"objective {estimator.objective_:.6g}, gap {estimator.dual_gap_:.3g}"


def _headline(selection: Selection) -> str:
    estimator = selection.estimator
    if has_atoms(estimator):
        return atom_headline(estimator)
    features = f"{len(estimator.support_ids_)} of {selection.n_features} features"
    if selection.groups is not None:
        return f"{len(selection.groups)} of {selection.n_groups} groups, {features}"
    if hasattr(estimator, "selected_instances_"):
        chosen = f"{len(estimator.support_ids_)} of {selection.n_features} instances"
        features = f"{chosen} of {estimator.n_features_in_} columns"
    elif getattr(estimator, "space", None) is not None:
        features = f"{features} made from {estimator.n_features_in_} columns"
    own = getattr(estimator, "class_support_ids_", None)
    if own is not None:
        sizes = sorted({len(ids) for ids in own})
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        return f"{features}: the union of {each} for each of {len(own)} classes"
    return features


def _rows(selection: Selection) -> list[tuple[str | None, Feature]]:
    """Put the strongest features first, within groups if there are any, the strongest group first.

    A feature of several selected groups has a row in each. The name of a group stands in its first.
    """

    def strongest(features: Iterable[Feature]) -> list[Feature]:
        return sorted(features, key=lambda feature: -feature.strength)

    if selection.groups is None:
        return [(None, feature) for feature in strongest(selection.features)]
    known = {feature.id: feature for feature in selection.features}
    groups = [
        (group.name, strongest(known[j] for j in group.features if j in known))
        for group in selection.groups
    ]
    groups.sort(key=lambda group: -np.linalg.norm([feature.strength for feature in group[1]]))
    return [
        (name if place == 0 else "", feature)
        for name, features in groups
        for place, feature in enumerate(features)
    ]


def _feature_table(selection: Selection, rows: Sequence[tuple[str | None, Feature]]) -> Table:
    """Show the weights; many classes share one column, the norm."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    grouped = selection.groups is not None
    if grouped:
        table.add_column("group", overflow="fold")
    kind = "atom" if has_atoms(selection.estimator) else "feature"
    table.add_column(kind, overflow="fold")
    # A feature of several columns has a norm where another has a weight.
    has_norms = any(feature.columns is not None for _, feature in rows)
    weight, sign = ("norm of weights", "") if has_norms else ("weight", "+")
    n_outputs = len(selection.estimator.weights_)
    if n_outputs == 1:
        titles = [weight]
    elif n_outputs <= _MOST_WEIGHT_COLUMNS:
        labels = selection.names.target_names or selection.estimator.classes_
        titles = [f"{weight}, {label}" for label in labels]
    else:
        titles = [f"norm of {n_outputs} weights"]
    for title in titles:
        table.add_column(Text(printable(title)), justify="right")
    for group, feature in rows:
        several = len(titles) == n_outputs
        numbers = feature.weights if several else [feature.strength]
        texts = [Text(printable(group or ""))] if grouped else []
        texts.append(Text(printable(feature.name)))
        table.add_row(*texts, *(f"{number:{sign}.4g}" for number in numbers))
    return table


def _round_table(estimator: Any) -> Table:
    from rich.table import Table

    table = Table()
    for title in ("round", "phase", "active", "objective", "gap", "seconds"):
        table.add_column(title, justify="left" if title == "phase" else "right")
    for record in estimator.history_:
        table.add_row(
            str(record.number),
            record.phase,
            str(record.n_active),
            f"{record.objective:.6g}",
            f"{record.relative_gap:.2%}",
            f"{record.seconds:.2f}",
        )
    return table

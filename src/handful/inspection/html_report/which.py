"""Which features: weight, direction, how often chosen, what could replace each, and its values in each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.estimators._features import Feature
from handful.inspection.html_report.charts import Chart, chart_of
from handful.inspection.html_report.each_feature import Runner, runners_up, thumbnail
from handful.inspection.html_report.subject import Subject, Target, plural
from handful.inspection.weights import WeightsDisplay, groups_of
from handful.spaces.base import dense
from handful.spaces.resolve import columns_of

Array = np.ndarray
#: With more outputs than that a feature has one figure, the norm of its weights.
MOST_OUTPUTS = 4
#: Features in the picture above the table.
MOST_FEATURES_DRAWN = 30


@dataclass(frozen=True)
class Limits:
    """What is left out of a large report, so that it can be mailed."""

    #: Features in the table.
    n_rows: int = 5000
    #: Features with a picture.
    n_pictures: int = 40
    #: Characters of a name.
    longest_name: int = 12_000
    #: Classes or labels in tables.
    n_classes: int = 1000


@dataclass(frozen=True)
class Row:
    """What the table says of one feature."""

    name: str
    #: None without groups.
    group: str | None
    #: One for each output, or the norm.
    weights: Sequence[float]
    #: What a larger value speaks for.
    direction: str
    #: The norm of weight times spread: comparable between columns of different scale.
    effect: float | None
    #: In which share of the fits it was chosen.
    share: float | None
    runner: Runner | None
    #: In how many training strings a substring is.
    strings: int | None
    picture: Chart | None

    def shortened(self, longest: int, picture: Chart | None) -> Row:
        """Return the row with names that are no longer, and this picture."""
        name, group = _cut(self.name, longest), self.group and _cut(self.group, longest)
        runner = self.runner and replace(self.runner, name=_cut(self.runner.name, longest))
        return replace(self, name=name, group=group, runner=runner, picture=picture)


@dataclass(frozen=True)
class Which:
    """Everything that the section shows."""

    headline: str
    counted: str
    weight_titles: Sequence[str]
    rows: Sequence[Row]
    n_features: int
    grouped: str | None
    compares_columns: bool
    chart: Chart | None

    def has(self, field: str) -> bool:
        """Whether a column of the table has anything in it."""
        return any(getattr(row, field) is not None for row in self.rows)

    @property
    def notes(self) -> list[str]:
        """What is not in the table."""
        notes, n_rows = [], len(self.rows)
        if n_rows < self.n_features:
            left_out = plural(self.n_features - n_rows, self.counted)
            notes.append(
                f"{left_out} with smaller weights are not listed: the file would be too large."
            )
        n_pictures = sum(row.picture is not None for row in self.rows)
        if 0 < n_pictures < n_rows:
            notes.append(f"Pictures are of the {n_pictures} with the largest weights.")
        n_runners = sum(row.runner is not None for row in self.rows)
        if 0 < n_runners < n_rows and self.compares_columns:
            notes.append(
                f"Runners-up were looked for beside the {n_runners} with the largest weights."
            )
        return notes

    def within(self, limits: Limits) -> Which:
        """Return what there is room for."""
        rows = [
            row.shortened(limits.longest_name, row.picture if rank < limits.n_pictures else None)
            for rank, row in enumerate(self.rows[: limits.n_rows])
        ]
        return replace(self, rows=rows)


def which_features(subject: Subject, shares: Mapping[int, float]) -> Which:
    """Gather the table; ``shares`` are by position in the model, and empty where nothing was counted."""
    selection, target = subject.selection, subject.target
    features, groups = selection.features, groups_of(selection)
    strengths = np.array([feature.strength for feature in features])
    order: list[int] = np.argsort(-strengths, kind="stable").tolist()
    runners, values = runners_up(subject, order), _values(subject)
    frequencies, n_outputs = selection.frequencies, len(selection.output_names)
    rows = []
    for rank, place in enumerate(order[: Limits.n_rows]):
        feature, picture = features[place], None
        column = dense(values[:, [place]])[:, 0].astype(np.float64)
        if rank < Limits.n_pictures:
            picture = thumbnail(f"f{rank}", column, target, _per_class(feature.weights, target))
        own = feature.weights.tolist() if n_outputs <= MOST_OUTPUTS else [feature.strength]
        rows.append(
            Row(
                # Blanks at either end are part of a substring.
                name=feature.name if frequencies is None else repr(feature.name),
                group=None if groups is None else groups[place],
                weights=own,
                direction=_direction(feature, subject),
                effect=None if feature.columns else float(feature.strength * column.std()),
                share=shares.get(place),
                runner=runners.get(place),
                strings=None if frequencies is None else frequencies.get(feature.id),
                picture=picture,
            )
        )
    return Which(
        headline=selection.headline,
        counted=counted_in(subject),
        weight_titles=selection.weight_titles(MOST_OUTPUTS),
        rows=rows,
        n_features=len(features),
        grouped=None if groups is None else selection.names.grouped.removesuffix("s"),
        compares_columns=subject.has_own_columns,
        chart=_chart(subject, features),
    )


def _values(subject: Subject) -> Any:
    """Return the columns of the chosen features."""
    selector = subject.selector
    made = any(feature.columns is not None for feature in subject.selection.features)
    if made:  # a feature is one column of X, which becomes several
        return columns_of(subject.at_selector, np.asarray(selector.support_ids_))
    if hasattr(selector, "_make_columns"):
        return selector._make_columns(subject.at_selector)
    return selector.transform(subject.at_selector)


def counted_in(subject: Subject) -> str:
    """Return what there are k of."""
    if hasattr(subject.selector, "dictionary_"):
        return "atoms"
    return "instances" if subject.cases == "bags" else "features"


def _per_class(weights: Array, target: Target) -> Array:
    """Return a weight for each class: of two classes both have the one there is."""
    n_outputs = target.n_outputs
    return np.resize(weights, n_outputs) if len(weights) != n_outputs else weights


def _direction(feature: Feature, subject: Subject) -> str:
    """Say what more of a feature speaks for."""
    if feature.columns is not None:
        return "not the same everywhere: it is under a kernel"
    if feature.strength == 0:
        return "neither way: its weight is 0"
    names, target = subject.selection.output_names, subject.target
    strongest = int(np.argmax(np.abs(feature.weights)))
    is_up = feature.weights[strongest] > 0
    if target.kind == "quantities":
        verb = "raises" if is_up else "lowers"
        return f"{verb} it" if len(names) == 1 else f"{verb} {names[strongest]}"
    if len(names) == 1 and target.kind == "classes":
        return f"for {target.names[-1] if is_up else target.names[0]}"
    return f"{'for' if is_up else 'against'} {names[strongest]}"


def _chart(subject: Subject, features: Sequence[Feature]) -> Chart | None:
    """Draw the weights, unless there is only one to look at."""
    if len(features) < 2:
        return None
    display = WeightsDisplay._from_selection(subject.selection, max_features=MOST_FEATURES_DRAWN)
    strongest = [features[j].name for j in display.order[:3]]
    named = ", ".join(name if len(name) <= 60 else f"{name[:58]}…" for name in strongest)
    alt = f"Weights of the {min(len(features), MOST_FEATURES_DRAWN)} strongest; the first are {named}."
    return chart_of(display, "weights", alt)


def _cut(name: str, longest: int) -> str:
    """Leave out the middle of a name that is longer than there is room for, and say how much."""
    if len(name) <= longest:
        return name
    head = longest // 2
    return f"{name[:head]} … {len(name) - 2 * head:,} characters left out … {name[-head:]}"

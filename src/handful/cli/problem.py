"""What a command is to learn: a table, classification or regression, features by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from handful.cli.console import progress, say
from handful.cli.options import Source
from handful.cli.targets import several_targets
from handful.io import InputError, ModelFile, Table, read_bags, read_table
from handful.io.columns import near_names
from handful.validation.names import first_repeated

__all__ = [
    "FeatureNames",
    "Problem",
    "is_regression",
    "load_problem",
    "targets_of",
    "used_names",
]

_MOST_CLASSES = 100


@dataclass(frozen=True)
class Problem:
    """Features, a target or several, and which of the two tasks it is."""

    table: Table
    X: Any
    y: np.ndarray
    names: FeatureNames
    regression: bool
    bag_column: str | None = None

    @property
    def n_classes(self) -> int | None:
        """How many classes there are; None for regression."""
        return None if self.regression else len(np.unique(self.y))

    @property
    def cases(self) -> str:
        """What has a label each."""
        return "rows" if self.bag_column is None else "bags"

    @property
    def has_several_labels(self) -> bool:
        """Whether a row may have several labels, or none."""
        return self.y.ndim == 2 and not self.regression


def load_problem(source: Source) -> Problem:
    """Read the data and say what they are taken for."""
    how: dict[str, Any] = {
        "file_format": source.file_format,
        "drop": source.drop or (),
        "header": source.header,
    }
    with progress(f"reading {source.data}"):
        if source.bags is not None:
            read = read_bags(source.data, source.bags, source.target, **how)
            table, X, y = read.table, read.bags, read.y
            size = f"{len(X)} bags of {X.n_instances} rows, {X.n_features} columns"
        else:
            table = read_table(source.data, source.target, targets=source.targets, **how)
            X, y = table.X, table.y
            size = f"{X.shape[0]} rows, {X.shape[1]} features"
    if y is None:
        raise InputError(f"{source.data} has no target")
    decide = is_regression if y.ndim == 1 else several_targets
    regression, sentence = decide(y, source.regression)
    say(f"{size}: {sentence}")
    return Problem(table, X, y, FeatureNames.of_table(table), regression, source.bags)


@dataclass(frozen=True)
class FeatureNames:
    """The names of the data's columns: those of the file, or else its column numbers.

    `group_names` are those of the groups that were given, where they have names, `target_names` those of
    several targets.
    """

    names: Sequence[str] | None
    n_features: int
    first_index: int = 0
    group_names: Sequence[str] | None = None
    target_names: Sequence[str] | None = None

    @classmethod
    def of_table(cls, table: Table) -> FeatureNames:
        """Return the names in a table."""
        sizes = table.X.shape[1], table.first_index
        return cls(table.feature_names, *sizes, target_names=table.target_names)

    @classmethod
    def of_model(cls, saved: ModelFile) -> FeatureNames:
        """Return the names in a model file."""
        names = getattr(saved.estimator, "feature_names_in_", None)
        first, groups = saved.about.get("first_index"), saved.about.get("group_names")
        return cls(
            names,
            saved.estimator.n_features_in_,
            first if isinstance(first, int) else 0,
            groups if isinstance(groups, list) else None,
            targets_of(saved),
        )

    def __getitem__(self, feature: int) -> str:
        return str(feature + self.first_index) if self.names is None else str(self.names[feature])

    def ids(self, wanted: Sequence[str]) -> list[int] | None:
        """Return the ids of features that the user named; None for none."""
        return [self.id(name) for name in wanted] or None

    @cached_property
    def _places(self) -> dict[str, int]:
        names = () if self.names is None else self.names
        return {str(name): j for j, name in enumerate(names)}

    def id(self, wanted: str) -> int:
        """Return the id of a feature that the user named."""
        if wanted in self._places:
            return self._places[wanted]
        if self._places and not wanted.isdecimal():
            hint = near_names(wanted, list(self._places), "feature")
            raise InputError(f"there is no feature {wanted!r}; {hint}")
        feature = int(wanted) - self.first_index if wanted.isdecimal() else -1
        if not 0 <= feature < self.n_features:
            first, last = self.first_index, self.n_features - 1 + self.first_index
            raise InputError(f"there is no feature {wanted}; they are numbered {first} to {last}")
        return feature


def used_names(saved: ModelFile, ids: np.ndarray) -> list[str] | None:
    """Return the names of columns that a model reads, to find them in new data; None without names."""
    names = getattr(saved.estimator, "feature_names_in_", None)
    if names is None:
        return None
    used = [str(names[j]) for j in ids]
    twice = first_repeated(names, used)
    if twice is not None:
        raise InputError(
            f"the model was fitted on two columns called {twice!r}, which cannot be told apart in new "
            "data; rename one and fit it again"
        )
    return used


def targets_of(saved: ModelFile) -> list[str] | None:
    """Return the names of the several targets of a model; None when it has one."""
    names = saved.about.get("targets")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names if len(names) == len(saved.estimator.weights_) else None


def is_regression(y: np.ndarray, wanted: bool | None) -> tuple[bool, str]:
    """Decide what the target is, and say it in a sentence.

    Text, true/false, and up to 100 different whole numbers with at least two rows each on
    average are classes; any other numbers are quantities.
    """
    is_text = y.dtype.kind in "OUS"
    values = np.unique(y)
    if wanted is None:
        whole = y.dtype.kind in "biu"
        few = len(values) <= min(_MOST_CLASSES, max(2, len(y) // 2))
        regression = not (is_text or (whole and few))
    else:
        regression = wanted
    if regression and is_text:
        raise InputError(f"the target is text such as {values[0]!r}; regression needs numbers")
    if regression:
        sentence = f"regression on a target with {len(values)} different values"
        return True, sentence + ("" if wanted else " (--classification if they are classes)")
    shown = ", ".join(str(value) for value in values[:5]) + (", ..." if len(values) > 5 else "")
    sentence = f"classification into {len(values)} classes ({shown})"
    is_number = not is_text and y.dtype.kind != "b"
    hint = wanted is None and is_number and len(values) > 10
    return False, sentence + (" (--regression if they are quantities)" if hint else "")

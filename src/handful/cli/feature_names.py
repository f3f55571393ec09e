"""What features and targets are called: by the names in a file, or else by its column numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from handful.estimators._features import InputNames
from handful.io import InputError, ModelFile, Table
from handful.io.columns import near_names
from handful.io.mixed import EncodedColumn
from handful.validation.names import first_repeated


@dataclass(frozen=True)
class FeatureNames(InputNames):
    """The names of the data's columns: those of the file, or else its column numbers.

    `encoded_columns` are columns of text that are selected whole. Where rows are strings, `strings` is the
    column they are in, empty if there is but one.
    """

    n_features: int
    first_index: int = 0
    encoded_columns: Sequence[EncodedColumn] = ()
    strings: str | None = None

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
            group_names=groups if isinstance(groups, list) else None,
            target_names=targets_of(saved),
            grouped="columns" if saved.about.get("grouped") == "columns" else "groups",
        )

    def __getitem__(self, feature: int) -> str:
        return str(feature + self.first_index) if self.names is None else str(self.names[feature])

    def ids(self, wanted: Sequence[str]) -> list[int] | None:
        """Return the ids of features that the user named; None for none."""
        return [self.id(name) for name in wanted] or None

    def members(self, wanted: str) -> list[int]:
        """Return the ids of a feature, or of all features of a column that is selected whole."""
        column = next((one for one in self.encoded_columns if one.name == wanted), None)
        return [self.id(wanted)] if column is None else column.features.tolist()

    @cached_property
    def _places(self) -> dict[str, int]:
        names = () if self.names is None else self.names
        return {str(name): j for j, name in enumerate(names)}

    def find(self, wanted: str) -> list[int]:
        """Return the column of a name or, in the file's own count, of a number; nothing if there is none."""
        if wanted in self._places:
            return [self._places[wanted]]
        feature = int(wanted) - self.first_index if wanted.isdecimal() else -1
        return [feature] if 0 <= feature < self.n_features else []

    def id(self, wanted: str) -> int:
        """Return the id of a feature that the user named."""
        for feature in self.find(wanted):
            return feature
        if self._places and not wanted.isdecimal():
            hint = near_names(wanted, list(self._places), "feature")
            raise InputError(f"there is no feature {wanted!r}; {hint}")
        first, last = self.first_index, self.n_features - 1 + self.first_index
        raise InputError(f"there is no feature {wanted}; they are numbered {first} to {last}")


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

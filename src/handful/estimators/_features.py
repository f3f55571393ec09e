"""What a fitted model has selected: columns, groups of them, or features made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from handful.estimators._labels import class_or_label
from handful.spaces import FeatureSpace, Substrings
from handful.spaces.columnwise.base import ColumnwiseSpace
from handful.spaces.groups.membership import ListedGroups
from handful.spaces.strings.chosen import ChosenStrings, shown
from handful.validation.plural import plural


@dataclass(frozen=True)
class InputNames:
    """The names that a fitted estimator has seen, or else scikit-learn's: x0, x1, ...

    `group_names` are those of the groups that were given, where they have names, `target_names` those of
    several targets, and `grouped` is what groups are called.
    """

    names: Sequence[str] | None
    _: KW_ONLY
    group_names: Sequence[str] | None = None
    target_names: Sequence[str] | None = None
    grouped: str = "groups"

    @classmethod
    def of(cls, estimator: Any, names: Sequence[str] | None = None) -> InputNames:
        """Return the given names, or those of the fit."""
        return cls(getattr(estimator, "feature_names_in_", None) if names is None else names)

    def __getitem__(self, feature: int) -> str:
        """Return the name of a column."""
        return f"x{feature}" if self.names is None else str(self.names[feature])


@dataclass(frozen=True)
class Feature:
    """A selected feature.

    Attributes
    ----------
    id : int
    name : str
    weights : ndarray of shape (n_outputs,)
        Of a feature of several columns, the norms of their weights.
    columns : list of (name, weights), or None
        Where a feature may have several columns: all of them.
    """

    id: int
    name: str
    weights: np.ndarray
    columns: list[tuple[str, np.ndarray]] | None = None

    @property
    def strength(self) -> float:
        """The norm of all weights."""
        return float(np.linalg.norm(self.weights))


@dataclass(frozen=True)
class Group:
    """A selected group and the ids of its features, ascending."""

    id: int
    name: str
    features: tuple[int, ...]


class Selection:
    """A fitted estimator, seen as features and groups with names.

    Parameters
    ----------
    estimator : estimator
    names : InputNames, optional
        Of the columns of the data, and of groups; those that the estimator has seen by default.
    """

    def __init__(self, estimator: Any, names: InputNames | None = None) -> None:
        self.estimator = estimator
        self.names = InputNames.of(estimator) if names is None else names

    @property
    def n_features(self) -> int:
        """How many features there were to select from."""
        return self.estimator.n_features_in_ if self._space is None else self._space.n_features

    @cached_property
    def n_groups(self) -> int | None:
        """How many groups there were; None without groups."""
        if getattr(self.estimator, "groups", None) is None or not hasattr(
            self.estimator, "group_support_"
        ):
            return None
        labels = getattr(self.estimator, "group_labels_", None)
        return len(self._all_groups) if labels is None else len(labels)

    @property
    def headline(self) -> str:
        """How many were selected of how many, or how many atoms were learned."""
        estimator = self.estimator
        if self._has_atoms:
            n_atoms, n_outputs = len(estimator.dictionary_), len(estimator.weights_)
            told = f"{n_atoms} atoms in {estimator.n_features_in_} columns"
            each = f": {n_atoms // n_outputs} for each of {n_outputs} classes"
            return told if n_outputs == 1 else told + each
        told = f"{len(estimator.support_ids_)} of {self.n_features} "
        if hasattr(estimator, "instance_scores"):
            told += f"instances of {estimator.n_features_in_} columns"
            return told + self._of_each_class
        told += "features"
        if self.groups is not None:
            return f"{len(self.groups)} of {self.n_groups} {self.names.grouped}, {told}"
        if self.frequencies is not None:
            told = f"{told}, the substrings of {self.n_strings} strings"
        elif self._space is not None:
            told = f"{told} made from {estimator.n_features_in_} columns"
        return told + self._of_each_class

    @property
    def _of_each_class(self) -> str:
        """How many each class has, where each has a selection of its own."""
        own = getattr(self.estimator, "class_support_ids_", None)
        if own is None:
            return ""
        sizes = sorted({len(ids) for ids in own})
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        counted = plural(len(own), *class_or_label(self.estimator))
        return f": the union of {each} for each of {counted}"

    @property
    def output_names(self) -> list[str]:
        """What each row of the weights is for: a class, a label or a target."""
        n_outputs = len(self.estimator.weights_)
        if self.names.target_names is not None:
            return [str(name) for name in self.names.target_names]
        classes = getattr(self.estimator, "classes_", None)
        if classes is None:
            return [f"target {c}" for c in range(n_outputs)] if n_outputs > 1 else ["target"]
        return [str(label) for label in (classes if n_outputs > 1 else classes[-1:])]

    @property
    def weight_name(self) -> str:
        """What a weight is called: that of a feature of several columns is a norm."""
        has_norms = any(feature.columns is not None for feature in self.features)
        return "norm of weights" if has_norms else "weight"

    def weight_titles(self, most: int) -> list[str]:
        """Return a title for the weights of each output; one for their norm where there are more than ``most``."""
        names = self.output_names
        if len(names) == 1:
            return [self.weight_name]
        if len(names) > most:
            return [f"norm of {len(names)} weights"]
        return [f"{self.weight_name}, {name}" for name in names]

    @cached_property
    def features(self) -> list[Feature]:
        """The selected features as the model lists them; atoms where they were learned."""
        weights = self.estimator.weights_
        if self._has_atoms:
            return [Feature(i, f"atom{i}", own) for i, own in enumerate(weights.T)]
        ids = self.estimator.support_ids_
        if self._space is None:
            return [Feature(int(j), self.names[j], weights[:, i]) for i, j in enumerate(ids)]
        columns = self._space.names(ids, self.names)
        if not isinstance(self._space, ColumnwiseSpace):
            named = zip(ids, columns, weights.T, strict=True)
            return [Feature(int(j), name, values) for j, name, values in named]
        ends = np.cumsum(self._space.widths(ids))
        features = []
        for j, end, width in zip(ids, ends, self._space.widths(ids), strict=True):
            part = slice(end - width, end)
            own = list(zip(columns[part], weights[:, part].T, strict=True))
            norms = np.linalg.norm(weights[:, part], axis=1)
            features.append(Feature(int(j), self.names[j], norms, own))
        return features

    @cached_property
    def groups(self) -> list[Group] | None:
        """The selected groups, in order of ids; None without groups."""
        if self.n_groups is None:
            return None
        chosen = self.estimator.group_support_
        if isinstance(self.estimator.groups, str):  # one-hot groups, told by their names
            labels = self.estimator.group_labels_
            return [
                Group(int(g), str(labels[g]), self._one_hot_members(str(labels[g]))) for g in chosen
            ]
        groups = []
        for g in chosen:
            features = tuple(self._all_groups.features_of(int(g)).tolist())
            groups.append(Group(int(g), self._group_name(int(g), features), features))
        return groups

    @cached_property
    def frequencies(self) -> dict[int, int] | None:
        """In how many training strings each selected substring is; None where features are no strings."""
        if self._strings is None:
            return None
        return dict(zip(self._strings.ids.tolist(), self._strings.frequency.tolist(), strict=True))

    @property
    def n_strings(self) -> int:
        """How many training strings there were."""
        return 0 if self._strings is None else self._strings.n_documents

    def of_string(self, feature: Feature) -> dict[str, Any]:
        """Return what is known of a substring: how frequent it is, and the shortest that means the same."""
        if self._strings is None:
            return {}
        place = int(self._strings.positions(np.array([feature.id]))[0])
        shortest = shown(self._strings.shortest[place])
        return {"frequency": int(self._strings.frequency[place]), "shortest": shortest}

    @property
    def _strings(self) -> ChosenStrings | None:
        return self._space.chosen if isinstance(self._space, Substrings) else None

    @property
    def _has_atoms(self) -> bool:
        """Whether nothing was selected, and atoms were learned."""
        return hasattr(self.estimator, "dictionary_")

    @cached_property
    def _space(self) -> Any:
        """The features that are made from columns; None when they are the columns."""
        if not hasattr(self.estimator, "space_"):
            return None
        space: FeatureSpace = self.estimator.space_
        return space.sized(self.estimator.n_features_in_)

    @cached_property
    def _all_groups(self) -> Any:
        return ListedGroups(self.estimator.groups, self.estimator.n_features_in_)

    def _group_name(self, group: int, features: tuple[int, ...]) -> str:
        labels = getattr(self.estimator, "group_labels_", None)
        if labels is not None:
            return str(labels[group])
        n_given = len(self.estimator.groups)
        if group >= n_given:  # a feature that is in none of the given groups
            return self.names[features[0]]
        named = self.names.group_names
        return str(group) if named is None or len(named) != n_given else str(named[group])

    def _one_hot_members(self, label: str) -> tuple[int, ...]:
        """Return the selected features that belong to a one-hot group: the longest label fits best."""
        chosen = [str(one) for one in self.estimator.group_labels_[self.estimator.group_support_]]

        def fits(one: str, name: str) -> bool:
            return name == one or name.startswith(one.rstrip("'") + "_")

        return tuple(
            feature.id
            for feature in self.features
            if label == max((one for one in chosen if fits(one, feature.name)), key=len, default="")
        )

"""What features, targets and groups are called: by the names in a file, or else by its column numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from handful.estimators._features import InputNames
from handful.io import InputError, ModelFile
from handful.io.columns import near_names
from handful.io.mixed import EncodedColumn
from handful.io.opening import bounded_lines, check_file, open_bytes, quoted_lines, reading
from handful.validation.names import first_repeated
from handful.validation.plural import plural

_SEPARATORS = (",", "\t", ";", "|")
_HEADER = ["feature", "group"]


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


# -------------------------- ``--groups``: features that are selected together, a line for each membership


class Membership(NamedTuple):
    """A feature and a group, as they are written on a line of the file."""

    line: int
    feature: str
    group: str


def read_memberships(path: Path) -> list[Membership]:
    """Read lines ``feature,group``.

    The separator is the first line's: a comma, tab, semicolon or bar, or else white space. A first
    line ``feature,group`` is a header; empty lines are passed over.
    """
    with reading(path), io.TextIOWrapper(open_bytes(check_file(path)), "utf-8-sig") as file:
        rows = [(number, fields) for number, fields in _numbered_fields(path, file) if any(fields)]
    if rows and [field.lower() for field in rows[0][1]] == _HEADER:
        del rows[0]
    if not rows:
        raise InputError(f"{path} holds no line such as feature,group")
    return [_membership(path, number, fields) for number, fields in rows]


def _numbered_fields(path: Path, file: io.TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields without white space around them)."""
    first = next((line for line in bounded_lines(path, file) if line.strip()), "")
    separator = next((mark for mark in _SEPARATORS if mark in first), None)
    file.seek(0)
    if separator is None:
        lines = enumerate(bounded_lines(path, file), start=1)
        yield from ((number, line.split()) for number, line in lines)
        return
    for number, line in quoted_lines(path, file, separator, after_spaces=True):
        try:
            (fields,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
        except csv.Error as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        yield number, [field.strip() for field in fields]


def _membership(path: Path, number: int, fields: list[str]) -> Membership:
    where = f"{path}, line {number}"
    if len(fields) != 2:
        raise InputError(
            f"{where}: expected a feature and a group, found {plural(len(fields), 'field')}"
        )
    for role, field in zip(_HEADER, fields, strict=True):
        if not field:
            raise InputError(f"{where}: the {role} is missing")
    return Membership(number, *fields)


@dataclass(frozen=True)
class NamedGroups:
    """Groups in the order in which the file first names them; other features stand alone."""

    names: tuple[str, ...]
    #: Feature ids as int64, ascending.
    members: list[np.ndarray]
    features: FeatureNames

    def ids(self, wanted: Sequence[str]) -> list[int] | None:
        """Return the numbers of groups that the user named, or of features that stand alone."""
        return [self._id(name) for name in wanted] or None

    def _id(self, wanted: str) -> int:
        if wanted in self.names:
            return self.names.index(wanted)
        noun = self.features.grouped.removesuffix("s")
        listed = np.unique(np.concatenate(self.members))
        try:
            feature = self.features.id(wanted)
        except InputError as error:
            names = () if self.features.names is None else self.features.names
            alone = np.setdiff1d(np.arange(len(names)), listed)
            hint = near_names(wanted, [*self.names, *(str(names[j]) for j in alone)], noun)
            raise InputError(f"there is no {noun} {wanted!r}; {hint}") from error
        before = int(np.searchsorted(listed, feature))
        if before < len(listed) and listed[before] == feature:
            own = next(
                name for name, ids in zip(self.names, self.members, strict=True) if feature in ids
            )
            raise InputError(f"the feature {wanted!r} is in the {noun} {own!r}; name that instead")
        return len(self.names) + feature - before


def groups_of_encoded_columns(features: FeatureNames) -> NamedGroups:
    """Return the groups of columns that are selected whole."""
    names = tuple(column.name for column in features.encoded_columns)
    named = replace(features, group_names=names, grouped="columns")
    return NamedGroups(names, [column.features for column in features.encoded_columns], named)


def read_groups(path: Path, features: FeatureNames) -> NamedGroups:
    """Read the file; its features must be among those of the data."""
    members: dict[str, list[int]] = {}
    for line, feature, group in read_memberships(path):
        try:
            feature_ids = features.members(feature)
        except InputError as error:
            raise InputError(f"{path}, line {line}: {error}") from error
        members.setdefault(group, []).extend(feature_ids)
    listed = {feature for ids in members.values() for feature in ids}
    for column in features.encoded_columns:  # one of which the file says nothing is selected whole
        if listed.isdisjoint(column.features.tolist()):
            members.setdefault(column.name, []).extend(column.features.tolist())
    names = tuple(members)
    ids = [np.unique(np.array(one, dtype=np.int64)) for one in members.values()]
    return NamedGroups(names, ids, replace(features, group_names=names))

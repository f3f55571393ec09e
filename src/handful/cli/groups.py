"""``--groups``: features that are selected together, from a file of memberships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handful.cli.problem import FeatureNames
from handful.io import InputError
from handful.io.columns import near_names
from handful.io.memberships import read_memberships


@dataclass(frozen=True)
class NamedGroups:
    """Groups in the order in which the file first names them; other features stand alone.

    Attributes
    ----------
    names : tuple of str
    members : list of int64 arrays
        Feature ids, ascending.
    features : FeatureNames
    """

    names: tuple[str, ...]
    members: list[np.ndarray]
    features: FeatureNames

    def ids(self, wanted: Sequence[str]) -> list[int] | None:
        """Return the numbers of groups that the user named, or of features that stand alone."""
        return [self._id(name) for name in wanted] or None

    def _id(self, wanted: str) -> int:
        if wanted in self.names:
            return self.names.index(wanted)
        try:
            feature = self.features.id(wanted)
        except InputError as error:
            hint = near_names(wanted, self.names, "group")
            raise InputError(f"there is no group {wanted!r}; {hint}") from error
        listed = np.unique(np.concatenate(self.members))
        before = int(np.searchsorted(listed, feature))
        if before < len(listed) and listed[before] == feature:
            own = next(
                name for name, ids in zip(self.names, self.members, strict=True) if feature in ids
            )
            raise InputError(f"the feature {wanted!r} is in the group {own!r}; name that instead")
        return len(self.names) + feature - before


def family_groups(features: FeatureNames) -> NamedGroups:
    """Return the groups of columns that are selected whole."""
    names = tuple(family.name for family in features.families)
    named = replace(features, group_names=names, grouped="columns")
    return NamedGroups(names, [family.features for family in features.families], named)


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
    for family in features.families:  # a column of which the file says nothing is selected whole
        if listed.isdisjoint(family.features.tolist()):
            members.setdefault(family.name, []).extend(family.features.tolist())
    names = tuple(members)
    ids = [np.unique(np.array(one, dtype=np.int64)) for one in members.values()]
    return NamedGroups(names, ids, replace(features, group_names=names))

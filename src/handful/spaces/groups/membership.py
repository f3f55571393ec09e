"""Which features belong together: groups as the user gives them, and as the scans want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.kernels import groups as kernels
from handful.kernels.top import top_k
from handful.spaces.base import Array, slices_joined
from handful.validation import check_choice, check_in_order
from handful.validation import groups as checks


@dataclass(frozen=True)
class Groups:
    """Groups of columns; they may overlap.

    Attributes
    ----------
    members : ndarray of int64
        Features of group g: ``members[starts[g]:stops[g]]``. In a forest (every two groups nested or
        disjoint) each feature is listed once, in an order that makes every group a slice.
    starts, stops : ndarray of int64
    factors : ndarray of float64
        lambda_g.
    n_given : int
        How many the user gave; those after them are features in none of these, one each.
    labels : list or None
        The user's label of each group, where groups were given as labels.
    walk, ends : ndarray of int64 or None
        Of a forest: groups with parents first, and where each one's subtree ends there.
    ceilings : ndarray or None
        The largest lambda^2 in each of those subtrees.
    """

    members: Array
    starts: Array
    stops: Array
    factors: Array
    n_given: int
    labels: list[Any] | None = None
    walk: Array | None = None
    ends: Array | None = None
    ceilings: Array | None = None

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> Array:
        """How many features each group has."""
        return self.stops - self.starts

    def features_of(self, ids: Array) -> Array:
        """Return the features of some groups, group after group."""
        return np.asarray(self.members[slices_joined(self.starts[ids], self.sizes[ids])])

    def top(self, scores: Array, k: int, exclude: Array) -> tuple[Array, Array]:
        """Find the k best groups from the scores of all features; ``exclude`` is ascending."""
        k = min(k, len(self))
        squared = self.factors**2
        if self.walk is None:
            sums = np.empty(len(self))
            kernels.flat_scores(scores, self.members, self.starts, self.stops, squared, sums)
            return top_k(sums, k, exclude)
        passed = np.zeros(len(self), dtype=np.bool_)
        passed[exclude] = True
        ids, best, _ = kernels.tree_top(
            scores,
            self.members,
            self.starts,
            self.stops,
            squared,
            self.walk,
            self.ends,
            self.ceilings,
            k,
            passed,
        )
        return ids, best


def make_groups(given: Any, weights: Any, n_features: int) -> Groups:
    """Read ``groups`` and ``group_weights``.

    Parameters
    ----------
    given : sequence
        One label per feature, or a list of id arrays. A feature in none of these arrays is a group
        of its own, after the given ones in order of ids.
    weights : None, "size", array or mapping from label to number
        lambda_g: 1, ``1 / sqrt(size)``, or as given for each group (1 for features on their own).
    n_features : int
    """
    labels: list[Any] | None = None
    if _is_list_of_arrays(given):
        members, sizes, n_given = _from_arrays(given, n_features)
    else:
        members, sizes, labels = _from_labels(given, n_features)
        n_given = len(labels)
    factors = _factors(weights, sizes, n_given, labels)
    return _nested(members, sizes, factors, n_given, labels, n_features)


class ListedGroups:
    """The same groups, to look some up: nothing is made that has the size of all features.

    Parameters
    ----------
    given, n_features
        As of :func:`make_groups`.
    """

    def __init__(self, given: Any, n_features: int) -> None:
        self._n_features = n_features
        self._parts: list[Array] | None = None
        if _is_list_of_arrays(given):
            self._parts = _id_arrays(given, n_features)
            self._listed = np.unique(np.concatenate(self._parts))
        else:
            self._members, sizes, _ = _from_labels(given, n_features)
            self._ends = np.cumsum(sizes)

    def __len__(self) -> int:
        if self._parts is None:
            return len(self._ends)
        return len(self._parts) + self._n_features - len(self._listed)

    def features_of(self, group: int) -> Array:
        """Return the features of one group, ascending."""
        if self._parts is None:
            start = self._ends[group - 1] if group else 0
            return np.asarray(self._members[start : self._ends[group]])
        if group < len(self._parts):
            return self._parts[group]
        alone = group - len(self._parts)  # so many features before it are in no group
        unlisted = self._listed - np.arange(len(self._listed))
        return np.array([alone + np.searchsorted(unlisted, alone, side="right")])


def _is_list_of_arrays(given: Any) -> bool:
    if isinstance(given, np.ndarray) and given.dtype != object:
        return given.ndim == 2
    return isinstance(given, (list, tuple)) and any(
        isinstance(group, (list, tuple, set, frozenset, range, np.ndarray)) for group in given
    )


def _from_labels(given: Any, n_features: int) -> tuple[Array, Array, list[Any]]:
    labels = np.asarray(given)
    if labels.ndim != 1 or len(labels) != n_features:
        raise checks.wrong_group_labels(given, n_features)
    checks.check_all_labelled(given, labels)
    try:
        known, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise checks.mixed_group_labels() from error
    members = np.argsort(codes, kind="stable").astype(np.int64)
    return members, np.bincount(codes).astype(np.int64), known.tolist()


def _id_arrays(given: Sequence[Any], n_features: int) -> list[Array]:
    parts = []
    for number, group in enumerate(given):
        ids = np.asarray(sorted(group) if isinstance(group, (set, frozenset)) else group)
        checks.check_group(number, ids, n_features)
        parts.append(np.unique(ids).astype(np.int64))
    return parts


def _from_arrays(given: Sequence[Any], n_features: int) -> tuple[Array, Array, int]:
    parts = _id_arrays(given, n_features)
    alone = np.ones(n_features, dtype=bool)
    for ids in parts:
        alone[ids] = False
    lonely = np.flatnonzero(alone).astype(np.int64)
    sizes = np.array([len(ids) for ids in parts] + [1] * len(lonely), dtype=np.int64)
    return np.concatenate([*parts, lonely]), sizes, len(parts)


def _factors(weights: Any, sizes: Array, n_given: int, labels: list[Any] | None) -> Array:
    if weights is None:
        return np.ones(len(sizes))
    if isinstance(weights, str):
        check_choice("group_weights", weights, [None, "size"])
        return 1.0 / np.sqrt(sizes)
    if isinstance(weights, Mapping):
        weights = checks.by_label("group_weights", weights, labels, "weight")
    check_in_order("group_weights", weights, labels)
    factors = np.ones(len(sizes))
    factors[:n_given] = checks.group_weights(weights, n_given)
    return factors


def _nested(
    members: Array,
    sizes: Array,
    factors: Array,
    n_given: int,
    labels: list[Any] | None,
    n_features: int,
) -> Groups:
    """See whether the groups are a forest, and if so list every feature once."""
    stops = np.cumsum(sizes)
    starts = stops - sizes
    largest_first = np.argsort(-sizes, kind="stable")
    parent, deepest = kernels.parents(starts, stops, members, largest_first, n_features)
    if parent[0] == -2:
        return Groups(members, starts, stops, factors, n_given, labels)
    walk, ends = kernels.walk_order(parent)
    place = np.empty(len(walk), dtype=np.int64)
    place[walk] = np.arange(len(walk))
    keys = place[deepest]
    members = np.argsort(keys, kind="stable").astype(np.int64)
    keys = keys[members]
    starts, stops = np.searchsorted(keys, place), np.searchsorted(keys, ends[place])
    ceilings = kernels.largest_below(factors**2, walk, ends)
    return Groups(members, starts, stops, factors, n_given, labels, walk, ends, ceilings)

"""Groups of features that enter a model together, what they cost, and which lowers the error most for its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.spaces.base import Array, FeatureSpace
from handful.spaces.groups.space import GroupedSpace
from handful.validation.groups import by_label, positive_numbers

ROUNDING = 1e-12


@dataclass(frozen=True)
class FeatureSets:
    """Groups of features that enter a model together; without groups each feature is one.

    Attributes
    ----------
    features : ndarray of int64
        Those of group g: ``features[starts[g]:starts[g + 1]]``. A feature that several groups share
        is listed in each of them.
    starts : ndarray of int64
    """

    features: Array
    starts: Array

    @classmethod
    def of(cls, space: FeatureSpace) -> FeatureSets:
        """Return the features of a space, or its groups."""
        if isinstance(space, GroupedSpace):
            ids = np.arange(len(space.groups))
            starts = np.append(0, np.cumsum(space.groups.sizes))
            return cls(space.groups.features_of(ids), starts)
        return cls(np.arange(space.n_features), np.arange(space.n_features + 1))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def members(self, group: int) -> Array:
        """Return the features of one group."""
        return self.features[self.starts[group] : self.starts[group + 1]]

    def sums(self, per_feature: Array) -> Array:
        """Add up one number per feature for each group."""
        return np.add.reduceat(per_feature[self.features], self.starts[:-1])


@dataclass(frozen=True)
class Prices:
    """What groups cost: a price of their own, and that of each feature which is not in the model.

    Attributes
    ----------
    group_costs : ndarray or None
    feature_costs : ndarray or None
        With neither, a group costs one and price plays no part in the choice.
    max_cost : float
        Infinite where there is no limit.
    """

    group_costs: Array | None = None
    feature_costs: Array | None = None
    max_cost: float = np.inf

    @classmethod
    def of(
        cls, space: FeatureSpace, feature_costs: Any, group_costs: Any, max_cost: float | None
    ) -> Prices:
        """Read what was given for the features of a space, or for its groups and their features."""
        of_features, of_groups = None, None
        groups = space.groups if isinstance(space, GroupedSpace) else None
        if feature_costs is not None:
            columns = space.base if isinstance(space, GroupedSpace) else space
            n_features = columns.n_features
            of_features = positive_numbers("feature_costs", feature_costs, n_features, "feature")
        if group_costs is not None and groups is not None:
            if isinstance(group_costs, Mapping):
                group_costs = by_label("group_costs", group_costs, groups.labels, "cost")
            # A feature in no group is bought by itself.
            of_groups = np.full(len(groups), 1.0 if of_features is None else 0.0)
            n_given = groups.n_given
            of_groups[:n_given] = positive_numbers("group_costs", group_costs, n_given, "group")
        return cls(of_groups, of_features, np.inf if max_cost is None else float(max_cost))

    @property
    def are_given(self) -> bool:
        """Whether price plays a part in the choice."""
        return self.group_costs is not None or self.feature_costs is not None

    def now(self, groups: FeatureSets, is_in: Array) -> Array:
        """Return the price of each group; ``is_in`` tells which features are paid for already."""
        if self.feature_costs is None:
            return np.ones(len(groups)) if self.group_costs is None else self.group_costs
        prices = groups.sums(np.where(is_in, 0.0, self.feature_costs))
        return prices if self.group_costs is None else prices + self.group_costs

    def can_pay(self, cost: Array) -> Array:
        """Tell which costs, paid and new together, are within the budget."""
        return cost <= self.max_cost * (1.0 + ROUNDING)

    def best(self, errors: Array, error: float, prices: Array) -> int:
        """Return the group with the largest fall of the error for its price.

        Without costs, and where no group lowers the error, it is the one that leaves the least error.
        """
        gains = error - errors
        if not self.are_given or not (gains > 0).any():
            return int(errors.argmin())
        return int(np.where(gains > 0, gains / prices, -np.inf).argmax())

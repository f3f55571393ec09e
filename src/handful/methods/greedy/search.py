"""What a greedy selection may choose from, groups of features that enter together, how much of it, and at what prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.methods.problem import Problem
from handful.spaces.base import Array, FeatureSpace
from handful.spaces.columns import is_constant
from handful.spaces.groups.space import GroupedSpace
from handful.validation import check_in_order, check_magnitude, no_signal
from handful.validation import greedy as checks
from handful.validation.groups import by_label, positive_numbers
from handful.validation.warning import warn_user

ROUNDING = 1e-12
#: A ridge model whose columns have squared lengths that sum to less than this share of alpha has less than this share of the
#: weights of least squares, whatever the columns.
MUCH_SHRUNK = 0.01


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
            check_in_order("group_costs", group_costs, groups.labels)
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


@dataclass(frozen=True)
class Options:
    """The settings of a greedy selection, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int
        How many features (groups, if there are any) at most.
    alphas : ndarray
        The best of them is taken, each with a selection of its own.
    output_grid : ndarray or None
        What each output may choose its own alpha from; None leaves all that of the selection.
    n_threads : int
    checkpoint : GreedyCheckpoint or None
        What was saved of this fit.
    """

    n_keep: int
    alphas: Array
    output_grid: Array | None = None
    feature_costs: Any = None
    group_costs: Any = None
    max_cost: float | None = None
    n_threads: int = 1
    checkpoint: Any = None


@dataclass(frozen=True)
class Search:
    """A problem of single columns, and the groups that these are chosen in.

    Attributes
    ----------
    problem : Problem
        Its space is of single columns; ``include`` are groups that enter first, in this order.
    groups : FeatureSets
    may_enter : ndarray of bool
        One for each group.
    n_groups : int
        How many to select.
    prices : Prices
    has_groups : bool
        Whether the user gave groups; otherwise each feature is a group of its own.
    n_threads : int
    """

    problem: Problem
    groups: FeatureSets
    may_enter: Array
    n_groups: int
    prices: Prices
    has_groups: bool
    n_threads: int

    @classmethod
    def of(cls, problem: Problem, options: Options) -> Search:
        """Find out what may enter; ValueError when nothing can."""
        space, include, exclude = problem.space, problem.include, problem.exclude
        columns = space.base if isinstance(space, GroupedSpace) else space
        groups = FeatureSets.of(space)
        squares = squares_of_signal(columns, problem.weight, problem.fit_intercept)
        may_enter = groups.sums((squares > 0).astype(np.int64)) > 0
        may_enter[exclude] = False
        may_enter[include] = False
        if not may_enter.any() and not len(include):
            raise no_signal()
        search = cls(
            replace(problem, space=columns),
            groups,
            may_enter,
            options.n_keep,
            Prices.of(space, options.feature_costs, options.group_costs, options.max_cost),
            columns is not space,
            options.n_threads,
        )
        search._check_budget()
        longest = np.sort(groups.sums(squares))[-options.n_keep :].sum()
        if longest < MUCH_SHRUNK * options.alphas.min():
            warn_user(checks.shrunk_to_nothing(float(options.alphas.min()), float(longest)))
        return search

    def _check_budget(self) -> None:
        """Raise when the budget does not pay for include, or for anything at all."""
        prices, groups, include = self.prices, self.groups, self.problem.include
        is_in = np.zeros(self.problem.space.n_features, dtype=bool)
        cost = 0.0
        for group in include:
            cost += float(prices.now(groups, is_in)[group])
            is_in[groups.members(group)] = True
        if not prices.can_pay(np.array(cost)):
            raise checks.include_too_dear(prices.max_cost, cost)
        cheapest = prices.now(groups, is_in)[self.may_enter].min(initial=np.inf)
        if not len(include) and not prices.can_pay(cheapest):
            what = "group" if self.has_groups else "feature"
            raise checks.buys_nothing(prices.max_cost, float(cheapest), what)


def squares_of_signal(space: FeatureSpace, weight: Array, fit_intercept: bool) -> Array:
    """Return the squared lengths of columns, about their means beside an intercept; 0 for those that are constant there."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares, centred_squares = space.centred_squares(weight, centred=fit_intercept)
        is_useful = ~is_constant(centred_squares, squares) | ~np.isfinite(squares)
    check_magnitude(squares[is_useful])
    return np.where(is_useful, centred_squares, 0.0)

"""What a greedy selection may choose from, how much of it, and at what prices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.methods.greedy.costs import FeatureSets, Prices
from handful.methods.problem import Problem
from handful.spaces.base import Array, FeatureSpace, is_constant
from handful.spaces.groups.space import GroupedSpace
from handful.validation import check_magnitude, no_signal
from handful.validation import greedy as checks
from handful.validation.warning import warn_user

#: A ridge model whose columns have squared lengths that sum to less than this share of alpha has less than this share of the
#: weights of least squares, whatever the columns.
MUCH_SHRUNK = 0.01


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

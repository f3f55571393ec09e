"""What is tried, numbers of features and other parameters of a grid, and how many features are settled whatever the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import ParameterGrid

from handful import validation
from handful.estimators._spaces import wanted_ids
from handful.model_selection._folds import Split
from handful.model_selection._samples import Samples, as_matrix, passed_to_selector
from handful.model_selection._scoring import check_response
from handful.model_selection._wrapped import (
    count_parameter,
    judged,
    keeps_columns,
    pass_columns,
    selector_in,
    steps_before,
    takes_strings,
)
from handful.spaces.bags import Bags
from handful.spaces.groups.membership import ListedGroups
from handful.spaces.groups.one_hot import one_hot_groups
from handful.spaces.resolve import names_of_table, resolve_space, source_of
from handful.validation import model_selection as checks
from handful.validation.counts import n_named

GROWTH = 1.6
ROWS_PER_FEATURE = 2  # with fewer rows for each feature a model fits any labels
MANY = 2**62
MOST = 200  # more is no handful; a list says otherwise


def numbers_to_try(
    k: Any,
    estimator: Any,
    samples: Samples,
    splits: Sequence[Split],
    points: Sequence[Mapping[str, Any]] = ({},),
) -> list[int]:
    """Return the numbers of features, rising; of shares those of the columns, or groups, there are.

    "auto" is 1, 2, 3, 5, 8, 13, 21, 34, ...: each 1.6 times the one before, up to half of the rows that a
    fold trains on, the features that the selector finds in every fold, and 200. Numbers below that of
    ``include`` are left out.
    """
    selector = selector_in(estimator)
    if not (isinstance(k, str) and k == "auto"):
        is_given = pass_columns(steps_before(estimator))
        seen = samples if is_given else passed_to_selector(estimator, samples)
        is_of_bags = isinstance(seen.X, Bags)
        # Of features that are made of columns the selector itself knows how many there are.
        if getattr(selector, "space", None) is not None and not is_of_bags:
            return checks.numbers_of_features(k, MANY, None)
        n_choices = _n_choices(selector, seen)
        n_there = n_choices + n_named(getattr(selector, "exclude", None))
        return checks.numbers_of_features(k, n_choices, None if is_of_bags else n_there)
    n_choices = min(
        _n_in_every_fold(variant, samples, splits) for variant in _variants(estimator, points)
    )
    if isinstance(selector, SequentialFeatureSelector):
        n_choices -= 1  # it refuses to take all of them
    n_train = min(len(train) for train, _ in splits)
    least = max(1, n_named(getattr(selector, "include", None)))
    largest = max(1, least, min(n_choices, n_train // ROWS_PER_FEATURE, MOST))
    return [k for k in geometric(largest) if k >= least] or [largest]


def geometric(largest: int) -> list[int]:
    """Return whole numbers from 1, each about 1.6 times the one before.

    Examples
    --------
    >>> geometric(40)
    [1, 2, 3, 5, 8, 13, 21, 34]
    """
    ks = [1]
    while (k := max(ks[-1] + 1, round(GROWTH * ks[-1]))) <= largest:
        ks.append(k)
    return ks


def _variants(estimator: Any, points: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the estimator with each setting that a grid has of steps other than the selector."""
    step = count_parameter(estimator).rpartition("__")[0]
    settings = {}
    for point in points:
        others = {name: value for name, value in point.items() if not name.startswith(f"{step}__")}
        settings[tuple((name, id(value)) for name, value in others.items())] = others
    return [
        clone(estimator).set_params(**clone(others, safe=False)) for others in settings.values()
    ]


def _n_in_every_fold(estimator: Any, samples: Samples, splits: Sequence[Split]) -> int:
    """Return how many the selector can choose from at least: on all rows, and on those of each fold."""
    selector = selector_in(estimator)
    by_rows = isinstance(getattr(selector, "groups", None), str)
    if not by_rows and all(keeps_columns(step) for step in steps_before(estimator)):
        return _n_choices(selector, samples)
    parts = [samples, *(samples.take(train) for train, _ in splits)]
    return min(_n_choices(selector, passed_to_selector(estimator, part)) for part in parts)


def _n_choices(selector: Any, samples: Samples) -> int:
    """Return how many columns, groups or instances there are to choose from."""
    groups, X = getattr(selector, "groups", None), samples.X
    if not isinstance(X, Bags) and hasattr(X, "shape"):
        checks.check_table(X.shape)
    if isinstance(X, Bags):
        n_choices = X.n_instances
    elif isinstance(groups, str):
        n_choices = _n_one_hot_groups(X)
    elif groups is None:
        n_choices = X.shape[1] if hasattr(X, "shape") else len(X[0])
    elif len(groups) and np.ndim(groups[0]) == 0:
        n_choices = len(np.unique(np.asarray(groups)))
    else:
        n_choices = len(ListedGroups(groups, X.shape[1]))
    return int(n_choices) - n_named(getattr(selector, "exclude", None))


def _n_one_hot_groups(X: Any) -> int:
    """Return how many columns and one-hot groups a table has; without names the fit says what is wrong."""
    away = source_of(X)
    names = names_of_table(X) if away is None else away.feature_names
    if names is None:
        return int(np.shape(X)[1]) if away is None else away.shape[1]
    space = resolve_space(as_matrix(X) if away is None else away)
    return len(set(one_hot_groups(space, [str(name) for name in names])))


def points_of_grid(param_grid: Any, estimator: Any, scorer: Any) -> list[dict[str, Any]]:
    """Return every set of parameters, one that is empty without a grid.

    ValueError where a set says how many features, or gives a model that the scorer cannot ask.
    """
    points = [dict(point) for point in ParameterGrid(param_grid or {})]
    count = count_parameter(estimator)
    for point in points:
        if count in point:
            raise checks.number_in_grid(count)
        variant = clone(estimator).set_params(**clone(point, safe=False))
        check_response(judged(variant), scorer)
    return points


def n_settled(estimator: Any, samples: Samples, names: Any) -> tuple[int, int]:
    """Return how many features, or groups of them, are included and how many excluded.

    ``names`` are those of the columns; features that are made of columns have theirs from these.
    """
    selector = selector_in(estimator)
    include, exclude = getattr(selector, "include", None), getattr(selector, "exclude", None)
    if include is None and exclude is None:
        return 0, 0
    if getattr(selector, "groups", None) is not None:
        return n_named(include), n_named(exclude)
    if getattr(selector, "space", None) is not None:
        space = selector.space.on(as_matrix(samples.X))
        named = () if takes_strings(estimator) else names
        must, must_not = wanted_ids(include, exclude, space, named, are_made=True)
    else:
        n_columns = samples.X.shape[1]
        must = validation.feature_ids("include", include, n_columns, names)
        must_not = validation.feature_ids("exclude", exclude, n_columns, names)
    return len(must), len(must_not)

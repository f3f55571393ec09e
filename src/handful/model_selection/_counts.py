"""Which numbers of features are tried: those given, or a grid as far as samples and features allow."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector

from handful.model_selection._wrapped import Samples, seen_by_selector, selector_in
from handful.spaces.bags import Bags
from handful.spaces.groups.membership import ListedGroups
from handful.validation import model_selection as checks

GROWTH = 1.6
ROWS_PER_FEATURE = 2  # with fewer rows for each feature a model fits any labels
MANY = 2**62
MOST = 200  # more is no handful; a list says otherwise


def numbers_to_try(k: Any, estimator: Any, samples: Samples, n_train: int) -> list[int]:
    """Return the numbers of features, rising.

    "auto" is 1, 2, 3, 5, 8, 13, 21, 34, ...: each 1.6 times the one before, up to half of the rows that a
    fold trains on, the features there are, and 200. Numbers below that of ``include`` are left out.
    """
    selector = selector_in(estimator)
    seen = seen_by_selector(estimator, samples)
    n_choices = _n_choices(selector, seen)
    is_made = getattr(selector, "space", None) is not None and not isinstance(seen.X, Bags)
    if not (isinstance(k, str) and k == "auto"):
        # Of features that are made of columns the selector itself knows how many there are.
        return checks.numbers_of_features(k, MANY if is_made else n_choices)
    if isinstance(selector, SequentialFeatureSelector):
        n_choices -= 1  # it refuses to take all of them
    least = max(1, _n_named(getattr(selector, "include", None)))
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


def _n_choices(selector: Any, samples: Samples) -> int:
    """Return how many columns, groups or instances there are to choose from."""
    groups, X = getattr(selector, "groups", None), samples.X
    if not isinstance(X, Bags) and hasattr(X, "shape"):
        checks.check_table(X.shape)
    if isinstance(X, Bags):
        n_choices = X.n_instances
    elif isinstance(groups, str) or groups is None:
        n_choices = X.shape[1] if hasattr(X, "shape") else len(X[0])
    elif len(groups) and np.ndim(groups[0]) == 0:
        n_choices = len(np.unique(np.asarray(groups)))
    else:
        n_choices = len(ListedGroups(groups, X.shape[1]))
    return int(n_choices) - _n_named(getattr(selector, "exclude", None))


def _n_named(given: Any) -> int:
    """Return how many features a list of ids or names, or a mask, names."""
    if given is None:
        return 0
    values = np.atleast_1d(np.asarray(given))
    return int(values.sum()) if values.dtype == bool else len(values)

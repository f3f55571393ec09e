"""Means, medians and shares of rows that do not all count alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray
#: So many standard deviations of a normal variable hold 95 %.
Z = 1.959964


def mean(values: Array, weight: Array | None) -> Any:
    """Return the means over rows."""
    return np.average(values, axis=0, weights=weight)


def median(values: Array, weight: Array | None) -> Array:
    """Return for each column the least value that half of the weight is at or below.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [9.0]])
    >>> median(values, None).tolist(), median(values, np.array([1.0, 1.0, 3.0])).tolist()
    ([2.0], [9.0])
    """
    if weight is None:
        return np.asarray(np.median(values, axis=0))
    found = []
    for column in values.T:
        order = np.argsort(column, kind="stable")
        reached = np.cumsum(weight[order])
        found.append(column[order[np.searchsorted(reached, reached[-1] / 2)]])
    return np.array(found)


def proportion(is_so: Array, weight: Array) -> tuple[float, float, float, float]:
    """Return a weighted share, its 95 % interval after Wilson, and how many equal rows would be as sure.

    The number is ``(sum w)^2 / sum w^2``.
    """
    share = float(mean(is_so, weight))
    n = float(weight.sum() ** 2 / (weight**2).sum())
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n))
    return share, max(0.0, middle - half), min(1.0, middle + half), n

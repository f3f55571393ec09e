"""Statistics over tasks: ranks, wins, losses, and which differences could be chance.

Scores are matrices of tasks by methods, higher is better, NaN where a method has no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[Any]
SAME = 1e-9  # scores closer than this are equal
LEVEL = 0.05


def ranks(scores: Array) -> Array:
    """Rank the methods of each task, 1 the best; equal scores share the mean of their places.

    A method without an answer is last; several share the last places.

    >>> ranks(np.array([[0.9, 0.8, 0.9], [np.nan, 0.7, np.nan]]))
    array([[1.5, 3. , 1.5],
           [2.5, 1. , 2.5]])
    """
    filled = np.where(np.isnan(scores), -np.inf, np.round(scores / SAME) * SAME)
    return np.asarray(stats.rankdata(-filled, axis=1))


def wins(scores: Array) -> Array:
    """Count the tasks on which each method has the best score; all of those that share it."""
    best = np.nanmax(scores, axis=1, keepdims=True)
    return np.asarray((scores >= best - SAME).sum(axis=0))


def friedman(scores: Array) -> float:
    """Return the probability that ranks differ so much by chance (Friedman's test, with ties)."""
    if scores.shape[1] < 3 or len(scores) < 2:
        return float("nan")
    return float(stats.friedmanchisquare(*ranks(scores).T).pvalue)


def critical_difference(n_methods: int, n_tasks: int, level: float = LEVEL) -> float:
    """Return the difference of mean ranks that is significant by Nemenyi's test.

    >>> round(critical_difference(5, 30), 3)  # Demsar 2006, Table 5: q = 2.728
    1.114
    """
    q = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_tasks)))


def holm(p_values: list[float]) -> list[float]:
    """Adjust probabilities for their number by Holm's steps; NaN stays and is not counted.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(p))
    adjusted, largest = np.full(len(p), np.nan), 0.0
    for step, place in enumerate(known[np.argsort(p[known], kind="stable")]):
        largest = max(largest, min(1.0, (len(known) - step) * p[place]))
        adjusted[place] = largest
    return [float(value) for value in adjusted]


@dataclass(frozen=True)
class Comparison:
    """Two methods on the pairs both have: mean difference, how many for and against, probability."""

    mean: float
    better: int
    worse: int
    p: float


def signed_rank(ours: Array, other: Array) -> Comparison:
    """Wilcoxon's signed-rank test, two-sided, on what both have; ties are split between the sides."""
    both = ~np.isnan(ours) & ~np.isnan(other)
    gains = np.round((ours[both] - other[both]) / SAME) * SAME
    if not np.any(gains):
        return Comparison(0.0, 0, 0, float("nan"))
    p = float(stats.wilcoxon(gains, zero_method="zsplit").pvalue)
    return Comparison(float(gains.mean()), int((gains > 0).sum()), int((gains < 0).sum()), p)

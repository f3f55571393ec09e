"""Hessians of the loss on a few columns, for columns that can make ``X' D X`` at little cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.losses.base import column_sums

Array = np.ndarray
MOST_COLUMNS, MOST_OUTPUTS = 2000, 4
SMALL_COLUMNS, SMALL_ENTRIES = 400, 200_000


def makes_hessians(columns: Any, n_outputs: int) -> bool:
    """Whether Newton's method may have the Hessian itself."""
    few = columns.shape[1] <= MOST_COLUMNS and n_outputs <= MOST_OUTPUTS
    return few and hasattr(columns, "weighted_gram")


def is_small(columns: Any, n_outputs: int) -> bool:
    """Whether the Hessian of columns in memory costs less than a few steps that do without it."""
    few = columns.shape[1] <= SMALL_COLUMNS and n_outputs <= MOST_OUTPUTS
    return few and isinstance(columns, np.ndarray) and columns.size <= SMALL_ENTRIES


def reduced_hessians(columns: Any, bend: Array, fit_intercept: bool) -> tuple[Array, Array]:
    """Return ``X' (D - D11'D / 1'D1) X`` for each output, and ``X' D 1 / 1'D1``.

    The subtracted term is the Schur complement of the intercept; the second is how the best intercept
    follows the weights.
    """
    totals = column_sums(bend)
    hessians, shifts = [], []
    for k in range(bend.shape[1]):
        gram, sums = _weighted_gram(columns, bend[:, k])
        shift = sums / totals[k] if fit_intercept and totals[k] > 0 else np.zeros_like(sums)
        hessians.append(gram - np.outer(shift, sums))
        shifts.append(shift)
    return np.array(hessians), np.array(shifts)


def _weighted_gram(columns: Any, weight: Array) -> tuple[Array, Array]:
    """Return ``X' diag(weight) X`` and ``X' weight``."""
    if hasattr(columns, "weighted_gram"):
        return columns.weighted_gram(weight)
    weighted = weight[:, None] * columns
    return columns.T @ weighted, weighted.sum(axis=0)

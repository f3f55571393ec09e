"""Hessians of the loss on a few columns, for columns that can make ``X' D X`` at little cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.losses.base import column_sums

Array = np.ndarray
MOST_COLUMNS, MOST_OUTPUTS = 2000, 4


def makes_hessians(columns: Any, n_outputs: int) -> bool:
    """Whether Newton's method may have the Hessian itself."""
    few = columns.shape[1] <= MOST_COLUMNS and n_outputs <= MOST_OUTPUTS
    return few and hasattr(columns, "weighted_gram")


def reduced_hessians(columns: Any, bend: Array, fit_intercept: bool) -> tuple[Array, Array]:
    """Return ``X' (D - D11'D / 1'D1) X`` for each output, and ``X' D 1 / 1'D1``.

    The subtracted term is the Schur complement of the intercept; the second is how the best intercept
    follows the weights.
    """
    totals = column_sums(bend)
    hessians, shifts = [], []
    for k in range(bend.shape[1]):
        gram, sums = columns.weighted_gram(bend[:, k])
        shift = sums / totals[k] if fit_intercept and totals[k] > 0 else np.zeros_like(sums)
        hessians.append(gram - np.outer(shift, sums))
        shifts.append(shift)
    return np.array(hessians), np.array(shifts)

"""Folds that depend on nothing but the data: not on the order of rows or columns, nor on copies."""

from __future__ import annotations

import numpy as np

from handful.methods.problem import Problem
from handful.spaces.base import Array

N_FOLDS = 5
SIGNATURE_FEATURES, AT_ONCE = 1000, 50
SAME = 1e-9  # relative difference of what rounding makes of equal rows


def number_rows(problem: Problem, a: Array) -> Array:
    """Return the place of each row in an order of all, the same for equal rows, -1 for rows without weight.

    Rows are put in order by their target and, among equal targets, by what one step along the gradient
    predicts for them, ``X X'a`` with X the features that score best.

    Parameters
    ----------
    problem : Problem
    a : ndarray of shape (n_samples, n_outputs)
        The dual point with all weights at zero.
    """
    ids, _ = problem.space.top(a, min(SIGNATURE_FEATURES, problem.space.n_features))
    steps = np.zeros_like(a)
    for start in range(0, len(ids), AT_ONCE):  # all of them could be as large as X
        columns = problem.space.columns(ids[start : start + AT_ONCE])
        steps += np.asarray(columns @ np.asarray(columns.T @ a))
    return in_order(steps, problem.y, problem.weight)


def in_order(steps: Array, y: Array, weight: Array) -> Array:
    """Number the rows by target and then by the steps."""
    keys = [*np.rint(steps.T / (SAME * max(np.abs(steps).max(), 1e-300))), *y.T]
    numbers = np.full(len(y), -1)
    there = np.flatnonzero(weight > 0)
    order = there[np.lexsort([key[there] for key in keys])]
    is_new = np.zeros(len(order), dtype=bool)
    for key in keys:
        is_new[1:] |= np.abs(np.diff(key[order])) > 1
    numbers[order] = np.cumsum(is_new)
    return numbers


def deal_out(numbers: Array) -> Array:
    """Return the fold of each row, -1 for rows without weight: rows in order are dealt out in turn.

    So every fold has its share of each class, or of low and high targets, and of easy and hard rows. A row that is
    there twice is in one fold, as it would be with weight two.
    """
    return np.where(numbers < 0, -1, numbers % N_FOLDS)

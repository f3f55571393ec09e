"""Folds that depend on nothing but the data: not on the order of rows or columns, nor on copies; and what predictions of rows left out are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.methods.fgm.solvers import Target
from handful.methods.problem import Problem
from handful.sizes import slices
from handful.spaces.base import Array

N_FOLDS = 5
SIGNATURE_FEATURES, AT_ONCE = 1000, 50
SAME = 1e-9  # relative difference of what rounding makes of equal rows
CLEARLY = 1.0  # standard errors of the difference between two models


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
    for some in slices(len(ids), AT_ONCE):  # all of them could be as large as X
        columns = problem.space.columns(ids[some])
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


@dataclass(frozen=True)
class Judge:
    """What predictions of unseen rows are worth under the measures of some outputs, in the mean over them.

    Attributes
    ----------
    targets : sequence of Target
        Each of one output.
    shares : ndarray of shape (n_outputs,)
        What each output counts.
    weight : ndarray of shape (n_samples,)
    folds : ndarray of shape (n_samples,)
        The fold of each row, -1 for rows that are not there.
    """

    targets: Sequence[Target]
    shares: Array
    weight: Array
    folds: Array

    def error(self, unseen: Sequence[Array], without: int | None = None) -> float:
        """The error of predictions, (n_samples, 1) for each output, on all rows or without those of one fold."""
        rows = (self.folds >= 0) & (self.folds != (-1 if without is None else without))
        weight = self.weight[rows, None]
        errors = [
            float(target.loss.error(target.y[rows], one[rows], weight))
            for target, one in zip(self.targets, unseen, strict=True)
        ]
        return float(np.average(errors, weights=self.shares)) / float(weight.sum())

    def is_clearly_better(self, one: Sequence[Array], other: Sequence[Array]) -> bool:
        """Whether the error is lower by some standard errors of the difference, by the jackknife over folds."""

        def gain(without: int | None = None) -> float:
            return self.error(other, without) - self.error(one, without)

        parts = np.array([gain(fold) for fold in range(N_FOLDS)])
        spread = np.sqrt((N_FOLDS - 1) * parts.var())
        return bool(gain() > CLEARLY * spread)

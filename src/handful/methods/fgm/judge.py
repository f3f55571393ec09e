"""Which of two models is better for rows that neither has seen, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.methods.fgm.folds import N_FOLDS
from handful.methods.fgm.solvers import Target
from handful.spaces.base import Array

CLEARLY = 1.0  # standard errors of the difference


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

"""The rows and what is known of their columns before any weight is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handful.methods.problem import Problem
from handful.methods.reweighted.remaining_columns import RemainingColumns, moments
from handful.spaces.base import NO_IDS, Array, ExplicitSpace, Unit, inverse_norms
from handful.validation import check_magnitude, no_signal


@dataclass(frozen=True)
class Data:
    """Rows of positive weight, and what is known of the columns.

    Attributes
    ----------
    space : ExplicitSpace
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    means, deviations : ndarray of shape (n_features,)
    factors : ndarray of shape (n_features,)
        What each column is multiplied by.
    exclude : ndarray of int64
        Columns that are left out, as if X did not have them.
    """

    space: ExplicitSpace
    Y: Array
    weight: Array
    means: Array
    deviations: Array
    factors: Array
    exclude: Array = field(default_factory=lambda: NO_IDS)

    @classmethod
    def of(cls, problem: Problem, unit: Unit | None) -> Data:
        """Measure the columns; ValueError when none varies."""
        space, weight = problem.space, problem.weight
        means, deviations = moments(space, weight)
        deviations[problem.exclude] = 0.0  # what does not vary is left out
        varying = deviations[~(deviations <= 0)]
        if not len(varying):
            raise no_signal()
        check_magnitude(np.square(varying))
        spread = np.ptp(problem.y, axis=0)
        check_magnitude(np.sqrt(spread[spread > 0]))  # residuals are squared, and only once
        factors = np.ones(space.n_features)
        if unit is not None:
            about = np.square(deviations)
            squares = about if unit == "std" else weight.sum() * (about + np.square(means))
            factors = inverse_norms(squares)
        return cls(space, problem.y, weight, means, deviations, factors, problem.exclude)

    @property
    def sizes(self) -> Array:
        """Deviations of the columns after scaling."""
        return self.deviations * self.factors

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer samples than columns that vary, and an intercept."""
        return bool(self.space.n_samples <= np.count_nonzero(self.deviations) + 1)

    def columns(self, *, constant: bool, ids: Array | None = None) -> RemainingColumns:
        """Return the columns that vary; with ``constant`` a column of ones is one of them."""
        ids = np.flatnonzero(self.deviations > 0) if ids is None else ids
        means = None if constant else self.means
        return RemainingColumns(self.space, self.factors, ids, means=means, constant=constant)

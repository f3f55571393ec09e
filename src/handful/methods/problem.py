"""What is to be selected from, and for what: the same for every way of selecting."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.methods.fgm.solvers.base import Target
from handful.spaces.base import NO_IDS, Array, FeatureSpace


@dataclass(frozen=True)
class Problem:
    """Features, targets and a loss.

    Attributes
    ----------
    space : FeatureSpace
    y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
        Of the samples; zero means the row is not there.
    loss : Loss or Multivariate
    fit_intercept : bool
    include, exclude : ndarray of int64
        Must-keep and must-not features.
    """

    space: FeatureSpace
    y: Array
    weight: Array
    loss: Any
    fit_intercept: bool = True
    include: Array = field(default_factory=lambda: NO_IDS)
    exclude: Array = field(default_factory=lambda: NO_IDS)

    def target(self, C: float) -> Target:
        """What predictions are judged by, with C times the sample weights."""
        has_intercept = self.fit_intercept and getattr(self.loss, "has_threshold", True)
        # A measure has its own use for the sample weights.
        weight = self.weight[:, None] if self.loss.is_smooth else np.ones((len(self.y), 1))
        return Target(self.loss, self.y, C * weight, has_intercept)

    def without(self, rows: Array) -> Problem:
        """Return the problem as if some rows were not there; predictions for them can be had."""
        weight = np.where(rows, 0.0, self.weight)
        loss = self.loss if self.loss.is_smooth else self.loss.without(rows)
        return replace(self, weight=weight, loss=loss)

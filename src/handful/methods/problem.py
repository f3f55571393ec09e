"""What every method gets and what it gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from handful.history import History
from handful.losses.base import Loss
from handful.spaces.base import NO_IDS, Array
from handful.status import Status


@dataclass(frozen=True)
class Problem:
    """Features, targets and a loss.

    Attributes
    ----------
    space : FeatureSpace
        Of columns for the lasso and for reweighting, distances to bags for dictionaries.
    y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
        Of the samples; zero means the row is not there.
    loss : Loss
    fit_intercept : bool
    include, exclude : ndarray of int64
        Must-have and must-not features.
    """

    space: Any
    y: Array
    weight: Array
    loss: Loss
    fit_intercept: bool = True
    include: Array = field(default_factory=lambda: NO_IDS)
    exclude: Array = field(default_factory=lambda: NO_IDS)

    @property
    def has_intercept(self) -> bool:
        """Whether there is an intercept to fit: rankings do not mind one."""
        return bool(self.fit_intercept and self.loss.has_threshold)

    def of_outputs(self) -> Iterator[Problem]:
        """Yield the problem of each output by itself: one class against the rest."""
        for signs in np.ascontiguousarray(self.y.T):
            yield replace(self, y=signs[:, None], loss=self.loss.of_samples(signs, self.weight))

    def without(self, rows: Array) -> Problem:
        """Return the problem as if some rows were not there; predictions for them can be had."""
        weight = np.where(rows, 0.0, self.weight)
        return replace(self, weight=weight, loss=self.loss.without(rows))


@dataclass(frozen=True)
class Selected:
    """What a method found.

    Attributes
    ----------
    ids : ndarray of int64
        The selected features, ascending.
    weights : ndarray of shape (n_outputs, n_columns)
        Of their columns.
    intercept : ndarray of shape (n_outputs,)
    objective, bound : float
        No selection has an objective below the bound.
    history : History
    status : Status
    more : mapping
        What else the method tells, by the names of fitted attributes.
    """

    ids: Array
    weights: Array
    intercept: Array
    objective: float
    bound: float
    history: History
    status: Status
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """How far from the best the objective can be."""
        return max(self.objective - self.bound, 0.0)


class Monitor(Protocol):
    """Is called after every round; true when the fit should end there."""

    @property
    def interrupted(self) -> bool:
        """Whether the fit is to end."""

    def __call__(self, state: Any) -> bool:
        """Look at where the fit stands."""

    def tell(self, news: object) -> None:
        """Pass on what no checkpoint needs, if lines are wanted."""

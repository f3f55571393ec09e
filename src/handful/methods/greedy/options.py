"""The settings of a greedy selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handful.spaces.base import Array


@dataclass(frozen=True)
class Options:
    """The settings, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int
        How many features (groups, if there are any) at most.
    alphas : ndarray
        The best of them is taken, each with a selection of its own.
    output_grid : ndarray or None
        What each output may choose its own alpha from; None leaves all that of the selection.
    n_threads : int
    checkpoint : GreedyCheckpoint or None
        What was saved of this fit.
    """

    n_keep: int
    alphas: Array
    output_grid: Array | None = None
    feature_costs: Any = None
    group_costs: Any = None
    max_cost: float | None = None
    n_threads: int = 1
    checkpoint: Any = None

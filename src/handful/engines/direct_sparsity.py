"""Rows of weights that vanish: reweighted quadratic problems, one after the other.

``min sum_i |W_i|^p + loss(X W)``, 0 < p <= 1. Where ``s_i = |W_i|^(2-p)`` is known from the last step,
``p/2 sum_i |W_i|^2 / s_i`` lies above the first term and touches it there, so minimising it with the loss
lowers the objective. What the loss is, and how such a step is solved, is for a :class:`Fitting` to say.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from handful.engines.live_columns import LiveColumns
from handful.history import History, Round
from handful.spaces.base import NO_IDS, Array
from handful.status import Status

#: Rows below this share of the largest have vanished.
VANISHED = 1e-9
#: A rise of the objective by less than this share is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Step:
    """The solution of one reweighted problem.

    Attributes
    ----------
    weights : ndarray of shape (n_live, n_outputs)
        The constant's last, where it is one of the columns.
    intercept : ndarray of shape (n_outputs,)
    loss : float
        What the objective has beside the rows.
    """

    weights: Array
    intercept: Array
    loss: float = 0.0


class Fitting(Protocol):
    """Solves the problem for given s."""

    columns: LiveColumns

    def solve(self, s: Array, last: Step | None) -> Step:
        """Minimise ``p/2 sum_i |W_i|^2 / s_i + loss``, from where the last step ended."""


@dataclass
class Reweighting:
    """Where the loop stands.

    Attributes
    ----------
    columns : LiveColumns
        Those that have not vanished.
    step : Step
        Weights of these.
    left : list of (ids, norms)
        What vanished, earliest first.
    objectives : list of float
    history : History
    """

    columns: LiveColumns
    step: Step
    norms: Array
    left: list[tuple[Array, Array]] = field(default_factory=list)
    objectives: list[float] = field(default_factory=list)
    history: History = field(default_factory=History)

    def drop(self, sizes: Array, phase_share: float = VANISHED) -> None:
        """Let rows go whose part of the predictions is negligible; ``sizes`` are those of columns."""
        parts = self.norms * np.append(sizes[self.columns.ids], [1.0] * self.columns.constant)
        kept = parts > phase_share * parts.max(initial=0.0)
        gone = ~kept[: len(self.columns.ids)]
        if gone.any():
            self.left.append((self.columns.ids[gone], self.norms[: len(gone)][gone]))
        self.columns.keep(kept)
        self.norms = self.norms[kept]
        self.step = Step(self.step.weights[kept], self.step.intercept, self.step.loss)

    def scores(self, n_features: int) -> Array:
        """Return the norms of rows; those that vanished rank below by when they did.

        Their scores lie between 0 and ``VANISHED**2`` of the largest, one above the other; a row
        that never had any weight has 0.
        """
        scores = np.zeros(n_features)
        scores[self.columns.ids] = self.norms[: len(self.columns.ids)]
        ids = [group[np.argsort(norms, kind="stable")] for group, norms in self.left]
        never = [np.count_nonzero(norms <= 0.0) for _, norms in self.left]
        ranked = np.concatenate([NO_IDS, *(group[n:] for group, n in zip(ids, never, strict=True))])
        top = VANISHED**2 * self.norms.max(initial=0.0)
        scores[ranked] = top * np.arange(1, len(ranked) + 1) / (len(ranked) + 1)
        return scores


def reweight(
    fitting: Fitting,
    p: float,
    sizes: Array,
    max_iter: int,
    tol: float,
    after_round: Callable[[Reweighting], bool],
    penalty: float = 1.0,
) -> tuple[Reweighting, Status]:
    """Lower ``sum_i |W_i|^p + loss`` until a step brings less than ``tol`` of it.

    Parameters
    ----------
    fitting : Fitting
    p : float
    sizes : ndarray of shape (n_features,)
        Deviation of each column: what a weight of 1 means.
    max_iter, tol
    after_round : callable
        Called after every step; returns True to stop there.
    penalty : float
        Factor of the sum over rows; the fitting knows it too.
    """
    started = time.perf_counter()
    columns = fitting.columns
    state = Reweighting(columns, Step(np.empty((0, 0)), np.empty(0)), np.ones(len(columns)))
    while len(state.objectives) < max_iter:
        with np.errstate(under="ignore"):
            step = fitting.solve(state.norms ** (2 - p), state.step if state.objectives else None)
            norms = np.sqrt(np.einsum("ik,ik->i", step.weights, step.weights))
            objective = penalty * float((norms[norms > 0] ** p).sum()) + step.loss
        before = state.objectives[-1] if state.objectives else np.inf
        if not objective <= before:
            return state, Status.SETTLED  # all that is left is rounding
        state.step, state.norms = step, norms
        state.objectives.append(objective)
        state.drop(sizes)
        seconds = time.perf_counter() - started
        record = Round(
            len(state.history) + 1, "reweight", len(columns.ids), objective, -np.inf, seconds
        )
        state.history.append(record)
        if after_round(state):
            return state, Status.INTERRUPTED
        if before - objective <= tol * objective:
            return state, Status.SETTLED
    return state, Status.MAX_ITER

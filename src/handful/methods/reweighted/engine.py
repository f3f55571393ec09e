"""Rows of weights that vanish: reweighted quadratic problems, one after the other.

``min sum_i |W_i|^p + loss(X W)``, 0 < p <= 1. Where ``s_i = |W_i|^(2-p)`` is known from the last step,
``p/2 sum_i |W_i|^2 / s_i`` lies above the first term and touches it there, so minimising it with the loss
lowers the objective. What the loss is, and how such a step is solved, is for a :class:`Fitting` to say.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from handful.history import History, Round
from handful.methods.reweighted.bound import Proof
from handful.methods.reweighted.remaining_columns import RemainingColumns
from handful.spaces.base import Array
from handful.status import Status

#: Rows below this share of the largest have vanished.
VANISHED = 1e-9
#: A row fades when it falls below this share of the largest: vanished rows rank by when that was.
STRONG = 0.03


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
    proof : Proof or None
        What bounds the objective, where that can be.
    """

    weights: Array
    intercept: Array
    loss: float = 0.0
    proof: Proof | None = None


class StepError(Exception):
    """A step has no solution."""


class Fitting(Protocol):
    """Solves the problem for given s."""

    columns: RemainingColumns

    def solve(self, s: Array, last: Step | None) -> Step:
        """Minimise ``p/2 sum_i |W_i|^2 / s_i + loss``, from where the last step ended."""


@dataclass
class Reweighting:
    """Where the loop stands.

    Attributes
    ----------
    columns : RemainingColumns
        Those that have not vanished.
    step : Step
        Weights of these.
    seen : ndarray of shape (2, n_features)
        For each row the last step at which it was not far below the largest, and its norm then.
    penalty : float
        Factor of the sum over rows.
    objectives : list of float
    history : History
    """

    columns: RemainingColumns
    step: Step
    norms: Array
    seen: Array
    penalty: float = 1.0
    objectives: list[float] = field(default_factory=list)
    history: History = field(default_factory=History)

    def accept(self, step: Step, norms: Array, objective: float) -> None:
        """Go on to a solution."""
        self.step, self.norms = step, norms
        self.objectives.append(objective)
        mine = norms[: len(self.columns.ids)]
        strong = mine >= STRONG * mine.max(initial=0.0)
        if len(self.objectives) == 1:
            strong[:] = True
        ids = self.columns.ids[strong]
        self.seen[0, ids], self.seen[1, ids] = len(self.objectives), mine[strong]

    def drop(self, sizes: Array) -> None:
        """Let rows go whose part of the predictions is negligible; ``sizes`` are those of columns."""
        parts = self.norms * np.append(sizes[self.columns.ids], [1.0] * self.columns.constant)
        kept = parts > VANISHED * parts.max(initial=0.0)
        self.columns.keep(kept)
        self.norms = self.norms[kept]
        self.step = replace(self.step, weights=self.step.weights[kept])

    def scores(self) -> Array:
        """Return the norms of rows; those that vanished rank below by when they faded.

        Their scores lie between 0 and ``VANISHED**2`` of the largest, one above the other; a row
        that never had any weight has 0.
        """
        scores = np.zeros(self.seen.shape[1])
        scores[self.columns.ids] = self.norms[: len(self.columns.ids)]
        when, norms = self.seen
        vanished = np.lexsort((norms, when))
        vanished = vanished[(norms[vanished] > 0) & (scores[vanished] == 0)]
        top = VANISHED**2 * self.norms.max(initial=0.0)
        scores[vanished] = top * np.arange(1, len(vanished) + 1) / (len(vanished) + 1)
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

    Raises
    ------
    StepError
        When the first step has no solution.
    """
    started = time.perf_counter()
    columns = fitting.columns
    nothing, seen = Step(np.empty((0, 0)), np.empty(0)), np.zeros((2, len(sizes)))
    state = Reweighting(columns, nothing, np.ones(len(columns)), seen, penalty)
    while len(state.objectives) < max_iter:
        with np.errstate(under="ignore"):
            try:
                last = state.step if state.objectives else None
                step = fitting.solve(state.norms ** (2 - p), last)
            except StepError:
                if last is None:
                    raise
                return state, Status.SETTLED  # it had one a step ago: this is rounding
            norms = np.sqrt(np.einsum("ik,ik->i", step.weights, step.weights))
            objective = penalty * float((norms[norms > 0] ** p).sum()) + step.loss
        before = state.objectives[-1] if state.objectives else np.inf
        if not objective <= before:
            return state, Status.SETTLED  # all that is left is rounding
        state.accept(step, norms, objective)
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

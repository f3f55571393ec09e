"""The quadratic model of a ridge problem at its solution: what it would cost to do without a feature.

``objective(W + d) ~ objective(W) + 1/2 sum over outputs of d_k' H_k d_k``, with ``H_k`` the Hessian of penalty and
loss, the intercept eliminated. The minimum of the model without feature g lies

``rise_g = sum over outputs of 1/2 w_gk' ((H_k^-1)_gg)^-1 w_gk``

higher, and a downdate gives its weights and its inverse Hessian: one solution serves many drops. The size of
a weight alone says less: three copies of a column have a third of the weight each, and all look weak.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from handful.kernels.dropping import drop_one_by_one, rise_of, worth
from handful.methods.fgm.solvers.hessians import Grams
from handful.sizes import current_sizes
from handful.spaces.active import run_members
from handful.spaces.base import Array, sum_runs

TINY = 1e-300
# Among many columns the weakest are pooled; half of a pool goes one by one before the others are told.
LEAST_POOL, SHARE_OF_POOL = 64, 0.5


@dataclass
class QuadraticModel:
    """Weights at the minimum and the inverse Hessian there; :meth:`drop` changes both.

    Attributes
    ----------
    weights : ndarray of shape (n_columns, n_outputs)
    inverse : ndarray of shape (n_outputs or 1, n_columns, n_columns)
        One for all outputs if their Hessians are equal, or taken to be.
    widths : ndarray of int64
        Columns of each feature.
    kept : ndarray of int64
        The features that are left, as numbers in the model that was made.
    power : float
        Features are dropped by ``rise^power (|w|^2 / 2)^(1 - power)``; with 1, the default, by the rise.
    grams : Grams or None
        What the inverse was made of, if it is of use for the next model.
    """

    weights: Array
    inverse: Array
    widths: Array
    kept: Array
    power: float = 1.0
    grams: Grams | None = None

    def rises(self) -> Array:
        """By how much the objective rises without each feature."""
        if (self.widths == 1).all():
            pivots = np.diagonal(self.inverse, axis1=1, axis2=2)
            return np.asarray(0.5 * (self.weights.T**2 / np.maximum(pivots, TINY)).sum(axis=0))
        runs = pairwise(_starts(self.widths))
        return np.array([rise_of(self.inverse, self.weights, i, j) for i, j in runs])

    def drop(self, n_drop: int, n_always: int = 0) -> float:
        """Drop so many features, never one of the first ``n_always``; return the rise of them all."""
        total, few = 0.0, current_sizes().dropped_singly
        while n_drop > 0:
            if len(self.weights) <= few:
                n_now, everything = n_drop, np.arange(len(self.widths))
                gone, rise, inverse, weights = self._weakest(everything, n_now, n_always)
                left = self._columns_without(gone)
                self.weights, self.inverse = weights[left], inverse[:, left[:, None], left]
                lower = np.tril(self.inverse)
                self.inverse = lower + np.tril(lower, -1).transpose(0, 2, 1)
            else:
                pool = self._pool(n_always)
                n_now = min(n_drop, max(1, int(SHARE_OF_POOL * len(pool))))
                gone, rise, _, _ = self._weakest(pool, n_now, n_always)
                left = self._columns_without(gone)
                self._downdate(run_members(self.widths, gone), left)
            stay = np.setdiff1d(np.arange(len(self.widths)), gone)
            self.widths, self.kept = self.widths[stay], self.kept[stay]
            self.grams = None if self.grams is None else self.grams.keep(left)
            total += rise
            n_drop -= n_now
        return total

    def _pool(self, n_always: int) -> Array:
        """The weakest features, ascending."""
        n_features = len(self.widths)
        size = min(max(LEAST_POOL, n_features // LEAST_POOL), n_features - n_always)
        worths = worth(self.rises(), _half_squares(self.weights, self.widths), self.power)
        worths[:n_always] = np.inf
        return np.sort(np.argsort(worths, kind="stable")[:size])

    def _weakest(
        self, pool: Array, n_drop: int, n_always: int
    ) -> tuple[Array, float, Array, Array]:
        """Which features of a pool go, one by one, the rise, and the pool's model without them."""
        columns = run_members(self.widths, pool)
        inverse = np.ascontiguousarray(self.inverse[:, columns[:, None], columns])
        weights = np.ascontiguousarray(self.weights[columns])
        gone, rises = np.empty(n_drop, dtype=np.int64), np.empty(n_drop)
        starts = _starts(self.widths[pool])
        drop_one_by_one(inverse, weights, starts, pool >= n_always, self.power, n_drop, gone, rises)
        return pool[gone], float(rises.sum()), inverse, weights

    def _columns_without(self, gone: Array) -> Array:
        return np.setdiff1d(np.arange(len(self.weights)), run_members(self.widths, gone))

    def _downdate(self, gone: Array, left: Array) -> None:
        """Take columns out of weights and inverse, all at once."""
        inverse = np.empty((len(self.inverse), len(left), len(left)))
        weights = self.weights[left]
        for m, old in enumerate(self.inverse):
            rows = old[left]
            across = rows[:, gone]
            pivot = old[gone][:, gone] + TINY * np.eye(len(gone))
            outputs = slice(None) if len(self.inverse) == 1 else slice(m, m + 1)
            both = np.linalg.solve(pivot, np.hstack([across.T, self.weights[gone, outputs]]))
            inverse[m] = rows[:, left] - across @ both[:, : len(left)]
            weights[:, outputs] -= across @ both[:, len(left) :]
        self.inverse, self.weights = inverse, weights


@dataclass
class DiagonalModel:
    """As :class:`QuadraticModel`, with the Hessian taken for diagonal: for very many columns.

    ``rise_g = 1/2 sum over columns and outputs of h_j w_jk^2``: copies are not told from each other.
    """

    weights: Array
    diagonal: Array
    widths: Array
    kept: Array
    power: float = 1.0
    grams: Grams | None = None

    def rises(self) -> Array:
        """By how much the objective rises without each feature."""
        per_column = 0.5 * (self.diagonal * self.weights**2).sum(axis=1)
        return sum_runs(per_column, self.widths)

    def drop(self, n_drop: int, n_always: int = 0) -> float:
        """Drop so many features, never one of the first ``n_always``; return the rise of them all."""
        rises = self.rises()
        worths = worth(rises, _half_squares(self.weights, self.widths), self.power)
        worths[:n_always] = np.inf
        order = np.argsort(worths, kind="stable")
        stay = np.sort(order[n_drop:])
        columns = run_members(self.widths, stay)
        self.weights, self.diagonal = self.weights[columns], self.diagonal[columns]
        self.widths, self.kept = self.widths[stay], self.kept[stay]
        return float(rises[order[:n_drop]].sum())


Dropping: TypeAlias = QuadraticModel | DiagonalModel


def _half_squares(weights: Array, widths: Array) -> Array:
    return sum_runs(0.5 * np.einsum("jk,jk->j", weights, weights), widths)


def _starts(widths: Array) -> Array:
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

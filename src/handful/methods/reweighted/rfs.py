"""Robust feature selection: the reweighted step of l2,1 loss and l2,1 penalty."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from handful.methods.checkpoint_file import finite
from handful.methods.moments import centred_targets
from handful.methods.reweighted.data import RemainingColumns
from handful.methods.reweighted.margin_fits import make_system, weights_of
from handful.methods.reweighted.margins import TINY
from handful.methods.reweighted.step import Proof, Step
from handful.spaces.base import Array

#: Residuals below this share of the mean of the first are taken as that large.
LEAST_RESIDUAL = 1e-10


class RobustFit:
    """``sum_i d_i |x_i W + b - y_i| + alpha sum_j |W_j|``: each residual counts by its length.

    A step weights the squared residual of a sample by one over its last length. It is solved with
    a matrix of the rows or of the columns, whichever is smaller.

    Parameters
    ----------
    columns : RemainingColumns
        With the constant among them if the intercept is penalised.
    Y : ndarray of shape (n_samples, n_outputs)
    alpha : float
    weight : ndarray of shape (n_samples,)
        d, all above zero.
    """

    def __init__(self, columns: RemainingColumns, Y: Array, alpha: float, weight: Array) -> None:
        self.columns = columns
        self.alpha = alpha
        self.weight = weight
        self.fit_intercept = not columns.constant
        # A free intercept takes the middle of the targets away: residuals and the bound keep their digits.
        self.middle = weight @ Y / weight.sum() if self.fit_intercept else np.zeros(Y.shape[1])
        self.Y = centred_targets(Y, self.middle)
        first = float(weight @ np.linalg.norm(self.Y, axis=1) / weight.sum())
        first = first if first > 0.0 else 1.0  # nothing to explain: any will do
        self.least = LEAST_RESIDUAL * first
        #: Weights are in the unit of y: where they begin far below it the first step hardly moves, and looks like the last.
        self.unit = 10.0 ** round(math.log10(first))
        self.lengths = np.full(len(Y), first)

    def solve(self, s: Array, last: Step | None) -> Step:
        rho = self.weight / (self.alpha * np.maximum(self.lengths, self.least))
        system = make_system(self.columns, s, self.fit_intercept)
        coordinates, intercept = system.best(np.arange(len(self.Y)), rho, self.Y)
        weights = weights_of(self.columns, s, coordinates)
        residual = self.Y - self.columns.predict(weights) - intercept
        self.lengths = np.linalg.norm(residual, axis=1)
        loss = float(self.weight @ self.lengths)
        proof = self._proof(self.alpha * rho[:, None] * residual)
        return Step(weights, self.middle + intercept, loss, proof)

    def to_arrays(self) -> dict[str, Array]:
        return {"lengths": self.lengths}

    def fill(self, arrays: Mapping[str, Array]) -> None:
        self.lengths = finite(arrays, "lengths", self.lengths.shape)

    def _proof(self, U: Array) -> Proof:
        """Multipliers of samples no longer than their weights are worth ``<U, Y>``."""
        length = np.linalg.norm(U, axis=1)
        U = U * np.minimum(1.0, self.weight / np.maximum(length, TINY))[:, None]
        if self.fit_intercept:
            U = U - U.mean(axis=0)
        longest = float((np.linalg.norm(U, axis=1) / self.weight).max())
        return Proof(U, float(np.vdot(U, self.Y)), most=1.0 / max(longest, TINY))

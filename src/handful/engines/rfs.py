"""Robust feature selection: the reweighted step of l2,1 loss and l2,1 penalty."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from handful.engines.direct_sparsity import Step
from handful.engines.live_columns import LiveColumns
from handful.solvers.margins import bordered, dense, scaled_rows
from handful.spaces.base import Array

#: Residuals below this share of the mean of the first are taken as that large.
LEAST_RESIDUAL = 1e-10


class RobustFit:
    """``sum_i d_i |x_i W + b - y_i| + alpha sum_j |W_j|``: each residual counts by its length.

    A step weights the squared residual of a sample by one over its last length. It is solved with
    a matrix of the rows or of the columns, whichever is smaller.

    Parameters
    ----------
    columns : LiveColumns
        With the constant among them if the intercept is penalised.
    Y : ndarray of shape (n_samples, n_outputs)
    alpha : float
    weight : ndarray of shape (n_samples,)
        d, all above zero.
    """

    def __init__(self, columns: LiveColumns, Y: Array, alpha: float, weight: Array) -> None:
        self.columns = columns
        self.Y = Y
        self.alpha = alpha
        self.weight = weight
        self.fit_intercept = not columns.constant
        middle = weight @ Y / weight.sum() if self.fit_intercept else 0.0
        self.lengths = np.linalg.norm(Y - middle, axis=1)
        self.least = LEAST_RESIDUAL * float(self.lengths.mean())
        self.lengths = np.full(len(Y), float(self.lengths.mean()))

    def solve(self, s: Array) -> Step:
        spread = np.maximum(self.lengths, self.least) / self.weight
        if self.columns.is_wide:
            weights, intercept = self._by_rows(s, spread)
        else:
            weights, intercept = self._by_columns(s, 1.0 / spread)
        residual = self.Y - self.columns.predict(weights) - intercept
        self.lengths = np.linalg.norm(residual, axis=1)
        return Step(weights, intercept, float(self.weight @ self.lengths))

    def _by_rows(self, s: Array, spread: Array) -> tuple[Array, Array]:
        inner = self.columns.kernel(s) / self.alpha
        inner[np.diag_indices_from(inner)] += spread
        solved = [bordered(inner, y, self.fit_intercept) for y in self.Y.T]
        a = np.column_stack([found[0] for found in solved])
        intercept = np.array([found[1] for found in solved])
        return s[:, None] * self.columns.dots(a) / self.alpha, intercept

    def _by_columns(self, s: Array, rho: Array) -> tuple[Array, Array]:
        rows = self.columns.factor(s)
        total = rho.sum()
        middle, level = np.zeros(rows.shape[1]), np.zeros(self.Y.shape[1])
        if self.fit_intercept:
            middle, level = np.asarray(rho @ rows) / total, rho @ self.Y / total
        inner = dense(rows.T @ scaled_rows(rows, rho)) - total * np.outer(middle, middle)
        inner[np.diag_indices_from(inner)] += self.alpha
        right = rows.T @ (rho[:, None] * self.Y) - total * np.outer(middle, level)
        u = cho_solve(cho_factor(inner, check_finite=False), right, check_finite=False)
        return np.sqrt(s)[:, None] * u, level - middle @ u

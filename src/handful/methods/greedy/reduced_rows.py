"""A few columns and the targets reduced to as many rows: every ridge model of those columns is there.

With the QR factors of the weighted, centred columns, ``S^(1/2) (X - mean) = Q R``, the sum of squares
``|S^(1/2) (X W - Y)|^2`` is ``|R W - Q' Y|^2`` plus a constant. So R, m by m, stands for X, and a model of
any of its columns with any alpha can be had later, without the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from handful.spaces.base import Array, FeatureSpace, dense_rows


@dataclass(frozen=True)
class Ridge:
    """A ridge model: weights (n_outputs, n_features), intercept and objective."""

    weights: Array
    intercept: Array
    objective: float


@dataclass(frozen=True)
class ReducedRows:
    """The reduced columns.

    Attributes
    ----------
    ids : ndarray of int64
        Features, ascending.
    columns : ndarray of shape (m or fewer, m)
        R.
    targets : ndarray of shape (m or fewer, n_outputs)
        Q'Y.
    rest : float
        Sum of squares that no model of these columns can reach.
    column_means, target_means : ndarray
        What was taken away first; zeros without an intercept.
    """

    ids: Array
    columns: Array
    targets: Array
    rest: float
    column_means: Array
    target_means: Array

    @classmethod
    def make(
        cls, space: FeatureSpace, ids: Array, Y: Array, weight: Array, fit_intercept: bool
    ) -> ReducedRows:
        """Reduce the columns of ids, ascending."""
        X = dense_rows(space, ids).T
        share = weight / weight.sum() if fit_intercept else np.zeros(len(weight))
        column_means, target_means = share @ X, share @ Y
        root = np.sqrt(weight)[:, None]
        Q, R = np.linalg.qr(root * (X - column_means))
        Y = root * (Y - target_means)
        targets = Q.T @ Y
        rest = max(float(np.sum(Y * Y) - np.sum(targets * targets)), 0.0)
        return cls(ids, R, targets, rest, column_means, target_means)

    def ridge(self, ids: Array, alphas: Array) -> Ridge:
        """Minimise ``sum_l |X w_l - y_l|^2 + alpha_l |w_l|^2`` over weights of some of the columns."""
        where = np.searchsorted(self.ids, ids)
        columns = self.columns[:, where]
        W = np.empty((len(ids), len(alphas)))
        for alpha in np.unique(alphas):
            own = alphas == alpha
            Q, R = ridge_factors(columns, alpha)  # the columns are not squared
            W[:, own] = solve_triangular(R, Q.T @ self.targets[:, own])
        residuals = columns @ W - self.targets
        objective = float(np.sum(residuals**2) + np.sum(W**2, axis=0) @ alphas) + self.rest
        intercept = self.target_means - self.column_means[where] @ W
        return Ridge(np.ascontiguousarray(W.T), intercept, objective)


def ridge_factors(columns: Array, alpha: float) -> tuple[Array, Array]:
    """Return Q_1 and R of ``[columns; sqrt(alpha) I] = [Q_1; Q_2] R``."""
    n_rows, n_columns = columns.shape
    stacked = np.zeros((n_rows + n_columns, n_columns))
    stacked[:n_rows] = columns
    stacked[n_rows:][np.diag_indices(n_columns)] = np.sqrt(alpha)
    Q, R = np.linalg.qr(stacked)
    return Q[:n_rows], R

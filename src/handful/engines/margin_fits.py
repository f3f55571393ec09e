"""The steps of direct sparsity: hard, soft and projected margins of rows that are reweighted."""

from __future__ import annotations

import numpy as np

from handful.engines.direct_sparsity import Step
from handful.engines.live_columns import LiveColumns
from handful.solvers.margins import (
    FactorSystem,
    KernelSystem,
    Multipliers,
    System,
    dense,
    hard_margin,
    soft_margin,
)
from handful.solvers.projected import Fit, ProjectedSystem, projected_margin
from handful.spaces.base import Array

#: Directions of the columns below this share of the longest do not count.
RANK_TOLERANCE = 1e-10


class InseparableError(Exception):
    """No weights keep all margins."""


class MarginFit:
    """K support vector machines a step: ``y_ik (x_i W_k + b_k) >= 1``, or squared slacks.

    Parameters
    ----------
    columns : LiveColumns
        With the constant among them if the intercept is penalised.
    Y : ndarray of shape (n_samples, n_outputs)
        -1 and +1.
    p : float
    slack_weights : ndarray of shape (n_samples,), optional
        Weights of half the squared slacks, ``C`` times those of samples; hard margins without.
    """

    def __init__(
        self, columns: LiveColumns, Y: Array, p: float, slack_weights: Array | None = None
    ) -> None:
        self.columns = columns
        self.Y = Y
        self.p = p
        self.slack_weights = slack_weights
        self.fit_intercept = not columns.constant
        nothing = np.zeros(len(Y))
        self.outputs = [Multipliers(nothing, 0.0, nothing) for _ in range(Y.shape[1])]

    def solve(self, s: Array) -> Step:
        columns, Y = self.columns, self.Y
        system: System
        if columns.is_wide:
            system = KernelSystem(columns.kernel(s), self.fit_intercept)
        else:
            system = FactorSystem(columns.factor(s), self.fit_intercept)
        for k, warm in enumerate(self.outputs):
            if self.slack_weights is None:
                self.outputs[k] = hard_margin(system, Y[:, k], warm)
                if not self.outputs[k].is_separable:
                    raise InseparableError
            else:
                self.outputs[k] = soft_margin(system, Y[:, k], self.slack_weights / self.p, warm)
        a = np.column_stack([found.a for found in self.outputs])
        weights = s[:, None] * columns.dots(a)
        intercept = np.array([found.intercept for found in self.outputs])
        z = columns.predict(weights)
        if self.slack_weights is None:
            return self._with_exact_margins(weights, z)
        slack = np.maximum(1.0 - Y * (z + intercept), 0.0)
        return Step(
            weights, intercept, 0.5 * float(self.slack_weights @ np.square(slack).sum(axis=1))
        )

    def _with_exact_margins(self, weights: Array, z: Array) -> Step:
        """Move the intercept between the classes and scale: then the least margin is 1."""
        if self.fit_intercept:
            low = np.where(self.Y > 0, z, np.inf).min(axis=0)
            high = np.where(self.Y < 0, z, -np.inf).max(axis=0)
            margin, intercept = 0.5 * (low - high), -0.5 * (low + high)
        else:
            margin, intercept = (self.Y * z).min(axis=0), np.zeros(z.shape[1])
        if not (margin > 0).all():
            raise InseparableError
        return Step(weights / margin, intercept / margin)


class ProjectedFit:
    """Constraints that need not hold: ``X W + b = P (Y + E)``, ``Y * E >= 0``.

    P projects on the columns of X and the intercept, in least squares with weights of samples. The
    basis of these columns is dense, (n_samples, rank), even where X is sparse.

    Parameters
    ----------
    columns, Y
        As for :class:`MarginFit`.
    weight : ndarray of shape (n_samples,)
        Weights of the least squares.
    """

    def __init__(self, columns: LiveColumns, Y: Array, weight: Array) -> None:
        self.columns = columns
        self.Y = Y
        self.root = np.sqrt(weight / weight.mean())[:, None]
        self.fit_intercept = not columns.constant
        self._first_ids = columns.ids
        self.basis = self._basis(np.ones(len(columns)))
        self._mixed: Array | None = None
        if not columns.is_wide:
            self._mixed = columns.dots(self.root * self.basis)
        rank = self.basis.shape[1]
        self.outputs = [Fit(np.zeros(rank), np.zeros(len(Y))) for _ in range(Y.shape[1])]

    def _basis(self, s: Array) -> Array:
        """Return an orthonormal basis of the weighted columns, at right angles to a free intercept."""
        if self.columns.is_wide:
            kernel = self.root * self.columns.kernel(s) * self.root.T
            kernel = self._beside_intercept(self._beside_intercept(kernel).T)
            values, vectors = np.linalg.eigh(kernel)
            return np.asarray(vectors[:, values > RANK_TOLERANCE * values.max(initial=0.0)])
        rows = self.root * dense(self.columns.factor(s))
        vectors, values, _ = np.linalg.svd(self._beside_intercept(rows), full_matrices=False)
        return np.asarray(vectors[:, values > np.sqrt(RANK_TOLERANCE) * values.max(initial=0.0)])

    def _beside_intercept(self, rows: Array) -> Array:
        if not self.fit_intercept:
            return rows
        return rows - self.root * ((self.root.T @ rows) / float(np.vdot(self.root, self.root)))

    def solve(self, s: Array) -> Step:
        columns, basis = self.columns, self.basis
        if self._mixed is None:
            spread = self.root * basis
            mixed, curvature = None, spread.T @ columns.kernel(s) @ spread
        else:
            mixed = self._mixed[self._live_places()]
            curvature = mixed.T @ (s[:, None] * mixed)
        system = ProjectedSystem(basis, curvature)
        for k, warm in enumerate(self.outputs):
            self.outputs[k] = projected_margin(system, self.Y[:, k], self.root[:, 0], warm)
        v = np.column_stack([found.v for found in self.outputs])
        pushed = np.column_stack([found.multipliers for found in self.outputs])
        dots = columns.dots(self.root * (basis @ v)) if mixed is None else mixed @ v
        weights = s[:, None] * dots
        if not self.fit_intercept:
            return Step(weights, np.zeros(v.shape[1]))
        goals = self.Y + self.Y * pushed / self.root
        short = np.square(self.root) * (goals - columns.predict(weights))
        return Step(weights, short.sum(axis=0) / np.square(self.root).sum())

    def _live_places(self) -> Array:
        """Return where the live columns were among the first."""
        where = np.searchsorted(self._first_ids, self.columns.ids)
        return np.append(where, [len(self._first_ids)] * self.columns.constant)

"""The ridge model of the features chosen so far, seen from the samples: its leave-one-out errors.

``G = alpha (X_S X_S' + alpha S^-1)^-1`` with S the sample weights; with an intercept (not penalised)
G is projected so that G 1 = 0. A = G Y are the weighted residuals. Without any feature
G_0 = S - s s' / sum(s), or S; each column x that enters takes a rank-one term away, so
``G = G_0 - U U'`` with one column of U for each feature.

A row of weight s counts as s copies, one of which is left out (all of it where s is below one):
its error is ``a_i / (min(1, s) G_ii / s + s - min(1, s))``. That is ``a_i / G_ii`` for weight one.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from handful.kernels.greedy_rls import LEAST_SHARE
from handful.spaces.columns import GrowingColumns

Array = np.ndarray
# When no more than this share of the squares is left, rounding begins to show: time for a new start.
# By the bytes of a number in the rows of candidates.
LITTLE_LEFT = {4: 1e-2, 8: 1e-6}


def loo_weights(weight: Array) -> Array:
    """Return what the squares of ``a_i / g_i`` count, g the denominators below less ``diag(U U')``."""
    return np.where(weight > 1, weight**3, weight)


def loo_denominators(weight: Array, fit_intercept: bool) -> Array:
    """Return the denominators of the leave-one-out errors without any feature."""
    diagonal = weight - weight**2 / weight.sum() if fit_intercept else weight
    g = diagonal + np.where(weight > 1, weight * (weight - 1), 0.0)
    g[weight == 0] = 1.0  # such rows have no error to divide
    return g


class Smoother:
    """G and what the leave-one-out errors need of it.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    alpha : float
    fit_intercept : bool

    Attributes
    ----------
    g : ndarray
        Denominators of the leave-one-out errors, up to ``loo_weight``.
    r : ndarray
        ``diag(A A')``.
    loo_weight : ndarray
        The sum of ``loo_weight * r / g^2`` is that of the weighted squared errors.
    """

    def __init__(self, Y: Array, weight: Array, alpha: float, fit_intercept: bool) -> None:
        self.alpha = alpha
        self._Y = Y
        self._weight = weight
        self._fit_intercept = fit_intercept
        self._share = weight / weight.sum() if fit_intercept else np.zeros(len(weight))
        self.loo_weight = loo_weights(weight)
        self._begin()

    def _begin(self) -> None:
        weight = self._weight
        self._factor = GrowingColumns(np.empty((len(weight), 0)))
        self._A = weight[:, None] * (self._Y - self._share @ self._Y)
        self._n_in_A = 0
        self.g = loo_denominators(weight, self._fit_intercept)
        self._square()

    @property
    def _U(self) -> Array:
        """One row for each column in the model."""
        return self._factor.columns.T

    def _square(self) -> None:
        self.r = np.einsum("it,it->i", self._A, self._A)
        self._squares = float(self.r.sum())

    @property
    def loo_error(self) -> float:
        """Mean squared leave-one-out error over samples and outputs."""
        return self.mean_of(float(self.loo_weight @ (self.r / self.g**2)))

    def mean_of(self, total: float) -> float:
        """Turn a weighted sum over samples and outputs into a mean."""
        return total / (float(self._weight.sum()) * self._Y.shape[1])

    @property
    def has_features(self) -> bool:
        """Whether any column has entered; before that G and A are the same for every alpha."""
        return len(self._U) > 0

    def has_shrunk(self, itemsize: int) -> bool:
        """Whether so little of the squares is left that rounding shows; a restart helps."""
        return bool(self.r.sum() < LITTLE_LEFT[itemsize] * self._squares)

    def centred(self, rows: Array) -> Array:
        """Return rows without their means if there is an intercept: G takes no notice of those."""
        return rows - (rows @ self._share)[:, None] if self._fit_intercept else rows

    def solve(self, rows: Array) -> Array:
        """Return ``G x`` for each row x, which must be centred."""
        solved = rows * self._weight
        if len(self._U):
            solved -= (rows @ self._U.T) @ self._U
        return solved

    def outer(self, rows: Array) -> Array:
        """Return ``A A' x`` for each row x."""
        newest = self._U[self._n_in_A :]
        if len(newest):
            self._A -= newest.T @ (newest @ self._Y)
            self._n_in_A = len(self._U)
        return np.asarray((rows @ self._A) @ self._A.T)

    def factors(self) -> tuple[Array, Array, Array, Array]:
        """Return what the three methods above compute with.

        These are the shares of the rows in a mean, their weights, U and A.
        """
        self.outer(np.empty((0, len(self._weight))))  # brings A up to date
        return self._share, self._weight, self._U, self._A

    def add(self, u: Array, partners: Array, pivots: Array, q: Array) -> None:
        """Let columns enter: ``u = G x / pivot``, ``partners = A A' x`` and q = x' partner of each."""
        for row, partner, pivot, product in zip(u, partners, pivots, q, strict=True):
            self.r += (product * row - 2.0 * partner) * row
            self.g -= np.minimum(pivot * row * row, (1.0 - LEAST_SHARE) * self.g)
        np.maximum(self.r, 0.0, out=self.r)
        self._factor.add((np.sqrt(pivots)[:, None] * u).T)

    def restart(self, rows: Array) -> bool:
        """Compute everything anew from the columns in the model, to be rid of rounding errors.

        False when that cannot be done: columns as good as equal beside a tiny alpha.
        """
        entering = rows * self._weight
        gram = rows @ entering.T
        gram[np.diag_indices_from(gram)] += self.alpha
        try:
            factor = cholesky(gram, lower=True)
        except LinAlgError:
            return False
        self._begin()
        self._factor = GrowingColumns(solve_triangular(factor, entering, lower=True).T)
        self.g -= np.minimum(np.einsum("ui,ui->i", self._U, self._U), (1.0 - LEAST_SHARE) * self.g)
        self.outer(rows[:0])
        self._square()
        return True

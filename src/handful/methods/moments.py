"""Second moments of columns about their means, which are all that squared errors need of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sizes import blocks, current_sizes
from handful.spaces.active import positions_in
from handful.spaces.base import NO_IDS, Array, ExplicitSpace, dense
from handful.spaces.columns import is_constant
from handful.spaces.resolve import by_storage

# Columns are centred before they are squared, so less than elsewhere is left of those that are constant.
FLAT = 1e-13
# A target that varies by a smaller share of its mean than this is constant but for rounding.
CONSTANT_TARGET = 1e-13


class Moments:
    """Moments of the known columns among themselves and with Y; more columns can be made known.

    Rows count by their share of the sample weight, so moments are means and not sums. Dense columns
    are centred as they are copied; sparse ones stay as they are, and the moments of their means are
    taken off.

    Parameters
    ----------
    space : ExplicitSpace
        Without a scale.
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    centred : bool
        Take moments about the means (an intercept is fitted) or about zero.
    exclude : ndarray of int64
        Columns that have no gradient, so that none of them gets a weight.

    Attributes
    ----------
    ids : ndarray of int64
        The known columns.
    gram : ndarray of shape (n_known, n_known)
    products : ndarray of shape (n_known, n_outputs)
        Moments with Y.
    y_square : float
        Mean square of Y, summed over outputs.
    additions : list of int
        How many columns became known at a time: products are rounded as their shapes want it.
    """

    def __init__(
        self,
        space: ExplicitSpace,
        Y: Array,
        weight: Array,
        *,
        centred: bool,
        exclude: Array = NO_IDS,
    ) -> None:
        self.space = space
        self.exclude = exclude
        self.centred = centred
        self._share = weight / weight.sum()
        self.y_mean = self._share @ Y if centred else np.zeros(Y.shape[1])
        self._Y = centred_targets(Y, self.y_mean)
        self.y_square = float(self._share @ np.einsum("ik,ik->i", self._Y, self._Y))
        self.ids = NO_IDS
        self.additions: list[int] = []
        self.means = np.empty(0)
        self.gram = np.empty((0, 0))
        self.products = np.empty((0, Y.shape[1]))
        self._shift = np.empty(0)
        self._columns: Any = None
        n_features, most = space.n_features, current_sizes()
        few = n_features <= most.moments_columns
        if few and n_features * space.n_samples <= most.moments_entries:
            self.add(np.arange(n_features, dtype=np.int64))

    @property
    def n_outputs(self) -> int:
        return int(self._Y.shape[1])

    def add(self, ids: Array) -> Array:
        """Make columns known; return the positions of all of ids among the known."""
        new = ids[~np.isin(ids, self.ids)]
        if len(new):
            self._append(new)
        return positions_in(self.ids, ids)

    def _append(self, new: Array) -> None:
        columns = self.space.columns(new)
        means = self._share @ columns if self.centred else np.zeros(len(new))
        columns = by_storage(columns, lambda dense: dense - means, sp.csc_array)
        shift = self._share @ columns if self.centred else np.zeros(len(new))
        weighted = sp.diags_array(self._share) @ columns
        if self._columns is not None:
            parts = [self._columns, columns]
            columns = by_storage(
                columns, lambda _: np.hstack(parts), lambda _: sp.hstack(parts, format="csc")
            )
        self._columns = columns
        self._shift = np.concatenate([self._shift, shift])
        self.means = np.concatenate([self.means, means])
        cross = dense(columns.T @ weighted) - np.outer(self._shift, shift)
        products = np.asarray(weighted.T @ self._Y) - np.outer(shift, self._share @ self._Y)
        self._extend(new, cross, products)

    def _extend(self, new: Array, cross: Array, products: Array) -> None:
        """Join moments of new columns, ``cross`` with all of them; constant ones have none at all."""
        n_known = len(self.ids)
        variances = np.diagonal(cross[n_known:])
        squares = variances + self.means[n_known:] ** 2
        flat = np.flatnonzero(is_constant(variances, squares, FLAT))
        cross[:, flat] = cross[n_known + flat] = products[flat] = 0.0
        self.gram = np.block([[self.gram, cross[:n_known]], [cross[:n_known].T, cross[n_known:]]])
        self.products = np.vstack([self.products, products])
        self.ids = np.concatenate([self.ids, new])
        self.additions.append(len(new))

    def gradient_norms(self, positions: Array, weights: Array) -> Array:
        """Return, for every column of X, the sum over outputs of ``|moment with the residual|``; 0 if excluded.

        The weights belong to known columns at ``positions``.
        """
        norms = np.zeros(self.space.n_features)
        if len(self.ids) < self.space.n_features:
            errors = self._share[:, None] * self._residual(positions, weights)
            for some in blocks(self.n_outputs, self.space.n_features):
                dots = self.space.dots(np.ascontiguousarray(errors[:, some]))
                norms += np.abs(dots).sum(axis=1)
        gradient = self.products - self.gram[:, positions] @ weights
        norms[self.ids] = np.abs(gradient).sum(axis=1)
        norms[self.exclude] = 0.0
        return norms

    def _residual(self, positions: Array, weights: Array) -> Array:
        if not len(positions):
            return self._Y
        predicted = np.asarray(self._columns[:, positions] @ weights)
        return self._Y - predicted + self._shift[positions] @ weights

    def intercept(self, positions: Array, weights: Array) -> Array:
        """Return the best intercept for weights of known columns."""
        if not self.centred:
            return np.zeros(self.n_outputs)
        return np.asarray(self.y_mean - self.means[positions] @ weights)


def centred_targets(Y: Array, means: Array) -> Array:
    """Return targets without their means, and zeros for those that are constant."""
    Y = Y - means
    Y[:, np.abs(Y).max(axis=0) <= CONSTANT_TARGET * np.abs(means)] = 0.0
    return Y

"""Weighted Gram matrices of a few columns, whatever holds them, and Hessians of the loss: ``X' D X`` with the intercept eliminated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels.sparse import csr_curved_product, csr_gram
from handful.losses.sums import column_sums
from handful.spaces.base import Array, Columns
from handful.spaces.groups.space import LazyProduct

MOST_COLUMNS, MOST_OUTPUTS = 2000, 4
SMALL_COLUMNS, SMALL_ENTRIES = 400, 200_000
FEW_CHANGED, FEW_NEW = 0.5, 0.25  # share of the rows whose curvature has changed, of new columns
FEW_ROWS = 0.8  # share of rows with weight below which the others are left out


def weighted_gram(columns: Columns, weight: Array) -> tuple[Array, Array]:
    """Return ``X' diag(weight) X`` and ``X' weight``; sparse columns stay sparse on the way.

    Columns on a device make both there.
    """
    if hasattr(columns, "weighted_gram"):
        return columns.weighted_gram(weight)
    if isinstance(columns, LazyProduct):  # of columns that several groups share
        gram, sums = weighted_gram(columns.left, weight)
        copies = columns.right.T
        return np.asarray(copies @ (copies @ gram).T), np.asarray(copies @ sums)
    if sp.issparse(columns):
        rows, size = columns.tocsr(), columns.shape[1]
        gram, sums = np.zeros((size, size)), np.zeros(size)
        csr_gram(rows.indptr, rows.indices, rows.data, np.ascontiguousarray(weight), gram, sums)
        return gram + np.tril(gram, -1).T, sums
    if weight.min(initial=0.0) < 0.0:
        weighted = weight[:, None] * columns
        return columns.T @ weighted, weighted.sum(axis=0)
    roots = np.sqrt(weight)
    if np.count_nonzero(weight) < FEW_ROWS * len(weight):  # rows beyond the margin, say
        rows = np.flatnonzero(weight)
        columns, roots = columns[rows], roots[rows]
    half = roots[:, None] * columns
    return half.T @ half, roots @ half  # a product with itself is half the work


def makes_hessians(columns: Any, n_outputs: int) -> bool:
    """Whether Newton's method may have the Hessian itself."""
    few = columns.shape[1] <= MOST_COLUMNS and n_outputs <= MOST_OUTPUTS
    return few and hasattr(columns, "weighted_gram")


def is_small(columns: Any, n_outputs: int) -> bool:
    """Whether the Hessian of columns in memory costs less than a few steps that do without it."""
    few = columns.shape[1] <= SMALL_COLUMNS and n_outputs <= MOST_OUTPUTS
    return few and isinstance(columns, np.ndarray) and columns.size <= SMALL_ENTRIES


@dataclass(frozen=True)
class Grams:
    """``X' D X`` of a few columns for each output, kept while columns are dropped and D changes.

    Attributes
    ----------
    grams : ndarray of shape (n_models, n_columns, n_columns)
        One for all outputs if they share their D.
    sums : ndarray of shape (n_models, n_columns)
        ``X' D 1``.
    bend : ndarray of shape (n_samples, n_models)
        D.
    """

    grams: Array
    sums: Array
    bend: Array

    @classmethod
    def of(cls, columns: Any, bend: Array) -> Grams:
        """Make them from the columns."""
        bend = distinct(bend)
        made = [weighted_gram(columns, bend_k) for bend_k in bend.T]
        return cls(np.array([gram for gram, _ in made]), np.array([sums for _, sums in made]), bend)

    def keep(self, columns: Array) -> Grams:
        """Drop all other columns."""
        return replace(
            self, grams=self.grams[:, columns[:, None], columns], sums=self.sums[:, columns]
        )

    def update(self, columns: Any, bend: Array) -> Grams:
        """Return the Gram matrices with another D, and with columns that came behind the others.

        Of dense columns only the rows whose D has changed are looked at, if they are few: all that a
        squared hinge loses or gains are the rows that have passed the margin.
        """
        bend = distinct(bend)
        n_known, n_columns = self.grams.shape[1], columns.shape[1]
        is_like = isinstance(columns, np.ndarray) and bend.shape == self.bend.shape
        if not is_like or n_columns - n_known > FEW_NEW * n_columns:
            return Grams.of(columns, bend)
        change = bend - self.bend
        if np.count_nonzero(change) > FEW_CHANGED * change.size:
            return Grams.of(columns, bend)
        updated = self._changed(columns[:, :n_known], bend, change) if change.any() else self
        return updated if n_known == n_columns else updated._grown(columns)

    def _grown(self, columns: Array) -> Grams:
        n_known, n_columns = self.grams.shape[1], columns.shape[1]
        grams = np.empty((len(self.grams), n_columns, n_columns))
        grams[:, :n_known, :n_known] = self.grams
        sums = np.empty((len(self.sums), n_columns))
        sums[:, :n_known] = self.sums
        for k, bend_k in enumerate(self.bend.T):
            weighted = bend_k[:, None] * columns[:, n_known:]
            grams[k, :, n_known:] = columns.T @ weighted
            grams[k, n_known:, :n_known] = grams[k, :n_known, n_known:].T
            sums[k, n_known:] = weighted.sum(axis=0)
        return Grams(grams, sums, self.bend)

    def _changed(self, columns: Array, bend: Array, change: Array) -> Grams:
        grams, sums = self.grams.copy(), self.sums.copy()
        for k, change_k in enumerate(change.T):
            rows = np.flatnonzero(change_k)
            gram, sum_k = weighted_gram(columns[rows], change_k[rows])
            grams[k] += gram
            sums[k] += sum_k
        return Grams(grams, sums, bend)

    def reduced(self, fit_intercept: bool) -> tuple[Array, Array]:
        """Return ``X' (D - D11'D / 1'D1) X`` for each output, and ``X' D 1 / 1'D1``.

        The subtracted term is the Schur complement of the intercept; the second is how the best
        intercept follows the weights.
        """
        totals = column_sums(self.bend)[:, None]
        is_free = (totals > 0) & fit_intercept
        shifts = np.divide(self.sums, totals, out=np.zeros_like(self.sums), where=is_free)
        return self.grams - shifts[:, :, None] * self.sums[:, None, :], shifts


def distinct(bend: Array) -> Array:
    """One column where all outputs have the same curvature, as broadcasting tells."""
    return bend[:, :1] if bend.strides[1] == 0 else bend


def reduced_hessians(columns: Any, bend: Array, fit_intercept: bool) -> tuple[Array, Array]:
    """Return the Hessians of the loss for every output, and how the best intercept follows."""
    return Grams.of(columns, np.ascontiguousarray(bend)).reduced(fit_intercept)


def hessian_product(columns: Any, bend: Array, fit_intercept: bool) -> Callable[[Array], Array]:
    """Return what multiplies ``I + X' (D - D11'D / 1'D1) X`` with a direction, output by output.

    Rows of a sparse matrix give a row of the product at a time; else there are two products with the columns.
    """
    total = bend.sum(axis=0)
    total = np.where(total > 0, total, 1.0)
    if not (sp.issparse(columns) and columns.format == "csr"):

        def product(direction: Array) -> Array:
            change = columns @ direction
            if fit_intercept:
                change = change - (bend * change).sum(axis=0) / total
            return np.asarray(direction + columns.T @ (bend * change))

        return product
    of_ones = np.asarray(columns.T @ bend) / total if fit_intercept else 0.0

    def by_rows(direction: Array) -> Array:
        image, sums = direction.copy(), np.zeros(direction.shape[1])
        csr_curved_product(
            columns.indptr, columns.indices, columns.data, bend, direction, image, sums
        )
        return np.asarray(image - of_ones * sums)

    return by_rows

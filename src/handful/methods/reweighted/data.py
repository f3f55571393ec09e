"""The rows, what is known of their columns before any weight is, and the columns that still have weights: products, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.methods.problem import Problem
from handful.sizes import blocks, current_sizes
from handful.spaces.base import NO_IDS, Array, ExplicitSpace, Unit, dense
from handful.spaces.columns import inverse_norms, scaled
from handful.validation import check_magnitude, no_signal

#: A kernel of this many rows is cheap enough to be made whatever the number of columns.
SMALL_KERNEL = 600
#: A column that varies by less than this share of its largest entry is constant but for rounding. Deviations are
#: made in a second pass here, and tell more than the sums of squares of other methods can.
CONSTANT = 1e-12


@dataclass(frozen=True)
class Data:
    """Rows of positive weight, and what is known of the columns.

    Attributes
    ----------
    space : ExplicitSpace
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    means, deviations : ndarray of shape (n_features,)
    factors : ndarray of shape (n_features,)
        What each column is multiplied by.
    exclude : ndarray of int64
        Columns that are left out, as if X did not have them.
    """

    space: ExplicitSpace
    Y: Array
    weight: Array
    means: Array
    deviations: Array
    factors: Array
    exclude: Array = field(default_factory=lambda: NO_IDS)

    @classmethod
    def of(cls, problem: Problem, unit: Unit | None) -> Data:
        """Measure the columns; ValueError when none varies."""
        space, weight = problem.space, problem.weight
        means, deviations = moments(space, weight)
        deviations[problem.exclude] = 0.0  # what does not vary is left out
        varying = deviations[~(deviations <= 0)]
        if not len(varying):
            raise no_signal()
        check_magnitude(np.square(varying))
        ranges = np.ptp(problem.y, axis=0)
        check_magnitude(np.sqrt(ranges[ranges > 0]))  # residuals are squared, and only once
        factors = np.ones(space.n_features)
        if unit is not None:
            about = np.square(deviations)
            squares = about if unit == "std" else weight.sum() * (about + np.square(means))
            factors = inverse_norms(squares)
        return cls(space, problem.y, weight, means, deviations, factors, problem.exclude)

    @property
    def sizes(self) -> Array:
        """Deviations of the columns after scaling."""
        return self.deviations * self.factors

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer samples than columns that vary, and an intercept."""
        return bool(self.space.n_samples <= np.count_nonzero(self.deviations) + 1)

    def columns(self, *, constant: bool, ids: Array | None = None) -> RemainingColumns:
        """Return the columns that vary; with ``constant`` a column of ones is one of them."""
        ids = np.flatnonzero(self.deviations > 0) if ids is None else ids
        means = None if constant else self.means
        return RemainingColumns(self.space, self.factors, ids, means=means, constant=constant)


class RemainingColumns:
    """Columns of a matrix, each times a factor, from which columns are dropped as they vanish.

    What is left is held in float64 once it is small; larger matrices are read in blocks, and sparse
    ones stay sparse.

    Parameters
    ----------
    space : ExplicitSpace
    factors : ndarray of shape (n_features,)
    ids : ndarray of int64
        The columns to begin with.
    means : ndarray of shape (n_features,), optional
        Taken off dense columns for the sake of digits, where a free intercept makes up for it.
        Sparse columns stay as they are.
    constant : bool
        Whether a column of ones is added at the end.
    """

    def __init__(
        self,
        space: ExplicitSpace,
        factors: Array,
        ids: Array,
        *,
        means: Array | None = None,
        constant: bool = False,
    ) -> None:
        self.space = space
        self.factors = factors
        self.ids = ids
        self.means = means
        self.constant = constant
        self._held: Any = None

    @property
    def n_rows(self) -> int:
        """Samples."""
        return self.space.n_samples

    def __len__(self) -> int:
        return len(self.ids) + self.constant

    @property
    def is_wide(self) -> bool:
        """Whether inner products of rows are the smaller thing to work with."""
        return self.n_rows <= max(2 * len(self), SMALL_KERNEL)

    def keep(self, kept: Array) -> None:
        """Drop all columns but those of a mask; the constant is last."""
        if kept.all():
            return
        if self.constant and not kept[-1]:
            self.constant = False
        mask = kept[: len(self.ids)]
        self.ids = self.ids[mask]
        if self._held is not None:
            self._held = by_columns(self._held[:, np.flatnonzero(mask)])

    def kernel(self, s: Array) -> Array:
        """Return ``sum_j s_j x_j x_j'``, the inner products of all rows."""
        total = np.zeros((self.n_rows, self.n_rows))
        for part, columns in self._blocks():
            root = scaled(columns, np.sqrt(s[part]))
            product = root @ root.T
            total += dense(product)
        if self.constant:
            total += s[-1]
        return total

    def factor(self, s: Array) -> Any:
        """Return the columns times the roots of s, by rows."""
        root = scaled(self._all(), np.sqrt(s[: len(self.ids)]))
        if sp.issparse(root):
            if self.constant:
                root = sp.hstack([root, np.full((self.n_rows, 1), np.sqrt(s[-1]))])
            return sp.csr_array(root)
        if self.constant:
            root = np.column_stack([root, np.full(self.n_rows, np.sqrt(s[-1]))])
        return np.ascontiguousarray(root)

    def dots(self, a: Array) -> Array:
        """Return the products of all remaining columns with a, (n_columns, n_outputs)."""
        found = np.empty((len(self), a.shape[1]))
        for part, columns in self._blocks():
            found[part] = columns.T @ a
        if self.constant:
            found[-1] = a.sum(axis=0)
        return found

    def predict(self, weights: Array) -> Array:
        """Return ``X W``."""
        total = np.zeros((self.n_rows, weights.shape[1]))
        for part, columns in self._blocks():
            total += columns @ weights[part]
        if self.constant:
            total += weights[-1]
        return total

    def _all(self) -> Any:
        if self._held is None:
            self._held = self._some(self.ids)
        return self._held

    def _blocks(self) -> Iterator[tuple[slice, Any]]:
        n_columns = len(self.ids)
        if self._held is not None or n_columns * self.n_rows <= current_sizes().block_entries:
            yield slice(0, n_columns), self._all()
            return
        for part in blocks(n_columns, self.n_rows):
            yield part, self._some(self.ids[part])

    def _some(self, ids: Array) -> Any:
        columns = self.space.columns(ids)
        if self.means is not None and not sp.issparse(columns):
            columns -= self.means[ids]
        return by_columns(scaled(columns, self.factors[ids]))

    def shift(self, weights: Array) -> Array:
        """Return what the means that were taken off would have added to the predictions."""
        sparse = sp.issparse(self.space.columns(self.ids[:1]))
        if self.means is None or sparse:
            return np.zeros(weights.shape[1])
        part = self.means[self.ids] * self.factors[self.ids]
        return np.asarray(part @ weights[: len(self.ids)])


def by_columns(columns: Any) -> Any:
    """Return columns in one memory order, however they came: the last bit of products depends on it."""
    return columns if sp.issparse(columns) else np.asfortranarray(columns)


def moments(space: ExplicitSpace, weight: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of each column, the latter exactly 0 where it is constant."""
    means, found = np.empty(space.n_features), np.empty(space.n_features)
    share = (weight / weight.sum())[:, None]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for part in blocks(space.n_features, space.n_samples):
            columns = dense(space.columns(np.arange(part.start, part.stop)))
            largest = np.abs(columns).max(axis=0)
            means[part] = (share * columns).sum(axis=0)
            columns = columns - means[part]
            deviation = np.sqrt((share * columns * columns).sum(axis=0))
            found[part] = np.where(deviation > CONSTANT * largest, deviation, 0.0)
    return means, found

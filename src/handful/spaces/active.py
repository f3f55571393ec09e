"""The active columns: the few features a solver works on, in the order they came."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import NO_IDS, Array, Columns, FeatureSpace, slices_joined, sum_runs
from handful.spaces.columns import GrowingColumns


class ActiveColumns:
    """Ids and columns of the active features; sparse columns stay sparse.

    Adding a round's features copies only those where columns are dense.

    Parameters
    ----------
    space : FeatureSpace
    ids : ndarray of int64
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in ``squared_norms``, where they count relative to their mean.

    Attributes
    ----------
    ids : ndarray of int64
        The active features.
    widths : ndarray of int64
        How many columns each has.
    squared_norms : ndarray
        One for each column.
    """

    def __init__(
        self, space: FeatureSpace, ids: Array = NO_IDS, sample_weight: Array | None = None
    ) -> None:
        weight = np.ones(space.n_samples) if sample_weight is None else sample_weight
        self.space = space
        self._weight = weight / weight.mean()
        self.replace(ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def row_weight(self) -> Array:
        """What rows count, 1 in the mean."""
        return self._weight

    @property
    def matrix(self) -> Columns:
        """The columns of all active features side by side."""
        return self._sparse if self._dense is None else self._dense.columns

    def replace(self, ids: Array) -> None:
        """Have these features and no others."""
        self.ids = self.widths = NO_IDS
        self.squared_norms = np.empty(0)
        self._clear()
        self.add(np.asarray(ids, dtype=np.int64))

    def add(self, ids: Array) -> Array:
        """Append those ids that are new; return the positions of all of them."""
        new = ids[~np.isin(ids, self.ids)]
        if len(new):
            norms = self._append(new)
            self.ids = np.concatenate([self.ids, new])
            self.widths = np.concatenate([self.widths, self.space.widths(new)])
            self.squared_norms = np.concatenate([self.squared_norms, norms])
        return positions_in(self.ids, ids)

    def keep(self, positions: Array) -> None:
        """Drop all but the features at the given positions, in their order."""
        columns = self.columns_of(positions)
        self._retain(columns)
        self.ids = self.ids[positions]
        self.widths = self.widths[positions]
        self.squared_norms = self.squared_norms[columns]

    def columns_of(self, positions: Array) -> Array:
        """Return the positions of the columns that belong to features at given positions."""
        return run_members(self.widths, positions)

    def sums(self, per_column: Array) -> Array:
        """Add up one number per column for each feature."""
        return sum_runs(per_column, self.widths)

    def model(self, weights: Array) -> tuple[Array, Array]:
        """Return the feature ids, ascending, and weights of their columns as the space makes them."""
        order = np.argsort(self.ids)
        factors = np.repeat(self.space.column_scale(self.ids), self.widths)
        return self.ids[order], (weights * factors[:, None])[self.columns_of(order)]

    def _clear(self) -> None:
        nothing = self.space.columns(NO_IDS)
        self._sparse: Columns = nothing
        self._dense = None if sp.issparse(nothing) else GrowingColumns(nothing)

    def _append(self, ids: Array) -> Array:
        """Store the columns of ids behind the others; return their squared norms."""
        columns = self.space.columns(ids)
        if self._dense is None:
            self._sparse = sp.hstack([self._sparse, columns], format="csc")
        else:
            self._dense.add(columns)
        return squared_lengths(columns, self._weight)

    def _retain(self, columns: Array) -> None:
        """Store only the given columns, in their order."""
        if self._dense is None:
            self._sparse = self._sparse[:, columns]
        else:
            self._dense.keep(columns)


def positions_in(known: Array, ids: Array) -> Array:
    """Return where each of ids stands among the known ones."""
    order = np.argsort(known)
    return order[np.searchsorted(known, ids, sorter=order)]


def run_members(widths: Array, positions: Array) -> Array:
    """Return the indices that the runs at ``positions`` cover, run after run."""
    return slices_joined((np.cumsum(widths) - widths)[positions], widths[positions])


def squared_lengths(columns: Columns, weight: Array) -> Array:
    """Squared length of each of a few columns, rows weighted.

    Summed column by column and not by BLAS, whose rounding depends on how many columns it is given: a
    fit taken up from a checkpoint must see the same numbers.
    """
    return np.asarray((columns * columns * weight[:, None]).sum(axis=0)).ravel()

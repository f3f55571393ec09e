"""The active columns: the few features a solver works on, in the order they came."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import NO_IDS, Array, Columns, FeatureSpace


class ActiveColumns:
    """Ids and columns of the active features; sparse columns stay sparse.

    Dense columns live in one column-major buffer that grows by doubling, so adding a round's
    features copies only those.

    Parameters
    ----------
    space : FeatureSpace
    ids : ndarray of int64
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in ``squared_norms``, where they count relative to their mean.
    """

    def __init__(
        self, space: FeatureSpace, ids: Array = NO_IDS, sample_weight: Array | None = None
    ) -> None:
        weight = np.ones(space.n_samples) if sample_weight is None else sample_weight
        self._space = space
        self._weight = weight / weight.mean()
        self.ids = np.asarray(ids, dtype=np.int64)
        self._buffer: Columns = space.columns(self.ids)
        self.squared_norms = squared_lengths(self._buffer, self._weight)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def scale(self) -> Array:
        """The factors the space applied to the columns."""
        return self._space.column_scale(self.ids)

    @property
    def matrix(self) -> Columns:
        """The columns, (n_samples, number of active features)."""
        if sp.issparse(self._buffer):
            return self._buffer
        return self._buffer[:, : len(self.ids)]

    def replace(self, ids: Array) -> None:
        """Have these features and no others."""
        self.ids = NO_IDS
        self._buffer = self._space.columns(NO_IDS)
        self.squared_norms = np.empty(0)
        self.add(np.asarray(ids, dtype=np.int64))

    def add(self, ids: Array) -> Array:
        """Append those ids that are new; return the positions of all of them."""
        new = ids[~np.isin(ids, self.ids)]
        if len(new):
            columns = self._space.columns(new)
            self._append(columns)
            self.ids = np.concatenate([self.ids, new])
            self.squared_norms = np.concatenate(
                [self.squared_norms, squared_lengths(columns, self._weight)]
            )
        order = np.argsort(self.ids)
        return order[np.searchsorted(self.ids, ids, sorter=order)]

    def keep(self, positions: Array) -> None:
        """Drop all but the given positions, in their order."""
        kept = self.matrix[:, positions]
        self._buffer = kept if sp.issparse(kept) else np.asfortranarray(kept)
        self.ids = self.ids[positions]
        self.squared_norms = self.squared_norms[positions]

    def _append(self, columns: Columns) -> None:
        if sp.issparse(columns):
            self._buffer = sp.hstack([self._buffer, columns], format="csc")
            return
        used, needed = len(self.ids), len(self.ids) + columns.shape[1]
        if needed > self._buffer.shape[1]:
            grown = np.empty((columns.shape[0], max(needed, 2 * used)), order="F")
            grown[:, :used] = self._buffer[:, :used]
            self._buffer = grown
        self._buffer[:, used:needed] = columns


def squared_lengths(columns: Columns, weight: Array) -> Array:
    """Squared length of each of a few columns, rows weighted.

    Summed column by column and not by BLAS, whose rounding depends on how many columns it is given: a
    fit taken up from a checkpoint must see the same numbers.
    """
    return np.asarray((columns * columns * weight[:, None]).sum(axis=0)).ravel()

"""The active columns on a GPU: a solver sees a matrix whose products run there.

What goes to and fro in a product is one number for each row or for each column; the columns stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.sources.device.arrays import batches, put, room_for, take
from handful.spaces.active import ActiveColumns
from handful.spaces.base import NO_IDS, Array
from handful.spaces.columns import GrowingColumns


class DeviceColumns:
    """A few columns on a device, as the products that solvers need.

    Beside these there is :meth:`weighted_gram`, which a GPU makes in the time of a few products.

    Parameters
    ----------
    rows : torch.Tensor of shape (n_columns, n_samples), float64
        The columns, each as a row.
    """

    __array_ufunc__ = None  # let NumPy leave ``*`` and ``@`` to this class

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.shape = (int(rows.shape[1]), int(rows.shape[0]))

    @property
    def T(self) -> _Transposed:
        """The transpose, for products only."""
        return _Transposed(self)

    def __matmul__(self, weights: Array) -> Array:
        return take(self.rows.T @ put(np.asarray(weights), self.rows))

    def __mul__(self, factors: Array) -> DeviceColumns:
        return DeviceColumns(self.rows * put(np.asarray(factors), self.rows)[:, None])

    def __getitem__(self, key: tuple[slice, Any]) -> DeviceColumns:
        _, columns = key
        chosen = columns if isinstance(columns, slice) else put(np.asarray(columns), self.rows)
        return DeviceColumns(self.rows[chosen])

    def weighted_gram(self, weight: Array) -> tuple[Array, Array]:
        """Return ``X' diag(weight) X`` and ``X' weight`` for one number per row."""
        import torch

        weights, rows = put(np.ascontiguousarray(weight), self.rows), self.rows
        parts = batches(self.shape[0], 8 * max(len(rows), 1))
        gram = sum((rows[:, part] * weights[part]) @ rows[:, part].T for part in parts)
        both = take(torch.cat([gram, (rows @ weights)[None]]))
        return both[:-1], both[-1]


class _Transposed:
    __array_ufunc__ = None

    def __init__(self, columns: DeviceColumns) -> None:
        self.T = columns
        self.shape = columns.shape[::-1]

    def __matmul__(self, a: Array) -> Array:
        rows = self.T.rows
        return take(rows @ put(np.asarray(a), rows))


class _GrowingOnDevice(GrowingColumns):
    """Room for columns on the device."""

    def _empty(self, n_columns: int, n_rows: int) -> Any:
        import torch

        like = self._room
        with room_for(f"{n_columns} active columns", 8 * n_columns * n_rows, like):
            return torch.empty((n_columns, n_rows), dtype=like.dtype, device=like.device)

    def _picked(self, positions: Array) -> Any:
        return self._room[put(positions, self._room)]


class ActiveOnDevice(ActiveColumns):
    """Active columns that never leave the device."""

    @property
    def matrix(self) -> DeviceColumns:
        """The columns of all active features side by side."""
        return DeviceColumns(self._held.columns.T)

    def _clear(self) -> None:
        nothing = self.space.rows_of(NO_IDS)  # type: ignore[attr-defined]
        self._held = _GrowingOnDevice(nothing.T)
        self._row_weight = put(self._weight, nothing)

    def _append(self, ids: Array) -> Array:
        new = self.space.rows_of(ids)  # type: ignore[attr-defined]
        self._held.add(new.T)
        return take((new * new * self._row_weight).sum(dim=1))

    def _retain(self, columns: Array) -> None:
        self._held.keep(columns)

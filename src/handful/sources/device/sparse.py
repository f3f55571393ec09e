"""A sparse matrix on a device, by columns: products with all of them, and a few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sources.device.arrays import BLOCK_BYTES, SparseParts, put, take
from handful.spaces.base import Array

BYTES_EACH = 32  # of an entry on its way into a sum


class SparseTensor:
    """Columns of stored entries. A matrix by rows is turned into columns once, on its device.

    Parameters
    ----------
    parts : SparseParts
    """

    def __init__(self, parts: SparseParts) -> None:
        self.shape = parts.shape
        if parts.by_columns:
            self.indptr, self.rows, self.data = parts.indptr, parts.indices, parts.data
        else:
            self.indptr, self.rows, self.data = _columns_of(parts)
        self._starts = take(self.indptr).astype(np.int64)

    @property
    def values(self) -> Any:
        """Where the numbers are."""
        return self.data

    def dots(self, a: Any, *, in_float64: bool = True, square: bool = False) -> Any:
        """``X' a`` as float64, (n_features, n_outputs), a block of columns at a time.

        All sums are taken in float64; ``square`` has the squares of the entries in place of them.
        """
        import torch

        n_columns = self.shape[1]
        sums = torch.zeros((n_columns, a.shape[1]), dtype=torch.float64, device=self.data.device)
        start = 0
        while start < n_columns:
            limit = self._starts[start] + BLOCK_BYTES // BYTES_EACH
            stop = int(np.searchsorted(self._starts, limit, side="right")) - 1
            stop = min(max(stop, start + 1), n_columns)
            entries = slice(int(self._starts[start]), int(self._starts[stop]))
            values = self.data[entries].double()
            values = values * values if square else values
            offsets = (self.indptr[start : stop + 1] - self._starts[start]).long()
            for k in range(a.shape[1]):
                products = values * a[:, k].index_select(0, self.rows[entries])
                sums[start:stop, k] = torch.segment_reduce(products, "sum", offsets=offsets)
            start = stop
        return sums

    def squared_norms(self, weight: Any) -> Any:
        """Return ``sum over rows of weight x^2`` for each column."""
        return self.dots(weight[:, None], square=True)[:, 0]

    def gather(self, ids: Array) -> sp.csc_array:
        """Return a few columns in memory, float64."""
        lengths = np.diff(self._starts)[ids]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        where = np.repeat(self._starts[ids] - indptr[:-1], lengths) + np.arange(indptr[-1])
        places = put(where, self.data)
        rows, data = take(self.rows[places]), take(self.data[places].double())
        return sp.csc_array((data, rows, indptr), shape=(self.shape[0], len(ids)))

    def rows_of(self, ids: Array) -> Any:
        """Return columns as the rows of a dense float64 tensor."""
        return put(self.gather(ids).T.toarray(), self.data)


def _columns_of(parts: SparseParts) -> tuple[Any, Any, Any]:
    """Turn a matrix by rows into one by columns, rows ascending in each."""
    import torch

    lengths = parts.indptr.diff()
    rows = torch.repeat_interleave(
        torch.arange(parts.shape[0], device=parts.indptr.device, dtype=parts.indices.dtype), lengths
    )
    order = torch.argsort(parts.indices, stable=True)
    counts = torch.bincount(parts.indices, minlength=parts.shape[1])
    indptr = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    return indptr, rows[order], parts.data[order]

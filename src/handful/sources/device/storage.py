"""A dense tensor, or a sparse one by columns: products with all columns, and a few of them, on its device."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sizes import current_sizes, slices
from handful.sources.blocks import cut_by_entries
from handful.sources.device.arrays import SparseParts, batches, put, take
from handful.spaces.base import Array

# float32 data are multiplied in float32 for this many rows at a time, and those sums are added up in
# float64: by rows each of eight lanes has 128 of them, by columns each of 256 lanes has 32.
ROWS_BY_ROWS, ROWS_BY_COLUMNS = 1024, 8192
OUTPUTS_AT_ONCE = 4
BYTES_EACH = 32  # of an entry on its way into a sum


class DenseTensor:
    """A strided tensor of float64, float32 or half precision, read in place.

    Parameters
    ----------
    X : torch.Tensor of shape (n_samples, n_features)
    """

    def __init__(self, X: Any) -> None:
        self.X = X if 1 in X.stride() else X.contiguous()
        self.shape = (int(X.shape[0]), int(X.shape[1]))

    @property
    def values(self) -> Any:
        """Where the numbers are."""
        return self.X

    def dots(self, a: Any, *, in_float64: bool = False, square: bool = False) -> Any:
        """``X' a`` as float64, (n_features, n_outputs); a is a float64 tensor on the same device.

        ``in_float64`` has every product and sum in float64 whatever the type of X, and ``square`` has
        the squares of its entries in place of them.
        """
        import torch

        in_float64 = in_float64 or self.X.dtype == torch.float64
        a = a.to(torch.float64 if in_float64 else torch.float32)
        product = _scan if _has_scan(self.X) else _by_torch
        dots = torch.empty((self.shape[1], a.shape[1]), dtype=torch.float64, device=a.device)
        for some in slices(a.shape[1], OUTPUTS_AT_ONCE):
            dots[:, some] = product(self.X, a[:, some], square)
        return dots

    def rows_of(self, ids: Array) -> Any:
        """Return columns as the rows of a float64 tensor."""
        import torch

        where = put(ids, self.X)
        return self.X.T.index_select(0, where).to(torch.float64)

    def squared_norms(self, weight: Any) -> Any:
        """Return ``sum over rows of weight x^2`` for each column."""
        return self.dots(weight[:, None], in_float64=True, square=True)[:, 0]


def _has_scan(X: Any) -> bool:
    """Whether there is a GPU and Triton to write for it."""
    if X.device.type != "cuda":
        return False
    from handful.kernels import column_products

    return hasattr(column_products, "add_partial_products")


def _scan(X: Any, a: Any, square: bool) -> Any:
    """One pass over X for up to ``OUTPUTS_AT_ONCE`` vectors."""
    import torch

    from handful.kernels.column_products import add_partial_products

    by_rows = X.stride(1) == 1
    outputs = 1 << (a.shape[1] - 1).bit_length()
    vectors = torch.zeros((outputs, len(X)), dtype=a.dtype, device=X.device)
    vectors[: a.shape[1]] = a.T
    rows = ROWS_BY_ROWS if by_rows else ROWS_BY_COLUMNS
    height, width = (8, 512 // min(outputs, 2)) if by_rows else (256, 16 // outputs)
    n_blocks, n_chunks = -(-X.shape[1] // width), -(-len(X) // rows)
    partial = torch.empty((n_chunks, outputs, X.shape[1]), dtype=a.dtype, device=X.device)
    with torch.cuda.device(X.device):
        add_partial_products[(n_blocks * n_chunks,)](
            *(X, vectors, partial, len(X), X.shape[1], n_blocks, X.stride(0), X.stride(1)),
            *(rows, height, width, outputs, square),
            num_warps=4,
        )
    return partial[:, : a.shape[1]].sum(dim=0, dtype=torch.float64).T


def _by_torch(X: Any, a: Any, square: bool) -> Any:
    import torch

    dots = torch.zeros((X.shape[1], a.shape[1]), dtype=torch.float64, device=X.device)
    converted = 0 if X.dtype == a.dtype and not square else 16 * X.shape[1]
    sizes = current_sizes()
    most = sizes.torch_rows_on_gpu if X.device.type == "cuda" else sizes.torch_rows_on_cpu
    for rows in batches(len(X), converted, most):
        block = X[rows].to(a.dtype)
        block = block * block if square else block
        for k in range(a.shape[1]):  # one matrix product of few outputs would be slower
            dots[:, k] += torch.mv(block.T, a[rows, k])
    return dots


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
        most = current_sizes().device_block_bytes // BYTES_EACH
        for start, stop in cut_by_entries(self._starts, 0, most):
            entries = slice(int(self._starts[start]), int(self._starts[stop]))
            values = self.data[entries].double()
            values = values * values if square else values
            offsets = (self.indptr[start : stop + 1] - self._starts[start]).long()
            for k in range(a.shape[1]):
                products = values * a[:, k].index_select(0, self.rows[entries])
                sums[start:stop, k] = torch.segment_reduce(products, "sum", offsets=offsets)
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

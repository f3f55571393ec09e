"""A dense tensor: products with all its columns, and a few columns, on its device."""

from __future__ import annotations

from typing import Any

from handful.sources.device.arrays import batches, put
from handful.spaces.base import Array

# float32 data are multiplied in float32 for this many rows at a time, and those sums are added up in
# float64: by rows each of eight lanes has 128 of them, by columns each of 256 lanes has 32.
ROWS_BY_ROWS, ROWS_BY_COLUMNS = 1024, 8192
ROWS_OF_TORCH = {"cpu": 256, "cuda": 4096}  # a GPU's own product has its lanes too
OUTPUTS_AT_ONCE = 4


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
        for first in range(0, a.shape[1], OUTPUTS_AT_ONCE):
            some = slice(first, first + OUTPUTS_AT_ONCE)
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
    for rows in batches(len(X), converted, ROWS_OF_TORCH[X.device.type]):
        block = X[rows].to(a.dtype)
        block = block * block if square else block
        for k in range(a.shape[1]):  # one matrix product of few outputs would be slower
            dots[:, k] += torch.mv(block.T, a[rows, k])
    return dots

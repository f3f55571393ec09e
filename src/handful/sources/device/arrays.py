"""Arrays on a GPU, whoever made them: torch computes, and CuPy's arrays are seen by it without a copy.

Nothing here imports torch until a matrix of torch or CuPy comes along.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.sizes import current_sizes, slices
from handful.spaces.base import Array
from handful.validation.sources import (
    check_coordinates,
    check_device,
    check_one_device,
    check_sparse,
    too_little_memory,
    torch_is_missing,
    unknown_layout,
)

MOST_PINNED = (
    2**22
)  # copies up to this size go through page-locked memory, at several times the speed
HALVES = ("float16", "bfloat16")


@dataclass(frozen=True)
class SparseParts:
    """A sparse matrix by rows or by columns.

    Attributes
    ----------
    indptr, indices, data : torch.Tensor
    shape : tuple of two int
    by_columns : bool
        CSC, or CSR.
    """

    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, int]
    by_columns: bool


def as_tensor(X: Any) -> Any:
    """Return a torch tensor, or :class:`SparseParts`, of the same memory as X."""
    try:
        import torch
    except ImportError:
        raise torch_is_missing(X) from None
    if isinstance(X, torch.Tensor):
        made = _of_torch(X.detach(), torch)
    elif hasattr(X, "indptr") or hasattr(X, "tocsr"):
        made = _of_cupyx(X, torch)
    else:
        made = torch.from_dlpack(X)
    if isinstance(made, SparseParts):
        check_sparse(made)
    check_device(values_of(made).device)
    return made


def values_of(matrix: Any) -> Any:
    """Return the tensor that holds the numbers of a dense or sparse matrix."""
    return matrix.data if isinstance(matrix, SparseParts) else matrix


def numpy_dtype(tensor: Any) -> np.dtype[Any]:
    """Return the type a tensor is computed with: half precision is read as float32."""
    name = str(tensor.dtype).removeprefix("torch.")
    return np.dtype("float32") if name in HALVES else _dtype(name)


def _dtype(name: str) -> np.dtype[Any]:
    try:
        return np.dtype(name)
    except TypeError:  # NumPy has none of that name: refused by the checks that follow
        return np.dtype(object)


def _of_torch(X: Any, torch: Any) -> Any:
    if X.layout is torch.strided:
        return X
    if X.layout is torch.sparse_coo:
        check_coordinates(X._indices(), X.shape)
        X = X.coalesce().to_sparse_csr()
    if X.layout is torch.sparse_csr:
        return SparseParts(X.crow_indices(), X.col_indices(), X.values(), tuple(X.shape), False)
    if X.layout is torch.sparse_csc:
        return SparseParts(X.ccol_indices(), X.row_indices(), X.values(), tuple(X.shape), True)
    raise unknown_layout(X.layout)


def _of_cupyx(X: Any, torch: Any) -> SparseParts:
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    check_one_device({f"cuda:{part.device.id}" for part in (X.indptr, X.indices, X.data)})
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    indptr, indices, data = (torch.from_dlpack(part) for part in (X.indptr, X.indices, X.data))
    return SparseParts(indptr, indices, data, tuple(X.shape), X.format == "csc")


def put(array: Array, like: Any) -> Any:
    """Copy an array to the device of a tensor."""
    import torch

    made = torch.from_numpy(np.require(array, requirements=("C", "W")))
    if like.device.type == "cpu" or made.nbytes > MOST_PINNED:
        return made.to(device=like.device)
    # torch reuses such memory once the copy out of it is done. It would copy into it with many
    # threads, which takes longer to begin than the copy.
    pinned = torch.empty(made.shape, dtype=made.dtype, pin_memory=True)
    np.copyto(pinned.numpy(), made.numpy())
    return pinned.to(device=like.device, non_blocking=True)


def take(tensor: Any) -> Array:
    """Copy a tensor into memory."""
    if tensor.device.type == "cpu" or tensor.nbytes > MOST_PINNED:
        return np.asarray(tensor.cpu().numpy())
    import torch

    pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    return np.asarray(pinned.copy_(tensor).numpy())


def free_bytes(tensor: Any) -> int | None:
    """Return what is free on the GPU of a tensor, memory that torch holds unused included."""
    if tensor.device.type != "cuda":
        return None
    import torch

    held = torch.cuda.memory_reserved(tensor.device) - torch.cuda.memory_allocated(tensor.device)
    return int(torch.cuda.mem_get_info(tensor.device)[0]) + int(held)


@contextmanager
def room_for(what: str, needed: int, like: Any) -> Iterator[None]:
    """Say in one sentence what did not fit on the GPU, and how large it is."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise too_little_memory(what, needed, free_bytes(like) or 0) from error


@contextmanager
def exact_float32() -> Iterator[None]:
    """Keep float32 matrix products from being rounded to fewer digits, whatever the user has set."""
    import torch

    settings = torch.backends.cuda.matmul
    name, exact = (
        ("fp32_precision", "ieee") if hasattr(settings, "fp32_precision") else ("allow_tf32", False)
    )
    before = getattr(settings, name)
    setattr(settings, name, exact)
    try:
        yield
    finally:
        setattr(settings, name, before)


def batches(total: int, bytes_each: int, most: int | None = None) -> Iterator[slice]:
    """Cut ``range(total)`` into slices that take no more than a step may, nor ``most`` items."""
    size = max(1, current_sizes().device_block_bytes // max(bytes_each, 1))
    return slices(total, size if most is None else min(size, most))

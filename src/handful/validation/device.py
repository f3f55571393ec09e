"""Checks of matrices that are torch or CuPy arrays, and their messages."""

from __future__ import annotations

from typing import Any

from handful.validation.indices import points_outside

DEVICES = ("cpu", "cuda")
GIB = 2**30


def in_memory(values: Any) -> Any:
    """Return what is on a GPU as an array in memory; anything else as it is."""
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # torch
        return values.detach().cpu().numpy()
    if hasattr(values, "get") and hasattr(values, "__cuda_array_interface__"):  # CuPy
        return values.get()
    return values


def check_device(device: Any) -> None:
    """Raise unless X is where float64 sums can be taken."""
    if device.type not in DEVICES:
        raise ValueError(
            f"X is on the device {str(device)!r}; a fit runs on tensors of CUDA devices and of the CPU, so "
            "move it there first, for example with X.cpu()."
        )


def check_same_device(device: Any, other: Any, name: str) -> None:
    """Raise when the targets are on another GPU than X; in memory they may always be."""
    if other.type != "cpu" and other != device:
        raise ValueError(
            f"X is on the device {str(device)!r} and {name} on {str(other)!r}; move {name} to the device "
            "of X or into memory."
        )


def check_one_device(devices: set[str]) -> None:
    """Raise when the arrays of one sparse matrix are not together."""
    if len(devices) > 1:
        where = " and ".join(repr(device) for device in sorted(devices))
        raise ValueError(f"the arrays of X are on the devices {where}; move them to one device.")


def check_sparse(parts: Any) -> None:
    """Raise when the indices of a CSR or CSC matrix point outside of it: torch looks only if it is asked to.

    One pass where the matrix is, as :func:`handful.validation.indices.checked` makes one in memory.
    """
    lines, across = parts.shape[::-1] if parts.by_columns else parts.shape
    indptr, indices = parts.indptr, parts.indices
    if (
        tuple(indptr.shape) != (lines + 1,)
        or tuple(indices.shape) != tuple(parts.data.shape)
        or indices.ndim != 1
        or int(indptr[0]) != 0
        or int(indptr[-1]) != len(indices)
        or bool((indptr[1:] < indptr[:-1]).any())
        or not _in_range(indices, across)
    ):
        raise points_outside("CSC" if parts.by_columns else "CSR")


def check_coordinates(indices: Any, shape: Any) -> None:
    """Raise when the coordinates of a COO matrix lie outside of it."""
    if len(shape) != len(indices) or not all(map(_in_range, indices, shape)):
        raise points_outside("COO")


def _in_range(indices: Any, size: int) -> bool:
    if not len(indices):
        return True
    least, most = indices.aminmax()
    return int(least) >= 0 and int(most) < size


def unknown_layout(layout: Any) -> TypeError:
    """Return the error for a sparse layout that has no columns to go down."""
    return TypeError(
        f"X has the layout {layout}; give a dense, CSR, CSC or COO tensor, for example "
        "X.to_sparse_csc()."
    )


def torch_is_missing(X: Any) -> ImportError:
    """Return the error for CuPy arrays without torch, which computes with them."""
    return ImportError(
        f"X is a {type(X).__module__}.{type(X).__name__}, and handful computes on GPUs with torch, "
        "which is not installed; install torch, or bring X into memory with X.get()."
    )


def too_little_memory(what: str, needed: int, free: int) -> MemoryError:
    """Return the error for a GPU that is full."""
    return MemoryError(
        f"{what} needs {needed / GIB:.3g} GiB on the GPU, of which {free / GIB:.3g} GiB are free; free "
        "some, select fewer features, or give X as an array in memory."
    )

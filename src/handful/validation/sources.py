"""Checks of a matrix that is not in memory: on disk, on a cluster, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation.indices import points_outside

Array = np.ndarray
DEVICES = ("cpu", "cuda")
GIB = 2**30


class NotInMemoryError(TypeError, ValueError):
    """What was asked for needs an array, and X is not in memory."""


def check_shape(shape: tuple[int, ...], least_samples: int) -> None:
    """Raise unless there are rows and columns enough."""
    if len(shape) != 2:
        raise ValueError(f"X must have rows and columns; got an array of {len(shape)} dimensions.")
    for size, least, what in zip(shape, (least_samples, 1), ("sample", "feature"), strict=True):
        if size < least:
            raise ValueError(
                f"Found array with {size} {what}(s) while a minimum of {least} is required."
            )


def check_dtype(dtype: Any) -> None:
    """Raise unless the numbers are of a type that is computed with."""
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"X must hold float32 or float64 numbers; got {dtype}, convert it first.")


def check_n_rows(n_samples: int, y: Any) -> None:
    """Raise unless there is one target for each row."""
    if y.shape[0] != n_samples:
        raise ValueError(
            f"y must have one entry for each of the {n_samples} rows of X; got {y.shape[0]}."
        )


def check_n_features(n_features: int, expected: int, owner: str) -> None:
    """Raise unless X has as many columns as the data of the fit."""
    if n_features != expected:
        raise ValueError(
            f"X has {n_features} features, but {owner} is expecting {expected} features as input."
        )


def check_names(names: Sequence[str] | Array | None, expected: Array | None) -> None:
    """Raise when columns have other names than in the fit; those without names are taken in order."""
    if names is None or expected is None:
        return
    for j, (name, known) in enumerate(zip(names, expected, strict=True)):
        if name != known:
            raise ValueError(
                f"column {j} of X is named {str(name)!r} and was {str(known)!r} in fit; give the same columns "
                "in the same order."
            )


def no_pairs(matrix: Any) -> NotInMemoryError:
    """Return the error for products of two columns where there is no search for them."""
    return NotInMemoryError(
        f"the pairs of a {type(matrix).__name__} cannot be searched; bring the columns of interest into memory."
    )


def not_in_memory(matrix: Any) -> NotInMemoryError:
    """Return the error for an attempt to have all of the matrix as an array."""
    return NotInMemoryError(
        f"a {type(matrix).__name__} is not in memory, where this is computed; use FGM, greedy RLS or the lasso of "
        "several tasks, or select columns first and give those as an array."
    )


def only_in_memory(space: Any) -> NotInMemoryError:
    """Return the error for features that are made from a sorted copy of X."""
    return NotInMemoryError(
        f"{type(space).__name__} sorts a copy of X in memory and X is not there; use space=None, "
        "groups or Polynomial, or give X as an array."
    )


# ---------------------------------------------------------------- on a cluster


def array_dtype(X: Any) -> np.dtype[Any]:
    """Return the type that a dask array is computed with; raise unless it is a matrix of numbers."""
    if not all(hasattr(X, name) for name in ("chunks", "map_blocks", "to_delayed", "rechunk")):
        raise TypeError(
            f"X is a {type(X).__name__} of dask; give an array, for a dask DataFrame "
            "X.to_dask_array(lengths=True)."
        )
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead; reshape X to rows and columns."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers; got {X.dtype}, convert it with X.astype(float).")
    if np.isnan(X.shape).any():
        raise ValueError(
            "X has chunks of unknown size; call X.compute_chunk_sizes() first, or make it with "
            "to_dask_array(lengths=True)."
        )
    return X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)


def check_chunks(shapes: Sequence[tuple[int, ...]], expected: Sequence[tuple[int, int]]) -> None:
    """Raise when a chunk is not as large as the array says."""
    for shape, wanted in zip(shapes, expected, strict=True):
        if tuple(shape) != wanted:
            raise ValueError(
                f"a chunk of X has shape {tuple(shape)} where the array says {wanted}; call "
                "X.compute_chunk_sizes() or check what makes the chunks."
            )


def check_kinds(are_sparse: Sequence[bool]) -> None:
    """Raise when some chunks are sparse and some dense."""
    if any(are_sparse) and not all(are_sparse):
        raise ValueError(
            f"{sum(are_sparse)} of the {len(are_sparse)} chunks of X are sparse and the others dense; "
            "make them all one kind with X.map_blocks."
        )


def no_workers(seconds: float) -> RuntimeError:
    """Return the error for a cluster that has lost its last worker."""
    return RuntimeError(
        f"The dask cluster has had no worker for {seconds:g} seconds and the fit was given up; start "
        "workers and fit again (dask.config 'handful.worker-timeout' sets how long to wait)."
    )


def lost_cluster(error: BaseException) -> RuntimeError:
    """Return the error for a scheduler that is gone, or work that it cannot do again."""
    return RuntimeError(
        "The dask cluster lost chunks of X, or its scheduler, and could not compute them again "
        f"({type(error).__name__}); check the workers' memory and logs and fit again."
    )


# ---------------------------------------------------------------- on a GPU


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

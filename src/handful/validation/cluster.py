"""Checks of dask arrays and of the cluster they live on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


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

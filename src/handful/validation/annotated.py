"""What is said about .h5ad files that cannot be used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation import near
from handful.validation.cells import first_not_finite
from handful.validation.indices import pointers_rise
from handful.validation.store import StoreError

PathLike = str | os.PathLike[str]


def needs_h5py(path: PathLike) -> StoreError:
    """Return the error for a file that nothing can open here."""
    return StoreError(
        f"reading {path} needs h5py, which comes with anndata; install it with: pip install "
        "'handful[anndata]'"
    )


def unreadable(path: PathLike, error: Exception) -> StoreError:
    """Return the error for what is no HDF5 file, or is not there."""
    reason = "it does not exist" if not os.path.exists(path) else f"{error}".split("\n", 1)[0]
    return StoreError(f"{path} is not a readable h5ad file ({reason})")


def no_matrix(path: PathLike) -> StoreError:
    """Return the error for a file without X."""
    return StoreError(f"{path} holds no matrix X; write the AnnData object again with X set")


def unknown_layout(path: PathLike, what: str) -> StoreError:
    """Return the error for a matrix that is neither dense nor sparse numbers."""
    return StoreError(
        f"{path}: X is stored as {what}; expected a dense, CSR or CSC matrix of numbers"
    )


def damaged(path: PathLike, error: Exception) -> StoreError:
    """Return the error for indices that make no matrix, or what h5py makes of a spoilt file."""
    reason = " ".join(str(error).split())
    return StoreError(f"{path} is damaged ({reason}); write it again")


def check_numbers(
    path: PathLike, part: Any, first_row: int, names: Any, first_column: int = 0
) -> None:
    """Raise when there are numbers to compute nothing with; ``names`` are those of the columns of this part."""
    place = first_not_finite(part)
    if place is not None:
        row, column = first_row + place[0], first_column + place[1]
        name = repr(column if names is None else str(names[place[1]]))
        raise StoreError(
            f"{path}: X contains NaN or infinity (row {row}, column {name}); impute or drop those rows first"
        )


def check_pointers(path: PathLike, indptr: np.ndarray, n_lines: int, n_entries: int) -> None:
    """Raise unless pointers of a sparse matrix rise, one for each line and one more."""
    if not pointers_rise(indptr, n_lines, n_entries):
        raise damaged(path, ValueError("the pointers of X do not rise"))


def no_column(path: PathLike, name: str, known: Sequence[str]) -> StoreError:
    """Return the error for a target that obs does not have."""
    hint = near(name, known) or f"; it has {', '.join(map(repr, known[:5])) or 'none'}"
    return StoreError(f"{path}: obs has no column {name!r}{hint}")


def missing_values(path: PathLike, name: str) -> StoreError:
    """Return the error for a target with gaps."""
    return StoreError(
        f"{path}: the column {name!r} of obs has missing values; drop those rows first"
    )


def check_whole(shape: tuple[int, ...], seen: Any) -> None:
    """Raise when an object shows a part of its file only."""
    if tuple(shape) != tuple(seen):
        raise StoreError(
            f"the AnnData object is a view of {seen[0]} x {seen[1]} of a file of {shape[0]} x "
            f"{shape[1]}; give view.to_memory(), or the whole object"
        )

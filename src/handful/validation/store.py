"""What is said about a matrix on disk that cannot be used: a store, or an .h5ad file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from typing import Any

import numpy as np

from handful.files import open_regular, reason_of
from handful.validation import near
from handful.validation.cells import first_not_finite
from handful.validation.indices import pointers_rise

PathLike = str | os.PathLike[str]
_REMEDY = "copy the store again, or make it anew with handful convert"


class StoreError(ValueError):
    """A store, or an .h5ad file, cannot be used; the message is one sentence that names the file and what to do."""


def not_a_store(path: PathLike, unfinished: bool) -> StoreError:
    """Return the error for a path without a manifest."""
    if unfinished:
        return StoreError(
            f"{path} is not there yet: its conversion was interrupted; run the same handful convert "
            "again, which goes on where it stopped"
        )
    return StoreError(f"{path} is not a store: it has no store.json; make one with handful convert")


def unreadable_manifest(path: PathLike, reason: str) -> StoreError:
    """Return the error for a manifest that says nothing, or nonsense."""
    return StoreError(f"{path} is damaged ({reason}); {_REMEDY}")


def other_version(path: PathLike, got: Any, known: int) -> StoreError:
    """Return the error for a store of the future."""
    return StoreError(
        f"{path} has the version {got!r} of the format and this handful reads {known}; update handful, or "
        "convert the data again"
    )


@contextmanager
def opened_part(path: PathLike, n_bytes: int) -> Iterator[BufferedReader]:
    """Open a file of a store; StoreError when it is not there, cannot be read, or has not so many bytes."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size != n_bytes:
                how = "cut short" if size < n_bytes else "too long"
                raise StoreError(f"{path} is {how}: {size} bytes and not {n_bytes}; {_REMEDY}")
            yield file
    except FileNotFoundError:
        raise StoreError(f"{path} is missing from the store; {_REMEDY}") from None
    except OSError as error:
        raise cannot_open(path, error) from error


def other_header(path: PathLike, got: str, expected: str) -> StoreError:
    """Return the error for an array of another type or shape than the manifest says."""
    return StoreError(f"{path} holds {got} and should hold {expected}; {_REMEDY}")


def altered(path: PathLike, what: str) -> StoreError:
    """Return the error for bytes that are not those that were written."""
    return StoreError(f"{path} was altered: {what}; {_REMEDY}")


def repeated_name(path: PathLike, name: str) -> StoreError:
    """Return the error for a name that two columns have: a model would take one for the other."""
    return StoreError(f"{path} calls two columns {name!r}; rename one and convert the data again")


def bad_block(path: PathLike, first: int, stop: int, complaint: str) -> StoreError:
    """Return the error for numbers that no conversion writes."""
    return StoreError(f"{path}, columns {first} to {stop - 1}: {complaint}; {_REMEDY}")


def cannot_open(path: PathLike, error: OSError) -> StoreError:
    """Return the error for what the system says."""
    return StoreError(f"cannot read {path}: {reason_of(error)}")


def target_inside(path: PathLike, target: str) -> StoreError:
    """Return the error for a target that is asked of a store."""
    return StoreError(
        f"{path} is a store and has its target in it as y; leave target={target!r} out"
    )


# ---------------------------------------------------------------- .h5ad files


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

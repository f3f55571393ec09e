"""Indices of sparse matrices, looked at before compiled code follows them.

scikit-learn checks dense arrays, and of sparse ones the numbers that are stored, but not where they
are stored: ``indptr`` and ``indices`` of a CSR, CSC or BSR matrix, and the coordinates of a COO matrix,
are whatever they were set to, and a wrong one makes any loop over them read or write elsewhere in
memory. So these get one pass, once for each matrix that is given to an estimator or read from a file.
Other formats, which Python makes rows of (LIL, DOK, DIA), get it after that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
_COMPRESSED = ("csr", "csc", "bsr")


def pointers_rise(indptr: Array, n_lines: int, n_entries: int) -> bool:
    """Whether pointers go from 0 to the number of entries, one for each line and one more.

    Neighbours are compared and not subtracted: differences may wrap around, and look like rising.
    """
    return bool(
        indptr.shape == (n_lines + 1,)
        and indptr.dtype.kind in "iu"
        and indptr[0] == 0
        and indptr[-1] == n_entries
        and not (indptr[1:] < indptr[:-1]).any()
    )


def in_range(indices: Array, size: int) -> bool:
    """Whether whole numbers are at least 0 and below size; one pass, as negative ones are seen as large."""
    if indices.dtype.kind not in "iu":
        return False
    return len(indices) == 0 or int(indices.view(f"u{indices.itemsize}").max()) < size


def checked(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix that does not point outside of itself, by rows if it is of no such format.

    ValueError otherwise; see the top of this file.
    """
    if X.format not in (*_COMPRESSED, "coo"):
        X = X.tocsr()
    is_sound = all(map(in_range, X.coords, X.shape)) if X.format == "coo" else _is_sound(X)
    if not is_sound:
        raise points_outside(X.format.upper(), name)
    return X


def points_outside(layout: str, name: str = "X") -> ValueError:
    """Return the error for a matrix that would have memory read that is not its own."""
    return ValueError(
        f"{name} is a {layout} matrix whose indices point outside of it; make it anew from its rows, "
        "columns and values."
    )


def _is_sound(X: Any) -> bool:
    height, width = X.blocksize if X.format == "bsr" else (1, 1)
    lines, across = X.shape[::-1] if X.format == "csc" else X.shape
    n_entries = int(X.indptr[-1]) if len(X.indptr) else -1
    return (
        pointers_rise(X.indptr, lines // height, n_entries)
        and n_entries <= min(len(X.indices), len(X.data))
        and in_range(X.indices[:n_entries], across // width)
    )

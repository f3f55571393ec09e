"""Check a matrix that came out of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.io.errors import InputError, check_room
from handful.validation.cells import first_not_finite
from handful.validation.indices import checked

_EXACT_IN_FLOAT32 = ("b1", "i1", "u1", "i2", "u2", "f2")


def as_matrix(path: Path, X: Any, first_row: int = 0, first_column: int = 0) -> Any:
    """Check what a stranger's file calls a matrix; return float32 or float64, CSR if sparse.

    Of a part of the matrix: where it begins, for the message.
    """
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: X holds {X.dtype} values, expected numbers")
    if sparse.issparse(X):
        n_rows, n_columns = X.shape
        check_room(path, 8 * (n_rows + n_columns), f"a matrix of {n_rows} x {n_columns}")
        X = sparse.csr_matrix(checked(X))
        if not X.has_canonical_format:
            X = X.copy()  # the arrays may be views of bytes that were read
            X.sum_duplicates()
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise InputError(f"{path} holds no values: its shape is {X.shape[0]} x {X.shape[1]}")
    if X.dtype not in (np.float32, np.float64):
        small = X.dtype.str[1:] in _EXACT_IN_FLOAT32
        X = X.astype(np.float32 if small else np.float64)
    place = first_not_finite(X)
    if place is not None:
        row, column = place[0] + first_row, place[1] + first_column
        raise InputError(f"{path}, row {row + 1}, column {column}: the value is NaN or infinite")
    return X

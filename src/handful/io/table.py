"""What is asked of a reader and what it returns, the matrix checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.io.errors import InputError, check_room
from handful.io.labels import LabelRules
from handful.validation.cells import first_not_finite
from handful.validation.indices import checked

_EXACT_IN_FLOAT32 = ("b1", "i1", "u1", "i2", "u2", "f2")


@dataclass(frozen=True)
class Table:
    """A feature matrix with what is known about its columns.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n_samples, n_features)
        float32 or float64; sparse when the file is sparse.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), or None
        The target: integers, floats or text; several targets: integers or floats. None when the
        file has none. Where rows without one are welcome they have None among texts, NaN among numbers.
    feature_names : tuple of str or None
        None when the file has no names.
    target_name : str or None
        The target as it was found: a column name, a position, a key or a file.
    target_names : tuple of str or None
        Of several targets: their names, one for each column of y.
    first_index : int
        What the file calls its first column: 1 for most svmlight files, else 0.
    left_out : tuple of int
        Of a file of columns without names: the positions of those that were dropped.
    n_beyond : int
        How many features of an svmlight file were left out, being beyond those that were asked for.
    """

    X: Any
    y: np.ndarray | None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    first_index: int = 0
    target_names: tuple[str, ...] | None = None
    left_out: tuple[int, ...] = ()
    n_beyond: int = 0


@dataclass(frozen=True)
class Request:
    """The options of :func:`handful.io.read_table`, on their way to the reader of a format.

    `role` is what messages call the target. `only` may be empty: the target alone is wanted. `labels` says
    what the texts of the target are. `left_out` are positions of the columns that a model, whose
    `n_features` are sought in a file without names, was fitted without. `text` are columns of text, which say nothing about how
    the file writes numbers.
    """

    target: str | None = None
    role: str = "target"
    targets: tuple[str, ...] | None = None
    target_optional: bool = False
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    header: bool | None = None
    n_features: int | None = None
    first_index: int | None = None
    labels: LabelRules = field(default_factory=LabelRules)
    left_out: tuple[int, ...] = ()
    text: tuple[str, ...] = ()


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

"""Which entry of X or y cannot be computed with: row and column, in the error itself.

Looking for the place costs a pass over the data, so it is done only after a check has failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils.validation import validate_data

from handful.sizes import slices
from handful.validation.names import first_repeated, two_of_a_name
from handful.validation.shapes import no_labels, ragged, refuse_lazy
from handful.validation.weights import plain

Array = np.ndarray
#: Numbers that are looked at together when a place is searched for.
AT_ONCE = 2**20
#: What the errors of checks say when a single entry is to blame.
_OF_ENTRIES = (
    *("NaN", "NA is ambiguous", "infinity", "'<'"),
    *("could not convert", "float()", "must be real number"),
)


def validated(estimator: Any, X: Any, **options: Any) -> Any:
    """Check X, and y where it is among the options, as ``validate_data`` does; errors say where.

    Targets are looked at more closely: None and labels that have no order are refused. So are dates in X, which
    scikit-learn takes for numbers, or not, depending on what is beside them, and masked entries, of which it takes what is
    behind the mask.
    """
    refuse_lazy("X", X)
    refuse_lazy("y", options.get("y"))
    _refuse_dates(X)
    _refuse_masked("X", X)
    _refuse_masked("y", options.get("y"))
    _refuse_no_targets(options.get("y"))
    if is_table(X) and not len(X.columns):
        X = np.empty((len(X), 0))  # scikit-learn's sentence about that is of arrays
    try:
        checked = validate_data(estimator, X, **options)
    except (TypeError, ValueError) as error:
        if any(word in str(error) for word in _OF_ENTRIES):
            located = _wrong_entry(X, error) or _wrong_target(options)
            if located is not None:
                raise located from error
        uneven = ragged(error, X, options.get("y"), are_labels=is_classifier(estimator))
        if uneven is not None:
            raise uneven from error
        if "unique column names" in str(error):  # from scikit-learn 1.9 on
            raise two_of_a_name(first_repeated(X.columns)) from error
        raise
    if options.get("y") is not None:
        wrong = _wrong_target(options)
        if wrong is None and is_classifier(estimator) and not sp.issparse(options["y"]):
            # Columns of pandas that may have gaps are objects before, and numbers after the check.
            wrong = no_labels(checked[1] if isinstance(checked, tuple) else checked)
        if wrong is not None:
            raise wrong
    return checked


def _refuse_dates(X: Any) -> None:
    """Raise for the first column that holds points in time, or how long something took."""
    has_names = is_table(X)
    kinds = X.dtypes if has_names else [X.dtype] if isinstance(X, np.ndarray) else []
    for place, kind in enumerate(kinds):
        is_date = getattr(kind, "kind", None) in ("m", "M") or str(kind).startswith("period[")
        if is_date or (hasattr(kind, "is_temporal") and kind.is_temporal()):
            where = f"column {short(X.columns[place])}" if has_names else "it"
            raise not_numbers_but_dates(where, kind)


def not_numbers_but_dates(where: str, kind: Any) -> ValueError:
    """Return the error for a column that holds points in time, or how long something took."""
    return ValueError(
        f"Input X must hold numbers, and {where} holds {kind}; turn dates into numbers first, such as days since "
        "one of them, or leave the column out."
    )


def is_table(X: Any) -> bool:
    """Whether X is a table of pandas or polars, whose columns have names."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _refuse_masked(name: str, values: Any) -> None:
    """Raise for the first entry of a masked array that is hidden by its mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        where = _called(tuple(int(i) for i in np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(
            f"Input {name} is masked ({where}), and what is behind a mask does not count; fill it in with filled(), or drop "
            "such rows first."
        )


def _refuse_no_targets(y: Any) -> None:
    """Raise for targets without a column: scikit-learn's sentences about that are of X, or of arrays and dtypes."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(
            "y has no columns; give what is to be predicted, a value for each sample or a column for each target."
        )


def first_not_finite(matrix: Any, at_once: int = AT_ONCE) -> tuple[int, int] | None:
    """Return row and column of the first NaN or infinity of a matrix of numbers, dense, CSR or CSC.

    Of a dense one so many numbers are looked at together.
    """
    if sp.issparse(matrix):
        bad = np.flatnonzero(~np.isfinite(matrix.data))
        if not len(bad):
            return None
        line = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        other = int(matrix.indices[bad[0]])
        return (line, other) if matrix.format == "csr" else (other, line)
    for rows in slices(matrix.shape[0], max(1, at_once // max(1, matrix.shape[1]))):
        bad = ~np.isfinite(matrix[rows])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            return rows.start + int(row), int(column)
    return None


def first_wrong(matrix: Any) -> str | None:
    """Return what the first entry is that is no finite number, and where, for an array that is not of numbers."""
    for column, values in _columns(matrix):
        row = _first_wrong(values)
        if row is not None:
            return f"{short(values[row])} in row {row}, column {short(column)}"
    return None


def entry_at(matrix: Any, row: int, column: int) -> float:
    """Return one number of a matrix, dense, CSR or CSC."""
    if sp.issparse(matrix):  # doubled entries would be added up, and infinities become NaN
        line, other = (row, column) if matrix.format == "csr" else (column, row)
        part = slice(matrix.indptr[line], matrix.indptr[line + 1])
        values = matrix.data[part][matrix.indices[part] == other]
        return float(values[~np.isfinite(values)][0])
    return float(matrix[row, column])


def check_finite(
    matrix: Any, names: Sequence[Any] | Array | None = None, first: tuple[int, int] = (0, 0)
) -> None:
    """Raise when a matrix holds NaN or infinity.

    ``names`` are those of its columns. Of a part of a matrix: ``first`` is where it begins.
    """
    place = first_not_finite(matrix)
    if place is not None:
        row, column = place
        name = first[1] + column if names is None else names[column]
        raise not_finite(entry_at(matrix, row, column), first[0] + row, name)


def not_finite(value: Any, row: int, column: Any) -> ValueError:
    """Return the error for a number that nothing can be computed with, where it is."""
    return ValueError(
        f"Input X contains {_kind(value)} (row {row}, column {short(column)}); impute or drop such rows first."
    )


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    return "infinity" if _is_number(value) and np.isinf(float(value)) else "NaN"


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def is_missing(value: Any) -> bool:
    """Tell whether there is nothing, or no finite number; a word is a word, whatever it says."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    is_word = isinstance(value, (str, bytes))
    return not is_word and _is_number(value) and not np.isfinite(float(value))


def _wrong_entry(X: Any, error: Exception) -> Exception | None:
    """Return the error for the first entry of X that is no finite number; None if there is none."""
    if isinstance(X, str):  # "no_validation"
        return None
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        place = first_not_finite(X) if X.dtype.kind == "f" else None
        return None if place is None else not_finite(entry_at(X, *place), *place)
    for column, values in _columns(X):
        row = _first_wrong(values)
        if row is None:
            continue
        value = values[row]
        if is_missing(value):
            return not_finite(value, row, column)
        if isinstance(error, TypeError):
            return TypeError(f"{error} (row {row}, column {short(column)} of X)")
        return ValueError(
            f"Input X must hold numbers, and row {row}, column {short(column)} holds {short(value)}; turn words into "
            "numbers first, for example with sklearn.preprocessing.OneHotEncoder."
        )
    return None


def _columns(X: Any) -> Iterator[tuple[int | str, Array]]:
    """Yield name, or place, and values of each column of a table or an array."""
    names: Sequence[Any] = list(getattr(X, "columns", ()))
    if hasattr(X, "iloc"):  # pandas
        for j, name in enumerate(names):
            yield name if isinstance(name, str) else j, X.iloc[:, j].to_numpy()
    elif hasattr(X, "get_columns"):  # polars
        for name, column in zip(names, X.get_columns(), strict=True):
            yield name, column.to_numpy()
    else:
        array = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        for j in range(array.shape[1] if array.ndim == 2 else 0):
            yield j, array[:, j]


def _first_wrong(values: Array) -> int | None:
    """Return where the first entry is that is no finite number."""
    if values.dtype.kind in "biu":
        return None
    if values.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(values))
        return int(bad[0]) if len(bad) else None
    for row, value in enumerate(values):
        if not _is_number(value) or not np.isfinite(float(value)):
            return row
    return None


def _wrong_target(options: dict[str, Any]) -> ValueError | None:
    """Return the error for the first target that cannot be used; None if there is none."""
    y = options.get("y")
    if y is None or sp.issparse(y):
        return None
    y = np.asarray(y)
    is_numeric = bool(options.get("y_numeric", False))
    if y.dtype.kind in "biu" or (y.dtype.kind in "US" and not is_numeric):
        return None
    for place in np.ndindex(*y.shape) if y.dtype.kind != "f" else np.argwhere(~np.isfinite(y)):
        where, value = tuple(int(i) for i in place), y[tuple(place)]
        if is_missing(value):
            kind = _kind(value)
            size = " or a value too large for dtype('float64')" if kind == "infinity" else ""
            return ValueError(
                f"Input y contains {kind}{size} ({_called(where)}); leave such samples out, or find out what "
                "belongs there."
            )
        if is_numeric and not _is_number(value):
            return ValueError(
                f"y must hold numbers, and {_called(where)} has {short(value)}; turn words into numbers first, or "
                "use a classifier."
            )
    return None if is_numeric or y.dtype.kind != "O" else _mixed_labels(y)


def _mixed_labels(y: Array) -> ValueError | None:
    """Return the error for labels of kinds that have no order among them."""
    try:
        np.unique(y)
    except TypeError:
        flat = y.ravel().tolist()
        other = next(i for i, label in enumerate(flat) if not _have_an_order(flat[0], label))
        return ValueError(
            f"y mixes labels of different kinds: sample 0 has {short(flat[0])} and sample {other} "
            f"{short(flat[other])}; make all words or all numbers."
        )
    return None


def _have_an_order(one: Any, other: Any) -> bool:
    try:
        return (one < other) in (True, False)
    except TypeError:
        return False


def _called(place: tuple[int, ...]) -> str:
    return f"sample {place[0]}" if len(place) == 1 else f"row {place[0]}, column {place[1]}"


def short(value: Any) -> str:
    """Show a value as it was written, not all of a long one."""
    shown = repr(plain(value))
    return shown if len(shown) <= 40 else f"{shown[:37]}..."

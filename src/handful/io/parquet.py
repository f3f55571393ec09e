"""Read parquet files; needs pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import Columns, choose_columns, mend_gap, refuse_text
from handful.io.errors import InputError
from handful.io.labels import LabelRules, check_labels, target_matrix
from handful.io.opening import reading
from handful.io.table import Request, Table


def read_parquet(path: Path, request: Request) -> Table:
    """Read the columns that are asked for; null is a missing value."""
    with opened(path) as file:
        columns, dtype = numeric_columns(file, path, request)
        names = columns.feature_names or ()
        X = np.empty((file.metadata.num_rows, len(names)), dtype=dtype, order="F")
        start = 0
        for batch in file.iter_batches(columns=list(names)):  # the file is never held twice
            stop = start + batch.num_rows
            X[start:stop] = batch_numbers(batch, path, names, dtype, start, columns.may_drop)
            start = stop
        y = read_targets(file, path, columns, request.labels)
    if X.shape[0] == 0:
        raise InputError(f"{path} holds no rows")
    return columns.table(X, y)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a parquet file; turn what goes wrong into one sentence."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputError(
            f"reading {path} needs pyarrow; install it with: pip install 'handful[files]'"
        ) from error
    try:
        with reading(path), pq.ParquetFile(path) as file:
            yield file
    except pa.ArrowException as error:
        first_line = str(error).splitlines()[0]
        raise InputError(f"{path} is not a readable parquet file ({first_line})") from error


def columns_of(file: Any, path: Path, request: Request) -> Columns:
    """Find the columns that are asked for."""
    names = file.schema_arrow.names
    return choose_columns(path, names, len(names), request)


def numeric_columns(file: Any, path: Path, request: Request) -> tuple[Columns, type]:
    """Find the columns that are asked for, which must hold numbers, and the type that fits them all.

    float32 when every column fits it without loss, else float64.
    """
    columns = columns_of(file, path, request)
    types = file.schema_arrow.types  # which the schema makes anew each time it is asked
    names = columns.feature_names or ()
    kinds = {name: types[j] for name, j in zip(names, columns.features, strict=True)}
    text = [name for name, kind in kinds.items() if not is_numeric(kind)]
    if text:
        raise refuse_text(path, text, columns.may_drop)
    small = {"float", "halffloat", "bool", "int8", "uint8", "int16", "uint16"}
    fits = all(str(kind) in small for kind in kinds.values())
    return columns, np.float32 if fits else np.float64


def is_numeric(kind: Any) -> bool:
    """Whether a column of this type holds numbers, or true and false."""
    import pyarrow.types as kinds

    tests = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    return any(test(kind) for test in tests)


def batch_numbers(
    batch: Any,
    path: Path,
    names: Sequence[str],
    dtype: type,
    first_row: int,
    may_drop: bool = True,
) -> np.ndarray:
    """Return some rows, column-major; ``first_row`` is where they begin in the file."""
    import pyarrow as pa

    X = np.empty((batch.num_rows, len(names)), dtype=dtype, order="F")
    for j, name in enumerate(names):
        column = batch.column(name).cast(pa.float64(), safe=False)
        X[:, j] = column.to_numpy(zero_copy_only=False)  # null becomes NaN
    if not np.isfinite(X).all():
        row, j = (int(found[0]) for found in np.nonzero(~np.isfinite(X)))
        raise InputError(
            f"{path}, row {first_row + row + 1}, column {names[j]!r}: the value is missing or not "
            f"finite; {mend_gap(may_drop)}"
        )
    return X


def read_targets(file: Any, path: Path, columns: Columns, rules: LabelRules) -> np.ndarray | None:
    """Return the target, or several side by side; None when there is none."""
    if columns.target_name is not None:
        return read_target(file, path, columns.target_name, rules)
    names = columns.target_names
    if names is None:
        return None
    targets = [read_target(file, path, name, rules) for name in names]
    return target_matrix(path, names, targets, may_be_missing=rules.may_be_missing)


def read_target(file: Any, path: Path, name: str, rules: LabelRules) -> np.ndarray:
    """Read the target; a row without one is named, unless that is welcome."""
    import pyarrow as pa

    column = file.read(columns=[name]).column(name).combine_chunks()
    gaps = rules.may_be_missing
    if column.null_count and not gaps:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]) + 1
        raise rules.refusal(f"{path}, row {row}", f"the {rules.role} {name!r}")
    if column.null_count and (is_numeric(column.type) or pa.types.is_null(column.type)):
        column = column.cast(pa.float64(), safe=False)  # where null becomes NaN
    return check_labels(path, name, column.to_numpy(zero_copy_only=False), may_be_missing=gaps)

"""Read parquet files; needs pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import choose_columns, refuse_text
from handful.io.compression import reading
from handful.io.errors import InputError
from handful.io.labels import check_labels
from handful.io.table import Request, Table
from handful.io.targets import target_matrix

__all__ = ["read_parquet"]


def read_parquet(path: Path, request: Request) -> Table:
    """Read the columns that are asked for; null is a missing value."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputError(
            f"reading {path} needs pyarrow; install it with: pip install 'handful[files]'"
        ) from error
    try:
        with reading(path), pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            columns = choose_columns(path, schema.names, len(schema.names), request)
            types = [schema.types[j] for j in columns.features]
            names = columns.feature_names or ()
            text = [name for name, kind in zip(names, types, strict=True) if not _is_numeric(kind)]
            if text:
                raise refuse_text(path, text)
            X = _read_features(file, path, names, _common_dtype(types))
            y = None
            if columns.target_name is not None:
                y = _read_target(file, path, columns.target_name)
            if columns.target_names is not None:
                several = [_read_target(file, path, name) for name in columns.target_names]
                y = target_matrix(path, columns.target_names, several)
    except pa.ArrowException as error:
        first_line = str(error).splitlines()[0]
        raise InputError(f"{path} is not a readable parquet file ({first_line})") from error
    if X.shape[0] == 0:
        raise InputError(f"{path} holds no rows")
    named = columns.feature_names, columns.target_name
    return Table(X, y, *named, target_names=columns.target_names)


def _is_numeric(kind: Any) -> bool:
    import pyarrow.types as kinds

    tests = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    return any(test(kind) for test in tests)


def _common_dtype(types: Sequence[Any]) -> type:
    """float32 when every column fits it without loss, else float64."""
    small = {"float", "halffloat", "bool", "int8", "uint8", "int16", "uint16"}
    return np.float32 if all(str(kind) in small for kind in types) else np.float64


def _read_features(file: Any, path: Path, names: Sequence[str], dtype: type) -> np.ndarray:
    """Fill the matrix batch by batch, so that the file is never held twice."""
    import pyarrow as pa

    X = np.empty((file.metadata.num_rows, len(names)), dtype=dtype, order="F")
    start = 0
    for batch in file.iter_batches(columns=list(names)):
        stop = start + batch.num_rows
        for j, name in enumerate(names):
            column = batch.column(name).cast(pa.float64(), safe=False)
            X[start:stop, j] = column.to_numpy(zero_copy_only=False)  # null becomes NaN
        start = stop
    for j, name in enumerate(names):
        rows = np.flatnonzero(~np.isfinite(X[:, j]))
        if len(rows):
            raise InputError(
                f"{path}, row {rows[0] + 1}, column {name!r}: the value is missing or not finite; "
                "fill it in, remove the row or leave the column out with --drop"
            )
    return X


def _read_target(file: Any, path: Path, name: str) -> np.ndarray:
    column = file.read(columns=[name]).column(name).combine_chunks()
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]) + 1
        raise InputError(f"{path}, row {row}: the target {name!r} is missing")
    return check_labels(path, name, column.to_numpy(zero_copy_only=False))

"""Read parquet files; needs pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import Columns, choose_columns, mend_gap, refuse_text
from handful.io.compression import reading
from handful.io.errors import InputError
from handful.io.labels import LabelRules, check_labels, target_matrix
from handful.io.table import Request, Table


def read_parquet(path: Path, request: Request) -> Table:
    """Read the columns that are asked for; null is a missing value."""
    with opened(path) as file:
        columns = ParquetColumns.find(file, path, request)
        X = _read_features(file, path, columns)
        y = columns.read_target(file, path, request.labels)
    if X.shape[0] == 0:
        raise InputError(f"{path} holds no rows")
    chosen = columns.chosen
    named = chosen.feature_names, chosen.target_name
    return Table(X, y, *named, target_names=chosen.target_names)


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


@dataclass(frozen=True)
class ParquetColumns:
    """The columns that are asked for, which hold numbers that fit a dtype."""

    chosen: Columns
    names: tuple[str, ...]
    dtype: type

    @classmethod
    def find(cls, file: Any, path: Path, request: Request) -> ParquetColumns:
        """Look for them in the schema."""
        schema = file.schema_arrow
        chosen = choose_columns(path, schema.names, len(schema.names), request)
        types = [schema.types[j] for j in chosen.features]
        names = chosen.feature_names or ()
        text = [name for name, kind in zip(names, types, strict=True) if not is_numeric(kind)]
        if text:
            raise refuse_text(path, text, chosen.may_drop)
        return cls(chosen, tuple(names), _common_dtype(types))

    def read_target(
        self, file: Any, path: Path, rules: LabelRules | None = None
    ) -> np.ndarray | None:
        """Return the target, or several side by side."""
        return read_targets(file, path, self.chosen, rules or LabelRules())


def is_numeric(kind: Any) -> bool:
    """Whether a column of this type holds numbers, or true and false."""
    import pyarrow.types as kinds

    tests = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    return any(test(kind) for test in tests)


def _common_dtype(types: Sequence[Any]) -> type:
    """float32 when every column fits it without loss, else float64."""
    small = {"float", "halffloat", "bool", "int8", "uint8", "int16", "uint16"}
    return np.float32 if all(str(kind) in small for kind in types) else np.float64


def _read_features(file: Any, path: Path, columns: ParquetColumns) -> np.ndarray:
    """Fill the matrix batch by batch, so that the file is never held twice."""
    names, dtype, may_drop = columns.names, columns.dtype, columns.chosen.may_drop
    X = np.empty((file.metadata.num_rows, len(names)), dtype=dtype, order="F")
    start = 0
    for batch in file.iter_batches(columns=list(names)):
        stop = start + batch.num_rows
        X[start:stop] = batch_numbers(batch, path, names, dtype, start, may_drop)
        start = stop
    return X


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


def read_targets(file: Any, path: Path, chosen: Columns, rules: LabelRules) -> np.ndarray | None:
    """Return the target, or several side by side; None when there is none."""
    if chosen.target_name is not None:
        return read_target(file, path, chosen.target_name, rules)
    names = chosen.target_names
    if names is None:
        return None
    columns = [read_target(file, path, name, rules) for name in names]
    return target_matrix(path, names, columns, may_be_missing=rules.may_be_missing)


def read_target(file: Any, path: Path, name: str, rules: LabelRules | None = None) -> np.ndarray:
    """Read the target; a row without one is named, unless that is welcome."""
    import pyarrow as pa

    rules = rules or LabelRules()
    column = file.read(columns=[name]).column(name).combine_chunks()
    gaps = rules.may_be_missing
    if column.null_count and not gaps:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]) + 1
        raise rules.refusal(f"{path}, row {row}", f"the target {name!r}")
    if column.null_count and (is_numeric(column.type) or pa.types.is_null(column.type)):
        column = column.cast(pa.float64(), safe=False)  # where null becomes NaN
    return check_labels(path, name, column.to_numpy(zero_copy_only=False), may_be_missing=gaps)

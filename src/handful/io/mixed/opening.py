"""Open a file whose columns may hold text."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from handful.io.compression import check_file
from handful.io.errors import InputError
from handful.io.mixed.delimited import DelimitedCells
from handful.io.mixed.parquet import ParquetCells
from handful.io.mixed.source import Cells
from handful.io.readers import find_format
from handful.io.stored import is_store
from handful.io.table import Request

_CELLS: dict[str, Callable[[Path, Request], Cells]] = {
    "csv": lambda path, request: DelimitedCells(path, request, None),
    "tsv": lambda path, request: DelimitedCells(path, request, "\t"),
    "parquet": ParquetCells,
}


def open_cells(path: str | os.PathLike[str], request: Request, file_format: str | None) -> Cells:
    """Look at the names of a file's columns; the cells are read later."""
    file = check_file(path)
    kind = find_format(file, file_format)
    if kind not in _CELLS:
        known = ", ".join(_CELLS)
        raise InputError(f"{file} is {kind}; columns of text and missing values are for {known}")
    return _CELLS[kind](file, request)


def column_names(cells: Cells) -> tuple[str, ...]:
    """Return the names of the features, or else their positions in the file."""
    columns = cells.columns
    return columns.feature_names or tuple(str(j) for j in columns.features)


def has_cells(path: str | os.PathLike[str], file_format: str | None = None) -> bool:
    """Whether a file is of a format whose columns may hold text: csv, tsv or parquet."""
    if file_format is None and is_store(path):
        return False
    return find_format(Path(path), file_format) in _CELLS

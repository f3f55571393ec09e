"""Open a file whose columns may hold text: csv and tsv here, parquet beside it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from handful.io import delimited
from handful.io.compression import check_file, reading
from handful.io.errors import InputError
from handful.io.labels import LabelCodes
from handful.io.mixed.kinds import Tally
from handful.io.mixed.parquet import ParquetCells
from handful.io.mixed.source import Cells, Reader
from handful.io.readers import find_format
from handful.io.stored import is_store
from handful.io.table import Request, Table

_CELLS_AT_ONCE = 2**18


class DelimitedCells(Cells):
    """A file of fields between separators."""

    def __init__(self, path: Path, request: Request, separator: str | None) -> None:
        self.path = path
        self._request, self._separator = request, separator
        with reading(path):
            self._layout, self.columns = delimited.find_columns(path, request, separator)
        self.has_names = self._layout.names is not None

    def plain(self) -> Table:
        return delimited.read(self.path, self._request, self._separator)

    def tallies(self) -> list[Tally]:
        tallies = [Tally() for _ in self.columns.features]
        step = max(1, _CELLS_AT_ONCE // self._layout.n_columns)
        with reading(self.path):
            rows = delimited.fields(self.path, self._layout)
            first = 0
            while block := list(itertools.islice(rows, step)):
                by_column = list(zip(*block, strict=True))
                for tally, j in zip(tallies, self.columns.features, strict=True):
                    tally.add(by_column[j], first)
                first += len(block)
        return tallies

    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        by_position = {self.columns.features[j]: reader for j, reader in readers.items()}
        codes = LabelCodes(self._request.labels)
        with reading(self.path):
            lines = delimited.rows(self.path, self._layout)
            values, y = delimited.parse(
                self.path, self._layout, self.columns, lines, codes, by_position
            )
        return values, codes.decode(y) if self.columns.target is not None else y

    def where(self, row: int) -> str:
        return f"line {delimited.line_of(self.path, self._layout, row)}"


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


def has_cells(path: str | os.PathLike[str], file_format: str | None = None) -> bool:
    """Whether a file is of a format whose columns may hold text: csv, tsv or parquet."""
    if file_format is None and is_store(path):
        return False
    return find_format(Path(path), file_format) in _CELLS

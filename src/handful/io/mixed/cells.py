"""Files whose columns may hold text, and what their cells are read as: csv, tsv, and parquet, where a column has a type."""

from __future__ import annotations

import itertools
import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from handful.io import delimited
from handful.io.columns import Columns
from handful.io.decimals import COMMA, with_decimal
from handful.io.errors import InputError
from handful.io.labels import is_missing, number_or_gap
from handful.io.mixed.kinds import Tally, refuse_dates
from handful.io.opening import check_file, reading
from handful.io.parquet import columns_of, is_numeric, opened, read_parquet, read_targets
from handful.io.readers import find_format
from handful.io.stored import is_store
from handful.io.table import Request, Table

_CELLS_AT_ONCE = 2**18
#: The code of a category that the model has not seen.
UNSEEN = -1.0


class CategoryCodes:
    """Turn texts into codes: in the order of the categories given, or new ones as they come.

    Attributes
    ----------
    unseen : Counter
        With categories given: how often each other text came.
    """

    def __init__(self, categories: Iterable[str] | None = None) -> None:
        self._codes = {text: float(code) for code, text in enumerate(categories or ())}
        self._is_open = categories is None
        self.unseen: Counter[str] = Counter()

    def __call__(self, text: str) -> float:
        """Return the code of a text; NaN when it is missing."""
        text = text.strip()
        code = self._codes.get(text)
        if code is not None:
            return code
        if is_missing(text):
            return math.nan
        if self._is_open:
            return self._codes.setdefault(text, float(len(self._codes)))
        self.unseen[text] += 1
        return UNSEEN

    def sort(self, codes: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
        """Return the categories that occur, in order, and the codes that they then have."""
        texts = list(self._codes)
        there = np.zeros(len(texts), dtype=bool)
        present = ~np.isnan(codes)
        there[codes[present].astype(np.intp)] = True
        categories = sorted(text for text, occurs in zip(texts, there, strict=True) if occurs)
        new = {text: code for code, text in enumerate(categories)}
        renamed = np.array([new.get(text, -1) for text in texts], dtype=np.float64)
        codes = codes.copy()
        codes[present] = renamed[codes[present].astype(np.intp)]
        return tuple(categories), codes


#: Makes a number of the text of a cell; NaN is missing, ValueError a mistake.
Reader = Callable[[str], float]


class Cells(ABC):
    """A file of columns."""

    path: Path
    #: Those that are asked for.
    columns: Columns
    has_names: bool

    @abstractmethod
    def plain(self) -> Table:
        """Read it as a table of numbers; InputError when it is none."""

    @abstractmethod
    def tallies(self) -> list[Tally]:
        """Look at every cell of the features; InputError for columns that are neither numbers nor text."""

    @abstractmethod
    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return numbers for all features, by a reader where there is one, and the target."""

    @abstractmethod
    def where(self, row: int) -> str:
        """Say where a row, counted from 0, is in the file."""


class DelimitedCells(Cells):
    """A file of fields between separators."""

    def __init__(self, path: Path, request: Request, separator: str | None) -> None:
        self.path = path
        self._request, self._separator = request, separator
        self._layout, self.columns = delimited.find_columns(path, request, separator)
        self.has_names = self._layout.names is not None

    def plain(self) -> Table:
        return delimited.read(self.path, self._request, self._separator)

    def tallies(self) -> list[Tally]:
        decimal, may_be_grouped = self._layout.decimal, self._layout.separator != COMMA
        tallies = [Tally(decimal, may_be_grouped) for _ in self.columns.features]
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
        of_numbers = with_decimal(self._layout.decimal, number_or_gap)
        by_position = {
            self.columns.features[j]: of_numbers if reader is number_or_gap else reader
            for j, reader in readers.items()
        }
        rules = self._request.labels
        return delimited.read_rows(self.path, self._layout, self.columns, rules, by_position)

    def where(self, row: int) -> str:
        return f"line {delimited.line_of(self.path, self._layout, row)}"


class ParquetCells(Cells):
    """A parquet file."""

    has_names = True

    def __init__(self, path: Path, request: Request) -> None:
        self.path, self._request = path, request
        with opened(path) as file:
            self.columns = columns_of(file, path, request)
        self._names = list(self.columns.feature_names or ())

    def plain(self) -> Table:
        return read_parquet(self.path, self._request)

    def tallies(self) -> list[Tally]:
        return [self._tally(name) for name in self._names]

    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        rows = np.empty((self._table.num_rows, len(self._names)), order="F")
        for j, name in enumerate(self._names):
            reader, column = readers.get(j), self._column(name)
            if reader is None or (reader is number_or_gap and is_numeric(column.type)):
                rows[:, j] = _numbers(column)
            else:
                rows[:, j] = self._read_texts(name, _texts(column), reader)
        with opened(self.path) as file:
            return rows, read_targets(file, self.path, self.columns, self._request.labels)

    def where(self, row: int) -> str:
        return f"row {row + 1}"

    @cached_property
    def _table(self) -> Any:
        with opened(self.path) as file:
            return file.read(columns=self._names)

    def _column(self, name: str) -> Any:
        """Return a column, as its values where these are numbered; InputError for what no cell can be."""
        import pyarrow.types as kinds

        column = self._table.column(name).combine_chunks()
        if kinds.is_dictionary(column.type):
            column = column.dictionary_decode()
        kind = column.type
        if kinds.is_temporal(kind):
            raise refuse_dates(self.path, name, f"(its type is {kind})")
        is_text = kinds.is_string(kind) or kinds.is_large_string(kind) or str(kind) == "string_view"
        if not (is_text or kinds.is_null(kind) or is_numeric(kind)):
            raise InputError(
                f"{self.path}: the column {name!r} is of the type {kind}, which is neither numbers nor text; "
                "leave it out with --drop"
            )
        return column

    def _tally(self, name: str) -> Tally:
        import pyarrow.types as kinds

        column, tally = self._column(name), Tally()
        if kinds.is_null(column.type):
            tally.n_missing = len(column)
        elif is_numeric(column.type):
            tally.add_numbers(_numbers(column), 0)
        else:
            tally.add(_texts(column), 0)
        return tally

    def _read_texts(self, name: str, texts: list[str], reader: Reader) -> np.ndarray:
        numbers = np.empty(len(texts))
        for row, text in enumerate(texts):
            try:
                numbers[row] = reader(text)
            except ValueError:
                raise InputError(
                    f"{self.path}, {self.where(row)}, column {name!r}: expected a finite number, found {text!r}"
                ) from None
        return numbers


def _numbers(column: Any) -> np.ndarray:
    """Return numbers in float64, NaN for null."""
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _texts(column: Any) -> list[str]:
    """Return the cells as a csv file would have them, nothing for null."""
    import pyarrow.types as kinds

    if kinds.is_floating(column.type):  # whole numbers beside a null, as pandas writes them
        return ["" if np.isnan(value) else _as_text(value) for value in _numbers(column)]
    return ["" if cell is None else _as_text(cell) for cell in column.to_pylist()]


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if cell == int(cell) else str(cell)


_CELLS: dict[str, Callable[[Path, Request], Cells]] = {
    **{
        kind: partial(DelimitedCells, separator=separator)
        for kind, separator in delimited.SEPARATOR_OF.items()
    },
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

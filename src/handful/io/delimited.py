"""Read csv and tsv files: numbers in columns, a header line, a target column of any kind."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import Columns, choose_columns, mend_gap, refuse_text
from handful.io.compression import open_bytes, reading
from handful.io.errors import InputError, let_through
from handful.io.labels import (
    LabelCodes,
    LabelRules,
    is_missing,
    number_or_gap,
    number_or_truth,
    tidy_labels,
)
from handful.io.lines import quoted_lines
from handful.io.table import Request, Table

_SEPARATORS = (",", ";", "\t", "|")
_QUOTED_NAMES = re.compile(r'"[^"]*"(?: "[^"]*")+')
_ROWS_TO_JUDGE = 1000  # rows read to tell a text column from one stray value


@dataclass(frozen=True)
class Layout:
    """How a file is written: found from its first lines."""

    separator: str
    names: tuple[str, ...] | None  # None: no header line
    n_columns: int
    first_line: int  # the line number of the first row of data


def read(path: Path, request: Request, separator: str | None) -> Table:
    """Read a file of fields between separators; without one, commas, semicolons, tabs and bars are looked for."""
    layout, columns = find_columns(path, request, separator)
    return columns.table(*read_rows(path, layout, columns, request.labels))


def read_rows(
    path: Path,
    layout: Layout,
    columns: Columns,
    rules: LabelRules,
    readers: Mapping[int, Callable[[str], float]] | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the features and the targets of all rows; see :func:`parse` for the readers."""
    codes = LabelCodes(rules)
    with reading(path):
        values, y = parse(path, layout, columns, rows(path, layout), codes, readers)
    return values, y if columns.target is None else codes.decode(y)


def find_columns(path: Path, request: Request, separator: str | None) -> tuple[Layout, Columns]:
    """Look at the first lines: how the file is written, and which columns are wanted."""
    with reading(path):
        layout = _look(path, separator, request.header)
    return layout, choose_columns(path, layout.names, layout.n_columns, request)


def parse(
    path: Path,
    layout: Layout,
    columns: Columns,
    lines: Iterable[str],
    codes: LabelCodes,
    readers: Mapping[int, Callable[[str], float]] | None = None,
) -> tuple[np.ndarray, Any]:
    """Return the features of some lines, and the codes of their labels or their several targets.

    Features are finite numbers, unless there are ``readers``, by position, which may return NaN.
    """
    extra = columns.targets if columns.target is None else (columns.target,)
    of_targets: Any = number_or_gap if codes.rules.may_be_missing else number_or_truth
    read: Any = of_targets if columns.target is None else codes
    readers = readers or {}
    try:
        values = np.loadtxt(
            lines,
            delimiter=layout.separator,
            comments=None,
            quotechar='"',
            ndmin=2,
            usecols=[*columns.features, *extra],
            converters={**readers, **dict.fromkeys(extra, read)} or None,
        )
    except InputError:
        raise
    except ValueError as error:
        let_through(error)
        raise _explain(path, layout, columns, readers, codes, error) from error
    y = None
    if columns.target is not None:
        y = values[:, -1]
        if not codes.rules.may_be_missing and np.isin(y, list(codes.missing())).any():
            raise _missing_label(path, layout, columns, codes)
        values = np.ascontiguousarray(values[:, :-1])
    n_features = len(columns.features)
    first, last = n_features if readers else 0, values.shape[1]
    if codes.rules.may_be_missing:  # what else may be wrong with targets their reader says
        last = n_features
    if not np.all(np.isfinite(values[:, first:last])):
        raise _explain(path, layout, columns, readers, codes)
    if columns.targets:
        y = tidy_labels(values[:, len(columns.features) :])
        values = np.ascontiguousarray(values[:, : len(columns.features)])
    return values, y


def _look(path: Path, separator: str | None, header: bool | None) -> Layout:
    """Find the separator, the header and the number of columns from the first lines."""
    with _text(path) as file:
        logical = quoted_lines(path, file, separator or "".join(_SEPARATORS))
        lines = list(itertools.islice((line for line in logical if line[1].strip()), 3))
    if not lines:
        raise InputError(f"{path} holds no rows")
    (_, first), *rest = lines
    if separator is None:
        separator = _find_separator(first)
    fields, below = _split(first, separator), [_split(line, separator) for _, line in rest]
    if header is None:
        header = _looks_like_header(fields, below[0] if below else None)
    if header and not rest:
        raise InputError(f"{path} holds a header line but no rows")
    if header and _lacks_corner(fields, below):
        fields = ["", *fields]
    names = tuple(name.strip() for name in fields) if header else None
    return Layout(separator, names, len(fields), (rest if header else lines)[0][0])


def _find_separator(first: str) -> str:
    """Find the separator in the first line; blanks only between names in quotation marks, as R writes them."""
    separator = max(_SEPARATORS, key=first.count)
    is_of_blanks = separator not in first and _QUOTED_NAMES.fullmatch(first.strip())
    return " " if is_of_blanks else separator


def _lacks_corner(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell names of columns alone above rows that begin with a name too, as R's write.table has them.

    Where the last field is empty it is the rows that have a separator too many.
    """
    return all(len(row) == len(names) + 1 and row[-1].strip() for row in below)


def _looks_like_header(first: Sequence[str], second: Sequence[str] | None) -> bool:
    """Tell a header: a line without any number, or with text above a number."""
    if not any(_is_number(field) for field in first):
        return True
    return second is not None and any(
        _is_number(below) and not _is_number(above) and not is_missing(above)
        for above, below in zip(first, second, strict=False)
    )


def _text(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig")


def _data_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    with _text(path) as file:
        for number, line in quoted_lines(path, file, layout.separator):
            if number >= layout.first_line and not line.isspace():
                yield number, line


def rows(path: Path, layout: Layout) -> Iterator[str]:
    """Stream the rows to the parser, after checking how many fields each has."""
    expected = layout.n_columns
    for number, line in _data_lines(path, layout):
        quoted = '"' in line
        found = len(_split(line, layout.separator)) if quoted else line.count(layout.separator) + 1
        if found != expected:
            raise InputError(f"{path}, line {number}: expected {expected} fields, found {found}")
        yield line


def fields(path: Path, layout: Layout) -> Iterator[list[str]]:
    """Stream the rows as the texts of their fields."""
    for line in rows(path, layout):
        yield _split(line, layout.separator)


def line_of(path: Path, layout: Layout, row: int) -> int:
    """Return the number of the line in which a row, counted from 0, begins."""
    with reading(path):
        return next(itertools.islice(_data_lines(path, layout), row, None))[0]


def _split(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a quotation mark in the middle of a field
        return line.rstrip("\n").split(separator)


def _parse(text: str, read: Callable[[str], float] = float) -> float | None:
    try:
        return read(text)
    except ValueError:
        return None


def _is_number(text: str) -> bool:
    return _parse(text) is not None and not is_missing(text)


def _missing_label(path: Path, layout: Layout, columns: Columns, codes: LabelCodes) -> InputError:
    """Find the first row whose target is missing."""
    name, place = columns.target_name, columns.target or 0
    for number, line in _data_lines(path, layout):
        text = _split(line, layout.separator)[place]
        if codes.rules.is_missing(text):
            where = f"{path}, line {number}"
            return codes.rules.refusal(where, f"the target {name!r}", text, name)
    return InputError(f"{path}: the target {name!r} is missing somewhere")


def _explain(
    path: Path,
    layout: Layout,
    columns: Columns,
    readers: Mapping[int, Callable[[str], float]],
    codes: LabelCodes,
    cause: Exception | None = None,
) -> InputError:
    """Find the first field that cannot be read; tell text columns from stray values."""
    names = layout.names or [str(j) for j in range(layout.n_columns)]
    numbers = [*columns.features, *columns.targets]
    gaps = codes.rules.may_be_missing
    of_targets = number_or_gap if gaps else number_or_truth
    default: dict[bool, Callable[[str], float]] = {False: float, True: of_targets}
    may_be_missing = {*readers, *(columns.targets if gaps else ())}
    texts = dict.fromkeys(numbers, 0)
    first: tuple[int, int, str] | None = None
    n_rows = 0
    for n_rows, (number, line) in enumerate(_data_lines(path, layout), start=1):
        fields = _split(line, layout.separator)
        if len(fields) != layout.n_columns:
            break
        for j in numbers:
            value = _parse(fields[j], readers.get(j) or default[j in columns.targets])
            if value is None or not (math.isfinite(value) or j in may_be_missing):
                first = first or (number, j, fields[j].strip())
                texts[j] += value is None and not is_missing(fields[j])
        if first is not None and n_rows >= _ROWS_TO_JUDGE:
            break
    if first is None:
        return InputError(f"{path} cannot be read as a table of numbers ({cause})")
    plain = [j for j in columns.features if j not in readers]
    text_columns = [names[j] for j in plain if 2 * texts[j] > n_rows]
    if text_columns:
        return refuse_text(path, text_columns, columns.may_drop)
    number, j, field = first
    where = f"{path}, line {number}, column {names[j]!r}"
    if j in columns.targets:
        return InputError(f"{where}: expected a finite number for a target, found {field!r}")
    if is_missing(field):
        return InputError(f"{where}: the value is missing; {mend_gap(columns.may_drop)}")
    return InputError(f"{where}: expected a finite number, found {field!r}")

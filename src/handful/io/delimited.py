"""Read csv and tsv files: numbers in columns, a header line, a target column of any kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import Columns, choose_columns, mend_gap, refuse_text
from handful.io.decimals import (
    COMMA,
    POINT,
    SWAP,
    find_decimal,
    has_fraction,
    is_grouped,
    with_decimal,
)
from handful.io.errors import InputError, let_through
from handful.io.labels import (
    LabelCodes,
    LabelRules,
    is_missing,
    number_or_gap,
    number_or_truth,
    tidy_labels,
)
from handful.io.layout import Layout, data_lines, is_number, look, parse_number, split
from handful.io.opening import reading
from handful.io.table import Request, Table

#: The separator that each format of delimited fields has; None: look for it.
SEPARATOR_OF = {"csv": None, "tsv": "\t"}
_ROWS_OF_DECIMALS = 100  # rows that tell whether numbers have points or commas
_ROWS_TO_JUDGE = 1000  # rows read to tell a text column from one stray value


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
    codes = LabelCodes(rules, with_decimal(layout.decimal, float))
    with reading(path):
        values, y = parse(path, layout, columns, rows(path, layout), codes, readers)
    return values, y if columns.target is None else codes.decode(y)


def find_columns(path: Path, request: Request, separator: str | None) -> tuple[Layout, Columns]:
    """Look at the first lines: how the file is written, and which columns are wanted."""
    with reading(path):
        layout = look(path, separator, request.header)
    try:
        columns = choose_columns(path, layout.names, layout.n_columns, request)
    except InputError as error:
        raise InputError(f"{error}{_if_turned(path, layout, request)}") from error
    names = layout.names or [str(j) for j in range(layout.n_columns)]
    target = () if columns.target is None or request.labels.as_text else (columns.target,)
    of_numbers = [j for j in columns.features if names[j] not in request.text]
    return look_for_commas(path, layout, (*of_numbers, *columns.targets, *target)), columns


def look_for_commas(path: Path, layout: Layout, places: Iterable[int]) -> Layout:
    """Find out from the first rows whether numbers in some columns have commas for points."""
    if layout.separator == COMMA:
        return layout
    with reading(path):
        lines = [line for _, line in itertools.islice(data_lines(path, layout), _ROWS_OF_DECIMALS)]
    if not any(COMMA in line for line in lines):
        return layout
    fields = (split(line, layout.separator) for line in lines)
    has_points = any(POINT in line for line in lines)
    return replace(layout, decimal=find_decimal(fields, places, has_points=has_points))


def _if_turned(path: Path, layout: Layout, request: Request) -> str:
    """Say of a table without the columns in question that its rows may be what should be columns."""
    wanted = {request.target, *(request.targets or ()), *(request.only or ())} - {None, ""}
    if layout.names is None:
        return ""
    with reading(path):
        lines = (split(line, layout.separator) for _, line in data_lines(path, layout))
        first, *rest = next(lines)
        for name in itertools.chain([first], (fields[0] for fields in lines)):
            if name.strip() in wanted:
                return f"; a row is called {name.strip()!r}: make columns of rows with handful transpose"
    is_sought = not request.target_optional and request.only is None
    are_numbers = (is_number(field, layout.separator) for field in rest)
    is_named = rest and not is_number(first, layout.separator) and all(are_numbers)
    if not (is_sought and is_named) or request.target in layout.names:
        return ""
    return "; if its columns are samples, handful transpose turns it, and joins it with a file of labels"


def parse(
    path: Path,
    layout: Layout,
    columns: Columns,
    lines: Iterable[str],
    codes: LabelCodes,
    readers: Mapping[int, Callable[[str], float]] | None = None,
) -> tuple[np.ndarray, Any]:
    """Return the features of some lines, and the codes of their labels or their several targets.

    Features are finite numbers, unless there are ``readers``, by position, which may return NaN. They and the codes get
    fields as they are written.
    """
    extra = columns.targets if columns.target is None else (columns.target,)
    of_targets: Any = number_or_gap if codes.rules.may_be_missing else number_or_truth
    read: Any = with_decimal(layout.decimal, of_targets) if columns.target is None else codes
    readers = readers or {}
    converters: Any = {**readers, **dict.fromkeys(extra, read)}
    if layout.decimal == COMMA:
        lines = (line.translate(SWAP) for line in lines)
        converters = {j: partial(_as_written, one) for j, one in converters.items()}
    try:
        values = np.loadtxt(
            lines,
            delimiter=layout.separator,
            comments=None,
            quotechar='"',
            ndmin=2,
            usecols=[*columns.features, *extra],
            converters=converters or None,
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


def _as_written(read: Callable[[str], float], text: str) -> float:
    """Read a field of a line whose points and commas were swapped."""
    return read(text.translate(SWAP))


def rows(path: Path, layout: Layout) -> Iterator[str]:
    """Stream the rows to the parser, after checking how many fields each has."""
    expected = layout.n_columns
    for number, line in data_lines(path, layout):
        quoted = '"' in line
        found = len(split(line, layout.separator)) if quoted else line.count(layout.separator) + 1
        if found != expected:
            raise InputError(f"{path}, line {number}: expected {expected} fields, found {found}")
        yield line


def fields(path: Path, layout: Layout) -> Iterator[list[str]]:
    """Stream the rows as the texts of their fields."""
    for line in rows(path, layout):
        yield split(line, layout.separator)


def line_of(path: Path, layout: Layout, row: int) -> int:
    """Return the number of the line in which a row, counted from 0, begins."""
    with reading(path):
        return next(itertools.islice(data_lines(path, layout), row, None))[0]


def _missing_label(path: Path, layout: Layout, columns: Columns, codes: LabelCodes) -> InputError:
    """Find the first row whose target is missing."""
    name, place = columns.target_name, columns.target or 0
    for number, line in data_lines(path, layout):
        text = split(line, layout.separator)[place]
        if codes.rules.is_missing(text):
            where = f"{path}, line {number}"
            return codes.rules.refusal(where, f"the {codes.rules.role} {name!r}", text, name)
    return InputError(f"{path}: the {codes.rules.role} {name!r} is missing somewhere")


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
    default = {
        is_target: with_decimal(layout.decimal, read)
        for is_target, read in ((False, float), (True, of_targets))
    }
    may_be_missing = {*readers, *(columns.targets if gaps else ())}
    texts = dict.fromkeys(numbers, 0)
    first: tuple[int, int, str] | None = None
    n_rows = 0
    for n_rows, (number, line) in enumerate(data_lines(path, layout), start=1):
        fields = split(line, layout.separator)
        if len(fields) != layout.n_columns:
            break
        for j in numbers:
            value = parse_number(fields[j], readers.get(j) or default[j in columns.targets])
            if value is None or not (math.isfinite(value) or j in may_be_missing):
                first = first or (number, j, fields[j].strip())
                texts[j] += value is None and not is_missing(fields[j])
        if first is not None and n_rows >= _ROWS_TO_JUDGE:
            break
    if first is None:
        return InputError(f"{path} cannot be read as a table of numbers ({cause})")
    plain = [j for j in columns.features if j not in readers]
    text_columns = [names[j] for j in plain if 2 * texts[j] > n_rows]
    number, j, field = first
    where = f"{path}, line {number}, column {names[j]!r}"
    if layout.separator != COMMA and is_grouped(field):
        return InputError(
            f"{where}: {field!r} has a separator of thousands; write numbers without it"
        )
    if layout.decimal == COMMA and has_fraction(field, POINT):
        return InputError(
            f"{where}: found {field!r}, where other numbers of the file have a decimal comma; write all of them alike"
        )
    if text_columns:
        return refuse_text(path, text_columns, columns.may_drop)
    if j in columns.targets:
        remedy = "" if is_missing(field) else "; labels are written as 0 and 1 or as true and false"
        return InputError(
            f"{where}: expected a finite number for a target, found {field!r}{remedy}"
        )
    if is_missing(field):
        return InputError(f"{where}: the value is missing; {mend_gap(columns.may_drop)}")
    return InputError(f"{where}: expected a finite number, found {field!r}")

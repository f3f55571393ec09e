"""How a file of delimited fields is written: its separator, its header and its first row, from its first lines."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from handful.io.decimals import COMMA, POINT, has_fraction
from handful.io.errors import InputError
from handful.io.labels import is_missing
from handful.io.opening import open_bytes, quoted_lines

_SEPARATORS = (",", ";", "\t", "|")
#: What Excel takes, and some programs write, above the names; an editor may have filled the line up to the width of the table.
_SAID_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\1*')
_QUOTED_NAMES = re.compile(r'"[^"]*"(?: "[^"]*")+')


@dataclass(frozen=True)
class Layout:
    """How a file is written: found from its first lines."""

    separator: str
    names: tuple[str, ...] | None  # None: no header line
    n_columns: int
    first_line: int  # the line number of the first row of data
    decimal: str = POINT  # what stands before the fractions of its numbers


def look(path: Path, separator: str | None, header: bool | None) -> Layout:
    """Find the separator, the header and the number of columns from the first lines."""
    with _text(path) as file:
        logical = quoted_lines(path, file, separator or "".join(_SEPARATORS))
        filled: Iterator[tuple[int, str]] = (line for line in logical if line[1].strip())
        above = next(filled, (0, ""))
        said = _SAID_SEPARATOR.fullmatch(above[1].strip("\r\n"))
        if said is not None:
            separator = separator or said[1]
        else:
            filled = itertools.chain([above] if above[1] else [], filled)
        lines = list(itertools.islice(_without_remarks(filled, separator), 3))
    if not lines:
        raise InputError(f"{path} holds no rows")
    (_, first), *rest = lines
    if separator is None:
        separator = _find_separator(first)
    fields, below = split(first, separator), [split(line, separator) for _, line in rest]
    if header is None:
        header = _looks_like_header(fields, below[0] if below else None, separator)
    if header and not rest:
        raise InputError(f"{path} holds a header line but no rows")
    if header and _lacks_corner(fields, below):
        fields = ["", *fields]
    names = tuple(name.strip() for name in fields) if header else None
    return Layout(separator, names, len(fields), (rest if header else lines)[0][0])


def _without_remarks(
    lines: Iterator[tuple[int, str]], separator: str | None
) -> Iterator[tuple[int, str]]:
    """Leave out lines above the table that begin with #, but for a header that does, with as many fields as a row."""
    remarks: list[tuple[int, str]] = []
    for line in lines:
        if not line[1].startswith("#"):
            between = separator or _find_separator(line[1])
            n_fields = len(split(line[1], between))
            yield from (one for one in remarks[-1:] if len(split(one[1], between)) == n_fields)
            yield line
            yield from lines
            return
        remarks.append(line)
    yield from remarks


def _find_separator(first: str) -> str:
    """Find the separator in the first line; blanks only between names in quotation marks, as R writes them.

    It is none of the commas where another separator leaves each of them in a number.
    """
    for separator in _SEPARATORS[1:]:
        if separator not in first:
            continue
        with_comma = [field for field in split(first, separator) if COMMA in field]
        is_decimal = all(has_fraction(field.strip(), COMMA) for field in with_comma)
        if with_comma and is_decimal:
            return separator
    separator = max(_SEPARATORS, key=first.count)
    is_of_blanks = separator not in first and _QUOTED_NAMES.fullmatch(first.strip())
    return " " if is_of_blanks else separator


def _lacks_corner(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell names of columns alone above rows that begin with a name too, as R's write.table has them.

    Where the last field is empty it is the rows that have a separator too many.
    """
    return all(len(row) == len(names) + 1 and row[-1].strip() for row in below)


def _looks_like_header(first: Sequence[str], second: Sequence[str] | None, separator: str) -> bool:
    """Tell a header: a line without any number, or with text above a number."""
    if not any(is_number(field, separator) for field in first):
        return True
    return second is not None and any(
        is_number(below, separator) and not is_number(above, separator) and not is_missing(above)
        for above, below in zip(first, second, strict=False)
    )


def _text(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig")


def data_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    """Give the number and the text of each line below the header that is not blank."""
    with _text(path) as file:
        for number, line in quoted_lines(path, file, layout.separator):
            if number >= layout.first_line and not line.isspace():
                yield number, line


def split(line: str, separator: str) -> list[str]:
    """Return the fields of a line, without their quotation marks."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a quotation mark in the middle of a field
        return line.rstrip("\n").split(separator)


def parse_number(text: str, read: Callable[[str], float] = float) -> float | None:
    """Return the number that a text is to a reader; None where it is none."""
    try:
        return read(text)
    except ValueError:
        return None


def is_number(text: str, separator: str) -> bool:
    """Whether a field holds a number, with a comma where none is between fields, and not a word for no value."""
    if separator != COMMA and has_fraction(text.strip(), COMMA):
        return True
    return parse_number(text) is not None and not is_missing(text)

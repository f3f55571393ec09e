"""Read which feature belongs to which group: a text file with one line per membership."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from handful.io.compression import check_file, open_bytes, reading
from handful.io.errors import InputError
from handful.io.lines import bounded_lines, quoted_lines

_SEPARATORS = (",", "\t", ";", "|")
_HEADER = ["feature", "group"]


class Membership(NamedTuple):
    """A feature and a group, as they are written on a line of the file."""

    line: int
    feature: str
    group: str


def read_memberships(path: Path) -> list[Membership]:
    """Read lines ``feature,group``.

    The separator is the first line's: a comma, tab, semicolon or bar, or else white space. A first
    line ``feature,group`` is a header; empty lines are passed over.
    """
    with reading(path), io.TextIOWrapper(open_bytes(check_file(path)), "utf-8-sig") as file:
        rows = [(number, fields) for number, fields in _rows(path, file) if any(fields)]
    if rows and [field.lower() for field in rows[0][1]] == _HEADER:
        del rows[0]
    if not rows:
        raise InputError(f"{path} holds no line such as feature,group")
    return [_membership(path, number, fields) for number, fields in rows]


def _rows(path: Path, file: io.TextIOWrapper) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields without white space around them)."""
    first = next((line for line in bounded_lines(path, file) if line.strip()), "")
    separator = next((mark for mark in _SEPARATORS if mark in first), None)
    file.seek(0)
    if separator is None:
        lines = enumerate(bounded_lines(path, file), start=1)
        yield from ((number, line.split()) for number, line in lines)
        return
    for number, line in quoted_lines(path, file, separator, after_spaces=True):
        try:
            (fields,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
        except csv.Error as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        yield number, [field.strip() for field in fields]


def _membership(path: Path, number: int, fields: list[str]) -> Membership:
    where = f"{path}, line {number}"
    if len(fields) != 2:
        raise InputError(f"{where}: expected a feature and a group, found {len(fields)} fields")
    for role, field in zip(_HEADER, fields, strict=True):
        if not field:
            raise InputError(f"{where}: the {role} is missing")
    return Membership(number, *fields)

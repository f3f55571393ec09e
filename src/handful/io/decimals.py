"""Numbers with a comma for a point, as csv files of much of Europe have them, and whether a file is written so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from handful.io.labels import is_missing

POINT, COMMA = ".", ","
#: Makes of a number with a comma one with a point, and the other way round. A number of the wrong kind is none then, so that
#: 1.234 among numbers with commas, which may be a thousand, is refused and not read.
SWAP = str.maketrans(",.", ".,")
_EXPONENT = r"(e[+-]?\d+)?"
_FRACTIONS = {
    mark: re.compile(rf"[+-]?\d*{re.escape(mark)}\d+{_EXPONENT}", re.IGNORECASE)
    for mark in (POINT, COMMA)
}
#: May be thousands as well: without a cell of another form nothing tells.
_MAY_BE_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_MARKS = "[.,'\u2019 \u00a0\u202f]"
_GROUPED = re.compile(
    rf"[+-]?\d{{1,3}}(?P<mark>{_MARKS})\d{{3}}((?P=mark)\d{{3}})*((?P=mark)\d{{3}}|(?!(?P=mark))[.,]\d+)"
)


def has_fraction(cell: str, mark: str) -> bool:
    """Whether a cell is a number with a fraction behind that mark."""
    return mark in cell and _FRACTIONS[mark].fullmatch(cell) is not None


def is_grouped(cell: str) -> bool:
    """Whether a cell is a number with a separator of thousands: 1.234,5 or 1,234.5 or 1.234.567."""
    return _GROUPED.fullmatch(cell) is not None


def other_mark(decimal: str) -> str:
    """Return the mark that the numbers of a file do not have."""
    return COMMA if decimal == POINT else POINT


def find_decimal(
    rows: Iterable[Sequence[str]], places: Iterable[int], *, has_points: bool = True
) -> str:
    """Return the mark of a file without commas between fields: a comma if some numbers have one, and none has a point.

    Where all that have one look like 1,234, which may be a thousand, it is no comma. Without ``has_points`` there is no point
    in any row, and the first comma tells.
    """
    places, mark = list(places), POINT
    for row in rows:
        for cell in (row[j].strip() for j in places if j < len(row)):
            if has_fraction(cell, POINT):
                return POINT
            if has_fraction(cell, COMMA) and not _MAY_BE_GROUPED.fullmatch(cell):
                mark = COMMA
                if not has_points:
                    return mark
    return mark


def with_decimal(decimal: str, read: Callable[[str], float]) -> Callable[[str], float]:
    """Return a reader of numbers, as they stand in a file with that mark."""
    if decimal == POINT:
        return read

    def read_with_comma(text: str) -> float:
        is_gap = is_missing(text.strip().strip('"'))  # a point alone may be one
        return read(text if is_gap else text.translate(SWAP))

    return read_with_comma

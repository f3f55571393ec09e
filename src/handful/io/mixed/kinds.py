"""What a column is, from all its cells: numbers, true and false, or text; dates are refused.

The rule: missing cells do not count. Nothing but numbers is a column of numbers, nothing but ``true`` and ``false`` one
of these. If at least half of the cells are numbers, the others are mistakes, and the first is named. If at
least half are dates, or numbers with a comma for a point (or a point, in a file with decimal commas), or with separators of
thousands, the column is refused. Everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from handful.io.decimals import POINT, SWAP, has_fraction, is_grouped, other_mark
from handful.io.errors import InputError
from handful.io.labels import TRUTH, is_missing
from handful.validation.cells import short

NUMBER, BOOLEAN, TEXT = "number", "boolean", "text"
KINDS = (NUMBER, BOOLEAN, TEXT)
#: So many different texts may be in a column of any length.
_FEW_CATEGORIES = 20
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*([ap]m)?\s*(z|[+-]\d{2}:?\d{2})?"
_DATE = r"(\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2}|\d{1,2}(?P<b>[-/.])\d{1,2}(?P=b)\d{2}(\d{2})?)"
_DATE_OR_TIME = re.compile(rf"({_DATE}([ t]\s*{_TIME})?|{_TIME})", re.IGNORECASE)


@dataclass
class Tally:
    """How many cells of each kind a column has, and the first rows that are not numbers."""

    #: What stands before the fractions of numbers.
    decimal: str = POINT
    #: Whether numbers with separators of thousands are told from text.
    may_be_grouped: bool = False
    n_numbers: int = 0
    n_truths: int = 0
    n_dates: int = 0
    n_others: int = 0
    n_missing: int = 0
    #: Row and text of the first cell that is neither a finite number nor missing.
    first_odd: tuple[int, str] | None = None
    first_date: str | None = None
    #: How many of the others would be numbers with the other mark, a comma in place of a point as a rule, and the first, with its row.
    n_other_marks: int = 0
    first_other_mark: tuple[int, str] | None = None
    #: How many of the others have separators of thousands, and the first, with its row.
    n_grouped: int = 0
    first_grouped: tuple[int, str] | None = None

    @property
    def n_present(self) -> int:
        """How many cells hold anything."""
        return self.n_numbers + self.n_truths + self.n_dates + self.n_others

    def add(self, cells: Sequence[str], first_row: int) -> None:
        """Count some more cells, the first of which is in the row given."""
        if _are_numbers(cells if self.decimal == POINT else [one.translate(SWAP) for one in cells]):
            self.n_numbers += len(cells)
            return
        for row, cell in enumerate(cells, start=first_row):
            self._add_one(row, cell.strip())

    def add_numbers(self, values: np.ndarray, first_row: int) -> None:
        """Count numbers that were never text; NaN is missing."""
        n_missing = int(np.isnan(values).sum())
        infinite = np.flatnonzero(np.isinf(values))
        self.n_missing += n_missing
        self.n_others += len(infinite)
        self.n_numbers += len(values) - n_missing - len(infinite)
        if len(infinite) and self.first_odd is None:
            self.first_odd = first_row + int(infinite[0]), str(values[infinite[0]])

    def _add_one(self, row: int, cell: str) -> None:
        if is_missing(cell):
            self.n_missing += 1
            return
        if is_number(cell if self.decimal == POINT else cell.translate(SWAP)):
            self.n_numbers += 1
            return
        if self.first_odd is None:
            self.first_odd = row, cell
        if cell.lower() in TRUTH:
            self.n_truths += 1
        elif _DATE_OR_TIME.fullmatch(cell):
            self.n_dates += 1
            self.first_date = self.first_date or cell
        else:
            self.n_others += 1
            if has_fraction(cell, other_mark(self.decimal)):
                self.n_other_marks += 1
                self.first_other_mark = self.first_other_mark or (row, cell)
            elif self.may_be_grouped and is_grouped(cell):
                self.n_grouped += 1
                self.first_grouped = self.first_grouped or (row, cell)


def decide(path: object, name: str, tally: Tally, where: Callable[[int], str]) -> str:
    """Return the kind of a column; InputError when it is none, or has a mistake.

    ``where`` says the place of a row.
    """
    n_present = tally.n_present
    if n_present == 0:
        raise InputError(
            f"{path}: the column {name!r} holds no value at all; leave it out with --drop"
        )
    if tally.n_numbers == n_present:
        return NUMBER
    if tally.n_truths == n_present:
        return BOOLEAN
    unlucky = tally.n_other_marks + tally.n_grouped
    if unlucky and 2 * (tally.n_numbers + unlucky) >= n_present:
        raise _refuse_spelling(path, name, tally, where)
    if tally.first_odd is not None and 2 * tally.n_numbers >= n_present:
        row, odd = tally.first_odd
        raise InputError(
            f"{path}, {where(row)}, column {name!r}: expected a finite number, found {short(odd)}, and most of the "
            f"column are numbers; correct it, leave it empty for --missing, or take the whole column "
            "for text with --text"
        )
    if 2 * tally.n_dates >= n_present:
        raise refuse_dates(path, name, f"such as {tally.first_date!r}")
    return TEXT


def _refuse_spelling(
    path: object, name: str, tally: Tally, where: Callable[[int], str]
) -> InputError:
    """Make the error about numbers that are not written as those of the file are."""
    otherwise = "leave the column out with --drop, or take it for text with --text"
    if tally.first_grouped is not None:
        row, cell = tally.first_grouped
        return InputError(
            f"{path}, {where(row)}, column {name!r}: {cell!r} has a separator of thousands; write numbers without it, "
            f"{otherwise}"
        )
    row, cell = tally.first_other_mark or (0, "")
    if tally.decimal == POINT:
        return InputError(
            f"{path}: the column {name!r} holds numbers with a comma such as {cell!r}; write them with a "
            f"decimal point, {otherwise}"
        )
    return InputError(
        f"{path}, {where(row)}, column {name!r}: found {cell!r}, where other numbers of the file have a decimal comma; "
        f"write all of them alike, {otherwise}"
    )


def are_like_ids(n_texts: int, n_rows: int) -> bool:
    """Whether so many different texts in so many rows look like identifiers, not like categories."""
    return n_texts > max(_FEW_CATEGORIES, n_rows // 2)


def refuse_dates(path: object, name: str, such_as: str) -> InputError:
    """Make the error about a column of dates."""
    return InputError(
        f"{path}: the column {name!r} holds dates or times {such_as}, which are no numbers yet; write what matters of "
        "them as numbers (days since an event, month, hour), or leave it out with --drop"
    )


def _are_numbers(cells: Sequence[str]) -> bool:
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return False
    try:
        return bool(np.isfinite(np.array(cells, dtype=np.float64)).all())
    except ValueError:
        return False


def is_number(cell: str) -> bool:
    """Whether it is a finite number as every reader of numbers takes it."""
    try:
        return "_" not in cell and cell.isascii() and bool(np.isfinite(float(cell)))
    except ValueError:
        return False

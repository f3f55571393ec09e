"""``--row-groups``: rows that belong together, such as those of one patient, stay in one fold or half."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.cli.options import Source
from handful.io import InputError
from handful.io.labels import LabelRules, read_labels, rows_without
from handful.io.mixed import has_cells
from handful.io.npz import read_key
from handful.io.opening import check_file
from handful.io.readers import find_format, read_column
from handful.io.stored import is_store
from handful.io.strings import holds_strings

#: 007 is not 7, and a row of nobody is named here, whatever the format.
_RULES = LabelRules(as_text=True, may_be_missing=True)


@dataclass(frozen=True)
class RowGroups:
    """Which rows belong together."""

    #: The column, key or file that says so.
    name: str
    #: One for each row; equal ones stay together.
    labels: np.ndarray
    #: What has a label each: rows or bags.
    cases: str = "rows"

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(np.unique(self.labels))

    @property
    def kept(self) -> str:
        """What folds and halves do, to be put behind them."""
        return f"that keep {self.cases} of one {self.name!r} together"

    @property
    def note(self) -> str:
        """All of it in a sentence."""
        n_rows = f"{len(self.labels)} {self.cases}"
        return (
            f"{self.cases} of one {self.name!r} stay together: {n_rows} in {self.n_groups} groups"
        )


def described(groups: RowGroups | None) -> dict[str, Any] | None:
    """Return for machines what keeps rows together; None where nothing does."""
    return None if groups is None else {"name": groups.name, "n_groups": groups.n_groups}


def read_row_groups(source: Source, n_rows: int, column: np.ndarray | None) -> np.ndarray:
    """Return one label for each row of the file: of a column, of a key, or of the lines of another file."""
    data, name = source.data, str(source.row_groups)
    labels = _beside(source, name, n_rows) if column is None else column
    if labels.shape != (n_rows,):
        raise InputError(
            f"{data}: --row-groups {name!r} has the shape {labels.shape}, expected one label for each of {n_rows} rows"
        )
    gone = np.flatnonzero(rows_without(labels))
    if len(gone):
        raise InputError(
            f"{data}, row {gone[0] + 1}: --row-groups {name!r} is missing; find out which rows it belongs to, give it a label "
            "of its own, or remove the row"
        )
    return labels


def read_group_column(source: Source) -> np.ndarray | None:
    """Return the column that says which rows belong together; None where that is not a column."""
    data, kind, name = source.data, source.file_format, source.row_groups
    has_columns = not holds_strings(data, kind) and has_cells(data, kind)
    if name is None or not (has_columns or _is(source, "h5ad")):
        return None
    how: dict[str, Any] = {"file_format": kind, "header": source.header, "labels": _RULES}
    return read_column(check_file(data), name, "--row-groups", **how)


def _beside(source: Source, name: str, n_rows: int) -> np.ndarray:
    data = source.data
    found = read_key(data, name) if _is(source, "npz") else None
    if found is None and os.path.isfile(name):
        found = read_labels(name, n_rows, data, _RULES)
    if found is None:
        what = "a key of it, or " if _is(source, "npz") else ""
        raise InputError(
            f"{data} has no column {name!r}; --row-groups is {what}a file with one label for each row here, and there is "
            "no file of this name"
        )
    return found


def _is(source: Source, kind: str) -> bool:
    """Whether the data are a file of this format."""
    data = source.data
    if holds_strings(data, source.file_format) or (source.file_format is None and is_store(data)):
        return False
    return find_format(data, source.file_format) == kind

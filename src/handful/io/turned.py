"""Turn a table whose rows are features, as measured genes often are, and join it with a sheet about its samples."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from handful.io.columns import list_names, near_names
from handful.io.decimals import COMMA, POINT, SWAP, has_fraction, is_grouped
from handful.io.delimited import SEPARATOR_OF, fields, find_columns, line_of, look_for_commas
from handful.io.errors import InputError
from handful.io.gct import look_for_gct
from handful.io.labels import is_missing
from handful.io.layout import Layout, parse_number
from handful.io.opening import check_file, open_bytes, reading
from handful.io.readers import find_format
from handful.io.table import Request
from handful.validation.names import first_repeated
from handful.validation.plural import plural

#: What the first column is called where no sheet gives it a name.
SAMPLE = "sample"
_FEATURES_TO_JUDGE = (
    1000  # rows that tell whether a column holds measurements or describes features
)


@dataclass(frozen=True)
class Sheet:
    """What is known about samples: the names of the columns, and a row for each sample by its name."""

    path: Path
    key: str
    names: tuple[str, ...]
    rows: dict[str, list[str]]
    n_others: int


@dataclass(frozen=True)
class TurnedTable:
    """A row for each sample: its name, what the sheet says about it, and its features, as they were written but for decimal commas."""

    #: Those of the columns; the first has the names of samples.
    names: list[str]
    samples: list[str]
    #: What the sheet says about each sample.
    of_sheet: list[list[str]]
    #: The cells of each feature, as bytes: those of one width take a tenth of the memory of as many texts.
    features: list[np.ndarray]
    #: What was left out, and what was given another name.
    notes: list[str]

    def write(self, file: IO[str], separator: str) -> None:
        """Write the rows below the names."""
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(self.names)
        for i, sample in enumerate(self.samples):
            cells = (feature[i].decode() for feature in self.features)
            writer.writerow([sample, *self.of_sheet[i], *cells])


def turn_table(
    path: Path, sheet: Path | None = None, drop: Sequence[str] = (), file_format: str | None = None
) -> TurnedTable:
    """Read a table with a row for each feature, whose first line has the names of the samples.

    ``drop`` are columns that describe features; with a ``sheet``, columns that are not in it are left out too.
    """
    names, rows = _open(path, file_format, drop)
    samples = list(names[1:])
    unknown = next((name for name in drop if name not in samples), None)
    if unknown is not None:
        raise InputError(
            f"{path}: there is no column {unknown!r} to drop; {near_names(unknown, samples)}"
        )
    kept = [j for j, sample in enumerate(samples) if sample not in drop]
    about, notes = None, []
    if sheet is not None:
        about = _read_sheet(sheet, path, [samples[j] for j in kept])
        notes += _left_out(about, path, [samples[j] for j in kept])
        kept = [j for j in kept if samples[j] in about.rows]
    samples = [samples[j] for j in kept]
    twice = first_repeated(samples)
    if twice is not None:
        raise InputError(f"{path}: two samples are called {twice!r}; rename one")
    if not samples:
        raise InputError(f"{path}: no sample is left")
    features, cells = [], []
    with reading(path):
        for row in rows:
            features.append(row[0].strip())
            cells.append(np.array([row[1 + j].strip().encode() for j in kept]))
    _check_measured(path, samples, cells)
    features, renamed = _told_apart(features)
    key, titles = (SAMPLE, ()) if about is None else (about.key or SAMPLE, about.names)
    columns = [key, *titles, *features]
    twice = first_repeated(columns)
    if twice is not None:
        raise InputError(
            f"{path}: {twice!r} is the name of a row and of a column of {sheet or 'names of samples'}; rename one"
        )
    rows_of_sheet = [[] if about is None else about.rows[sample] for sample in samples]
    return TurnedTable(columns, samples, rows_of_sheet, cells, [*notes, *renamed])


def _open(
    path: Path, file_format: str | None, drop: Sequence[str] = ()
) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    """Return the names in the first line, and the rows below, with points for decimal commas but in the columns to drop."""
    file = check_file(path)
    _refuse_series(file)
    gct = look_for_gct(file)
    if gct is not None:
        return gct.without_descriptions(fields(file, gct.layout))
    kind = find_format(file, file_format)
    if kind == "svmlight" and file_format is None:  # .txt, which here can only be a table
        kind = "csv"
    if kind not in SEPARATOR_OF:
        raise InputError(f"{path} is {kind}; only csv and tsv are turned")
    request = Request(target_optional=True, only=(), header=True)
    layout, _ = find_columns(file, request, SEPARATOR_OF[kind])
    names = layout.names or ()
    places = [j for j, name in enumerate(names) if name not in drop]
    return names, _in_points(file, look_for_commas(file, layout, places), places)


def _refuse_series(path: Path) -> None:
    """Refuse what GEO calls a series matrix, in which the table stands between lines of another kind."""
    with reading(path), open_bytes(path) as file:
        is_series = file.readline(16).startswith(b"!Series_")
    if is_series:
        raise InputError(
            f"{path} is a series matrix of GEO; write the lines between !series_matrix_table_begin and "
            "!series_matrix_table_end to a file of their own"
        )


def _in_points(path: Path, layout: Layout, places: Sequence[int]) -> Iterator[list[str]]:
    """Give the rows; numbers in some columns get points for decimal commas."""
    if layout.decimal == POINT:
        yield from fields(path, layout)
        return
    for number, row in enumerate(fields(path, layout)):
        for j in places:
            cell = row[j].strip()
            if has_fraction(cell, COMMA):
                row[j] = cell.translate(SWAP)
            elif has_fraction(cell, POINT) or is_grouped(cell):
                raise InputError(
                    f"{path}, line {line_of(path, layout, number)}, column {(layout.names or ())[j]!r}: found {cell!r}, where "
                    "other numbers of the file have a decimal comma; write all of them alike, without separators of thousands"
                )
        yield row


def _read_sheet(path: Path, table: Path, samples: Sequence[str]) -> Sheet:
    """Read what is known about samples; the column that has most of their names has all of them."""
    names, lines = _open(path, None)
    with reading(path):
        rows = [[cell.strip() for cell in row] for row in lines]
    there = set(samples)
    found = [len(there.intersection(column)) for column in zip(*rows, strict=True)]
    place = int(np.argmax(found))
    if not found[place]:
        raise InputError(
            f"no column of {path} has names of the samples of {table}, which has {list_names(samples)}"
        )
    twice = first_repeated([row[place] for row in rows], there)
    if twice is not None:
        raise InputError(f"{path}: two rows are about the sample {twice!r}; leave one")

    def without_key(cells: Sequence[str]) -> list[str]:
        return [*cells[:place], *cells[place + 1 :]]

    by_name = {row[place]: without_key(row) for row in rows if row[place] in there}
    return Sheet(path, names[place], tuple(without_key(names)), by_name, len(rows) - len(by_name))


def _left_out(sheet: Sheet, path: Path, samples: Sequence[str]) -> list[str]:
    """Say which columns the sheet knows nothing about: descriptions of features, or names in another spelling."""
    missing, notes = [sample for sample in samples if sample not in sheet.rows], []
    if missing:
        notes.append(f"left out {list_names(missing)} of {path}, with no row in {sheet.path}")
    if sheet.n_others:
        notes.append(
            f"left out {plural(sheet.n_others, 'row')} of {sheet.path} about other samples"
        )
    return notes


def _check_measured(path: Path, samples: Sequence[str], cells: Sequence[np.ndarray]) -> None:
    """Refuse a column of words, which describes features and is no sample."""
    judged = cells[:_FEATURES_TO_JUDGE]
    for i, sample in enumerate(samples):
        texts = (row[i].decode() for row in judged)
        numbers = (
            is_missing(one) or parse_number(one.replace(",", ".")) is not None for one in texts
        )
        n_words = len(judged) - sum(numbers)
        if 2 * n_words > len(judged):
            raise InputError(
                f"{path}: the column {sample!r} holds words such as {judged[-1][i].decode()!r} and looks like no sample; "
                f"leave it out with --drop, or name the samples with --samples"
            )


def _told_apart(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give names to rows without one and to the second of two with the same; say how many."""
    given, used, times = set(names), set[str](), Counter[str]()
    told, again, n_empty = [], [], names.count("")
    for number, name in enumerate(names, start=1):
        new = own = name or f"row {number}"
        while new in used or (new != name and new in given):
            times[own] += 1
            new = f"{own} ({times[own] + 1})"
        if name and new != name:
            again.append(new)
        used.add(new)
        told.append(new)
    notes = []
    if again:
        notes.append(
            f"{plural(len(again), 'row')} with a name that another has, now {list_names(again, 'row')}"
        )
    if n_empty:
        notes.append(f"{plural(n_empty, 'row')} without a name, now called by number")
    return told, notes

"""Csv and tsv files, piece by piece of lines, and parquet files, batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.decimals import with_decimal
from handful.io.delimited import find_columns, parse, rows
from handful.io.errors import InputError
from handful.io.labels import LabelCodes, LabelRules, tidy_labels
from handful.io.opening import reading
from handful.io.parquet import batch_numbers, numeric_columns, opened, read_targets
from handful.io.table import Request


class DelimitedSource(Source):
    """Rows of a table of text; the mark counts rows and remembers the labels that occurred."""

    is_sparse = False

    def __init__(self, path: Path, request: Request, separator: str | None) -> None:
        self.path = path
        self.layout, self.columns = find_columns(path, request, separator)
        self._read = with_decimal(self.layout.decimal, float)

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"rows": 0, "labels": []}
        n_rows, codes = mark["rows"], LabelCodes.of(mark["labels"], self._read)
        n_numbers = len(self.columns.features) + len(self.columns.targets) + 1
        at_once = max(1, n_bytes // (COPIES * 8 * n_numbers))
        with reading(self.path):
            lines = itertools.islice(rows(self.path, self.layout), n_rows, None)
            while some := list(itertools.islice(lines, at_once)):
                X, y = parse(self.path, self.layout, self.columns, some, codes)
                n_rows += len(X)
                yield Piece(X, {"rows": n_rows, "labels": codes.labels}, y)

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        columns = self.columns
        if y is not None and columns.target is not None:
            y = LabelCodes.of(mark["labels"] if mark else (), self._read).decode(y)
        elif y is not None:
            y = tidy_labels(y)
        return About.of_columns(columns, y)


class ParquetSource(Source):
    """Rows of the columns that are asked for; the mark counts rows."""

    is_sparse = False

    def __init__(self, path: Path, request: Request) -> None:
        self.path = path
        with opened(path) as file:
            self.columns, self.dtype = numeric_columns(file, path, request)
            self.n_rows = int(file.metadata.num_rows)
            groups = range(file.metadata.num_row_groups)
            self._ends = np.cumsum([file.metadata.row_group(g).num_rows for g in groups])

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        n_rows = mark["rows"] if mark else 0
        names = self.columns.feature_names or ()
        at_once = max(1, n_bytes // (COPIES * 8 * (len(names) + 1)))
        first = int(np.searchsorted(self._ends, n_rows, side="right"))
        skip = n_rows - (int(self._ends[first - 1]) if first else 0)
        groups = list(range(first, len(self._ends)))
        with opened(self.path) as file:
            for batch in file.iter_batches(at_once, columns=list(names), row_groups=groups):
                if skip >= batch.num_rows:
                    skip -= batch.num_rows
                    continue
                new, skip = batch.slice(skip), 0
                X = batch_numbers(new, self.path, names, self.dtype, n_rows)
                n_rows += len(X)
                yield Piece(X, {"rows": n_rows})

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        with opened(self.path) as file:
            y = read_targets(file, self.path, self.columns, LabelRules())
        if self.n_rows == 0:
            raise InputError(f"{self.path} holds no rows")
        return About.of_columns(self.columns, y)

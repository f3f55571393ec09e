"""Csv and tsv files, piece by piece of lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from handful.io.compression import reading
from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.delimited import find_columns, parse, rows
from handful.io.labels import LabelCodes, tidy_labels
from handful.io.table import Request


class DelimitedSource(Source):
    """Rows of a table of text; the mark counts rows and remembers the labels that occurred."""

    is_sparse = False

    def __init__(self, path: Path, request: Request, separator: str | None) -> None:
        self.path = path
        with reading(path):
            self.layout, self.columns = find_columns(path, request, separator)

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"rows": 0, "labels": []}
        n_rows, codes = mark["rows"], LabelCodes()
        for label in mark["labels"]:
            codes(label)
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
            codes = LabelCodes()
            for label in mark["labels"] if mark else ():
                codes(label)
            y = codes.decode(y)
        elif y is not None:
            y = tidy_labels(y)
        return About(
            len(columns.features),
            feature_names=columns.feature_names,
            target_name=columns.target_name,
            target_names=columns.target_names,
            y=y,
        )

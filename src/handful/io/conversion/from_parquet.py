"""Parquet files, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.errors import InputError
from handful.io.parquet import ParquetColumns, batch_numbers, opened
from handful.io.table import Request


class ParquetSource(Source):
    """Rows of the columns that are asked for; the mark counts rows."""

    is_sparse = False

    def __init__(self, path: Path, request: Request) -> None:
        self.path = path
        with opened(path) as file:
            self.columns = ParquetColumns.find(file, path, request)
            self.n_rows = int(file.metadata.num_rows)
            groups = range(file.metadata.num_row_groups)
            self._ends = np.cumsum([file.metadata.row_group(g).num_rows for g in groups])

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        n_rows = mark["rows"] if mark else 0
        names = self.columns.names
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
                X = batch_numbers(new, self.path, names, self.columns.dtype, n_rows)
                n_rows += len(X)
                yield Piece(X, {"rows": n_rows})

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        with opened(self.path) as file:
            target: Any = self.columns.read_target(file, self.path)
        if self.n_rows == 0:
            raise InputError(f"{self.path} holds no rows")
        chosen = self.columns.chosen
        named = chosen.feature_names, chosen.target_name, chosen.target_names
        return About(len(self.columns.names), 0, *named, y=target)

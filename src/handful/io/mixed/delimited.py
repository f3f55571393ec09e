"""The cells of csv and tsv files, as a mixed table wants them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from handful.io import delimited
from handful.io.compression import reading
from handful.io.labels import LabelCodes
from handful.io.mixed.kinds import Tally
from handful.io.mixed.source import Reader
from handful.io.table import Request, Table

_CELLS_AT_ONCE = 2**18


class DelimitedCells:
    """A file of fields between separators; see :class:`handful.io.mixed.source.Cells`."""

    def __init__(self, path: Path, request: Request, separator: str | None) -> None:
        self.path = path
        self._request, self._separator = request, separator
        with reading(path):
            self._layout, self.columns = delimited.find_columns(path, request, separator)
        self.has_names = self._layout.names is not None

    def plain(self) -> Table:
        """Read it as a table of numbers."""
        return delimited.read(self.path, self._request, self._separator)

    def tallies(self) -> list[Tally]:
        """Look at every cell of the features."""
        tallies = [Tally() for _ in self.columns.features]
        step = max(1, _CELLS_AT_ONCE // self._layout.n_columns)
        with reading(self.path):
            rows = delimited.fields(self.path, self._layout)
            first = 0
            while block := list(itertools.islice(rows, step)):
                by_column = list(zip(*block, strict=True))
                for tally, j in zip(tallies, self.columns.features, strict=True):
                    tally.add(by_column[j], first)
                first += len(block)
        return tallies

    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return numbers for all features, by a reader where there is one, and the target."""
        by_position = {self.columns.features[j]: reader for j, reader in readers.items()}
        codes = LabelCodes()
        with reading(self.path):
            lines = delimited.rows(self.path, self._layout)
            values, y = delimited.parse(
                self.path, self._layout, self.columns, lines, codes, by_position
            )
        return values, codes.decode(y) if self.columns.target is not None else y

    def where(self, row: int) -> str:
        """Say where a row is in the file."""
        return f"line {delimited.line_of(self.path, self._layout, row)}"

"""What a mixed table asks of a file, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from handful.io.columns import Columns
from handful.io.mixed.kinds import Tally
from handful.io.table import Table

#: Makes a number of the text of a cell; NaN is missing, ValueError a mistake.
Reader = Callable[[str], float]


class Cells(Protocol):
    """A file of columns.

    Attributes
    ----------
    path : Path
    columns : Columns
        Those that are asked for.
    has_names : bool
    """

    path: Path
    columns: Columns
    has_names: bool

    def plain(self) -> Table:
        """Read it as a table of numbers; InputError when it is none."""

    def tallies(self) -> list[Tally]:
        """Look at every cell of the features; InputError for columns that are neither numbers nor text."""

    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return numbers for all features, by a reader where there is one, and the target."""

    def where(self, row: int) -> str:
        """Say where a row, counted from 0, is in the file."""

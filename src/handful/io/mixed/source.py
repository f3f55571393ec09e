"""Columns that may hold text, as a file gives them, and what its cells are read as."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from handful.io.columns import Columns
from handful.io.labels import TRUTH, is_missing
from handful.io.mixed.kinds import Tally
from handful.io.table import Table

#: The code of a category that the model has not seen.
UNSEEN = -1.0
_NAN = math.nan


def read_number(text: str) -> float:
    """Read a finite number, true or false; ValueError for anything else that is there."""
    word = text.strip()
    if is_missing(word):
        return _NAN
    truth = TRUTH.get(word.lower())
    value = float(word) if truth is None else truth
    if not math.isfinite(value):
        raise ValueError(f"{word!r} is not finite")
    return value


class CategoryCodes:
    """Turn texts into codes: in the order of the categories given, or new ones as they come.

    Attributes
    ----------
    unseen : Counter
        With categories given: how often each other text came.
    """

    def __init__(self, categories: Iterable[str] | None = None) -> None:
        self._codes = {text: float(code) for code, text in enumerate(categories or ())}
        self._is_open = categories is None
        self.unseen: Counter[str] = Counter()

    def __call__(self, text: str) -> float:
        """Return the code of a text; NaN when it is missing."""
        text = text.strip()
        code = self._codes.get(text)
        if code is not None:
            return code
        if is_missing(text):
            return _NAN
        if self._is_open:
            return self._codes.setdefault(text, float(len(self._codes)))
        self.unseen[text] += 1
        return UNSEEN

    def sort(self, codes: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
        """Return the categories that occur, in order, and the codes that they then have."""
        texts = list(self._codes)
        there = np.zeros(len(texts), dtype=bool)
        present = ~np.isnan(codes)
        there[codes[present].astype(np.intp)] = True
        categories = sorted(text for text, occurs in zip(texts, there, strict=True) if occurs)
        new = {text: code for code, text in enumerate(categories)}
        renamed = np.array([new.get(text, -1) for text in texts], dtype=np.float64)
        codes = codes.copy()
        codes[present] = renamed[codes[present].astype(np.intp)]
        return tuple(categories), codes


#: Makes a number of the text of a cell; NaN is missing, ValueError a mistake.
Reader = Callable[[str], float]


class Cells(ABC):
    """A file of columns."""

    path: Path
    #: Those that are asked for.
    columns: Columns
    has_names: bool

    @abstractmethod
    def plain(self) -> Table:
        """Read it as a table of numbers; InputError when it is none."""

    @abstractmethod
    def tallies(self) -> list[Tally]:
        """Look at every cell of the features; InputError for columns that are neither numbers nor text."""

    @abstractmethod
    def read(self, readers: Mapping[int, Reader]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return numbers for all features, by a reader where there is one, and the target."""

    @abstractmethod
    def where(self, row: int) -> str:
        """Say where a row, counted from 0, is in the file."""

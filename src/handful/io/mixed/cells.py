"""How a cell of text becomes a number: a number itself, or the code of a category; NaN is missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from handful.io.labels import is_missing
from handful.io.mixed.kinds import TRUTH

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

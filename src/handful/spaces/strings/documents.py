"""Documents: rows of X that are strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray


class Documents:
    """Strings, all of them str or all of them bytes, one for each row.

    Estimators make this of a list, an array or a column. Whoever fits several models to the same strings can make it
    first, with :func:`~handful.spaces.strings.as_documents`: what was sorted for one fit serves the next.

    Parameters
    ----------
    texts : list of str, or list of bytes

    Attributes
    ----------
    texts : list
    shape : tuple of two int
        They are one column.
    """

    def __init__(self, texts: Iterable[Any]) -> None:
        self.texts = list(texts)
        self.shape = (len(self.texts), 1)
        self._made: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.texts)

    def __getitem__(self, rows: Any) -> Documents:
        """Return some of the rows: a mask, a slice or ids."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] in (Ellipsis, slice(None)):
            rows = rows[0]
        chosen = np.atleast_1d(np.arange(len(self.texts))[rows])
        if len(chosen) == len(self.texts) and (np.diff(chosen) == 1).all():
            return self
        return Documents([self.texts[row] for row in chosen])

    def __repr__(self) -> str:
        return f"Documents({len(self.texts)} strings)"

    def __getstate__(self) -> dict[str, Any]:
        return {
            **vars(self),
            "_made": {},
        }  # what can be made again is not copied to other processes

    def once(self, key: Any, make: Any) -> Any:
        """Return ``make()``, or what it gave for an equal key before; only the last one is kept."""
        if key not in self._made:
            self._made.clear()
            self._made[key] = make()
        return self._made[key]

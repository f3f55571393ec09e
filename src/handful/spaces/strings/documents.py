"""Documents: rows of X that are strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from handful.validation.strings import check_strings

Array = np.ndarray


class Documents:
    """Strings, all of them str or all of them bytes, one for each row.

    Estimators make this of a list, an array or a column. Whoever fits several models to the same strings can make it
    first and give it as X: what was sorted for one fit serves the next, and serves fits to some of the rows, as
    cross-validation makes them. Features are then those of all the strings, under the same ids in every fit; rows that are
    left out count as if their weight were zero.

    Parameters
    ----------
    texts : iterable of str, or of bytes
    shared : bool
        Whether some of the rows remember that they are part of all.

    Attributes
    ----------
    texts : list
    shape : tuple of two int
        They are one column.
    whole : Documents
        All of which these are some; itself if these are all.
    rows : ndarray of int64 or None
        Which rows of the whole these are; None for all.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from handful import FGMClassifier
    >>> from handful.spaces import Documents, Substrings
    >>> documents = Documents(["abra", "cadabra", "ab", "abc", "xyz", "yz", "zyx", "xy"])
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> model = FGMClassifier(1, space=Substrings(rarity=0.0))
    >>> cross_val_score(model, documents, y, cv=2)  # sorted once
    array([1., 1.])
    """

    def __init__(self, texts: Iterable[Any], *, shared: bool = True) -> None:
        self.texts = list(texts)
        check_strings(self.texts)
        self.shape = (len(self.texts), 1)
        self.shared = shared
        self.whole = self
        self.rows: Array | None = None
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
        some = Documents([self.texts[row] for row in chosen], shared=self.shared)
        if self.shared:
            some.whole = self.whole
            some.rows = chosen if self.rows is None else self.rows[chosen]
        return some

    def __repr__(self) -> str:
        return f"Documents({len(self.texts)} strings)"

    def __getstate__(self) -> dict[str, Any]:
        return {
            **vars(self),
            "_made": {},
        }  # what can be made again is not copied to other processes

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return ``make()``, or what it gave for an equal key before; only the last one is kept."""
        if key not in self._made:
            self._made.clear()
            self._made[key] = make()
        return self._made[key]

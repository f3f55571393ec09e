"""What is no array yet: tables that were not computed, rows of different lengths, labels in lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation.plural import plural

#: What numpy says of rows of different lengths.
_OF_LENGTHS = ("inhomogeneous", "setting an array element with a sequence")
#: How several labels of a sample are given.
_LABELS_AS_MATRIX = (
    "where a sample has several labels y is a matrix with a column of 0 and 1 for each, as "
    "sklearn.preprocessing.MultiLabelBinarizer makes it"
)


def refuse_lazy(name: str, given: Any) -> None:
    """Raise for a table of polars that was not computed yet."""
    is_of_polars = type(given).__module__.partition(".")[0] == "polars"
    if is_of_polars and type(given).__name__ == "LazyFrame":
        raise TypeError(
            f"{name} is a LazyFrame of polars, which holds no rows yet; give {name}.collect()."
        )


def ragged(error: Exception, X: Any, y: Any, *, are_labels: bool) -> ValueError | None:
    """Return the error for rows of X, or entries of y, that are lists of different lengths; None if it is not that."""
    if not any(words in str(error) for words in _OF_LENGTHS):
        return None
    for name, given, one in (("X", X, "row"), ("y", y, "sample")):
        place = _first_other_length(given)
        if place is None:
            continue
        lengths = [_length(given[j]) for j in (0, place)]
        told = " and ".join(
            f"{one} {j} has {plural(length, 'entry', 'entries') if length else 'no list'}"
            for j, length in zip((0, place), lengths, strict=True)
        )
        mend = "fill up the shorter rows or leave them out"
        if name == "y":
            same = "give every sample the same number of targets"
            mend = _LABELS_AS_MATRIX if are_labels else same
        return ValueError(f"{name} holds lists of different lengths, {told}; {mend}.")
    return None


def no_labels(y: np.ndarray) -> ValueError | None:
    """Return the error for labels that are lists, or numbers that numpy does not know as such; None for others."""
    if y.dtype.kind != "O" or not y.size or isinstance(y.flat[0], str):
        return None
    if isinstance(y.flat[0], (list, tuple, set, frozenset, np.ndarray)):
        return ValueError(
            f"y holds a list for sample 0, and a label is one thing; {_LABELS_AS_MATRIX}."
        )
    kind = type(y.flat[0]).__name__
    known = {"bool": "bool", "bool_": "bool", "int": "int", "float": "float"}
    mend = (
        f"make it an array of one kind with y.astype({known[kind]})"
        if kind in known
        else ("turn them into words or whole numbers")
    )
    return ValueError(
        f"Unknown label type: y holds {kind} in an array of dtype object, in which only words are classes; {mend}."
    )


def _length(entry: Any) -> int:
    if isinstance(entry, np.ndarray):
        return len(entry) if entry.ndim else 0
    return len(entry) if isinstance(entry, (list, tuple, set, frozenset)) else 0


def _first_other_length(given: Any) -> int | None:
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or not len(given):
        return None
    first = _length(given[0])
    return next((j for j, entry in enumerate(given) if _length(entry) != first), None)

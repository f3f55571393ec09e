"""An encoding in a model file: plain texts and numbers, checked as those of a stranger when read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful.io.mixed.encoding import MISSING_RULES, Encoding
from handful.io.mixed.kinds import KINDS, TEXT
from handful.validation.names import first_repeated


def notes_of(encoding: Encoding) -> dict[str, Any]:
    """Return what a model file is to hold of an encoding: arrays, which can be as long as they like."""
    sizes = [len(categories) for categories in encoding.categories]
    fill = np.zeros(len(encoding.names)) if encoding.fill is None else encoding.fill
    return {
        "names": _texts(encoding.names),
        "has_names": encoding.has_names,
        "kinds": np.array([KINDS.index(kind) for kind in encoding.kinds], dtype=np.int64),
        "category_counts": np.array(sizes, dtype=np.int64),
        "categories": _texts([text for one in encoding.categories for text in one]),
        "missing": encoding.missing,
        "gaps": np.array(encoding.gaps, dtype=np.int64),
        "fill": fill,
    }


def encoding_of(notes: Any) -> Encoding:
    """Return the encoding that a model file holds; ValueError when what it says makes no sense."""
    _check_parts(notes)
    texts, stops = notes["categories"].tolist(), np.cumsum(notes["category_counts"])
    parts = zip(stops - notes["category_counts"], stops, strict=True)
    made = Encoding(
        names=tuple(notes["names"].tolist()),
        has_names=notes["has_names"],
        kinds=tuple(KINDS[kind] for kind in notes["kinds"]),
        categories=tuple(tuple(texts[start:stop]) for start, stop in parts),
        missing=notes["missing"],
        gaps=tuple(notes["gaps"].tolist()),
        fill=notes["fill"],
    )
    for kind, categories in zip(made.kinds, made.categories, strict=True):
        if bool(categories) != (kind == TEXT) or first_repeated(categories) is not None:
            raise ValueError("the categories of its table do not fit the columns")
    return made


def _texts(texts: Sequence[str]) -> np.ndarray:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _check_parts(notes: Any) -> None:
    """Raise ValueError unless every part is there, of its kind, and as long as the others."""
    if not isinstance(notes, Mapping) or set(notes) != set(_PARTS):
        raise ValueError("its table does not say what it must")
    for key, is_right in _PARTS.items():
        if not is_right(notes[key]):
            raise ValueError(f"{key} of its table is not what it must be")
    n_columns = len(notes["names"])
    if not n_columns or any(len(notes[key]) != n_columns for key in _FOR_EACH_COLUMN):
        raise ValueError("the parts of its table have different lengths")
    if notes["category_counts"].sum() != len(notes["categories"]):
        raise ValueError("the categories of its table do not fit the columns")
    if not (notes["gaps"] < n_columns).all():
        raise ValueError("gaps of its table point outside the columns")


def _is_vector(value: Any, kinds: str) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in kinds


def _are_texts(value: Any) -> bool:
    return _is_vector(value, "OU") and all(isinstance(item, str) for item in value)


def _are_counts(value: Any, below: int = 2**31) -> bool:
    return (
        _is_vector(value, "i")
        and value.dtype == np.int64
        and bool(((value >= 0) & (value < below)).all())
    )


def _are_finite(value: Any) -> bool:
    return _is_vector(value, "f") and value.dtype == np.float64 and bool(np.isfinite(value).all())


_PARTS: dict[str, Any] = {
    "names": lambda value: _are_texts(value) and first_repeated(value) is None,
    "has_names": lambda value: isinstance(value, bool),
    "kinds": lambda value: _are_counts(value, below=len(KINDS)),
    "category_counts": _are_counts,
    "categories": _are_texts,
    "missing": lambda value: isinstance(value, str) and value in MISSING_RULES,
    "gaps": lambda value: _are_counts(value) and bool((np.diff(value) > 0).all()),
    "fill": _are_finite,
}
_FOR_EACH_COLUMN = ("kinds", "category_counts", "fill")

"""An encoding in a model file: plain texts and numbers, checked as those of a stranger when read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.io.mixed.encoding import MISSING_RULES, Encoding
from handful.io.mixed.kinds import KINDS, TEXT
from handful.validation.names import first_repeated
from handful.validation.schema import Field, array_of, choice


def notes_of(encoding: Encoding) -> dict[str, Any]:
    """Return what a model file is to hold of an encoding: arrays, which can be as long as they like."""
    sizes = [len(categories) for categories in encoding.categories]
    fill = np.zeros(len(encoding.names)) if encoding.fill is None else encoding.fill
    return {
        "names": np.array(encoding.names, dtype=object),
        "has_names": encoding.has_names,
        "kinds": np.array([KINDS.index(kind) for kind in encoding.kinds], dtype=np.int64),
        "category_counts": np.array(sizes, dtype=np.int64),
        "categories": np.array([text for one in encoding.categories for text in one], dtype=object),
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


def _check_parts(notes: Any) -> None:
    """Raise ValueError unless every part is there, of its kind, and as long as the others."""
    if not isinstance(notes, Mapping) or set(notes) != set(_PARTS):
        raise ValueError("its table does not say what it must")
    for key, part in _PARTS.items():
        if not part.is_right(notes[key]):
            raise ValueError(f"{key} of its table is not what it must be")
    n_columns = len(notes["names"])
    if not n_columns or any(len(notes[key]) != n_columns for key in _FOR_EACH_COLUMN):
        raise ValueError("the parts of its table have different lengths")
    if notes["category_counts"].sum() != len(notes["categories"]):
        raise ValueError("the categories of its table do not fit the columns")
    if not (notes["gaps"] < n_columns).all():
        raise ValueError("gaps of its table point outside the columns")


def _are_texts(values: np.ndarray) -> bool:
    return all(isinstance(item, str) for item in values)


def _are_counts(values: np.ndarray, below: int = 2**31) -> bool:
    return values.dtype == np.int64 and bool(((values >= 0) & (values < below)).all())


_PARTS = {
    "names": array_of(
        "names", "OU", 1, lambda names: _are_texts(names) and first_repeated(names) is None
    ),
    "has_names": Field("true or false", lambda value: isinstance(value, bool)),
    "kinds": array_of("kinds", "i", 1, lambda kinds: _are_counts(kinds, below=len(KINDS))),
    "category_counts": array_of("counts", "i", 1, _are_counts),
    "categories": array_of("texts", "OU", 1, _are_texts),
    "missing": choice(*MISSING_RULES),
    "gaps": array_of(
        "places", "i", 1, lambda gaps: _are_counts(gaps) and (np.diff(gaps) > 0).all()
    ),
    "fill": array_of("numbers", "f", 1, lambda x: x.dtype == np.float64 and np.isfinite(x).all()),
}
_FOR_EACH_COLUMN = ("kinds", "category_counts", "fill")

"""What a manifest from a stranger must look like, field by field; ValueError names the first that does not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

MOST = 2**63 - 1  # of anything that is counted
#: Objects and lists inside of each other; what is written here has less than ten.
DEEPEST = 40


class Field(NamedTuple):
    """What a value must be, in words and as a test."""

    words: str
    is_right: Callable[[Any], bool]
    optional: bool = False


def parse_json(content: bytes | str) -> Any:
    """Return what JSON says; ValueError also for what is nested too deeply to be read or walked."""
    try:
        value = json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
    return value


def check_fields(content: Any, schema: Mapping[str, Field]) -> None:
    """Raise unless this is an object with these fields, of these kinds, and no others."""
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    for name, (words, is_right, optional) in schema.items():
        if name not in content:
            if optional:
                continue
            raise ValueError(f"it has no {name}")
        if not is_right(content[name]):
            raise ValueError(f"its {name} is not {words}")
    odd = next((name for name in content if name not in schema), None)
    if odd is not None:
        raise ValueError(f"it has a field {odd[:40]!r}, which is not known")


count = Field("a count", lambda value: type(value) is int and 0 <= value <= MOST)
text = Field("text", lambda value: isinstance(value, str))


def choice(*known: str) -> Field:
    """One of a few words."""
    words = f"{known[0]!r}" if len(known) == 1 else f"one of {', '.join(map(repr, known))}"
    return Field(words, lambda value: isinstance(value, str) and value in known)


def one_of(*fields: Field | None) -> Field:
    """A value of one kind or another; None stands for null."""
    kinds = [Field("null", lambda value: value is None) if one is None else one for one in fields]
    words = " or ".join(kind.words for kind in kinds)
    return Field(words, lambda value: any(kind.is_right(value) for kind in kinds))


def list_of(field: Field, length: int | None = None) -> Field:
    """A list of values of one kind."""

    def is_right(value: Any) -> bool:
        fits = isinstance(value, list) and length in (None, len(value))
        return fits and all(map(field.is_right, value))

    return Field(f"a list{'' if length is None else f' of {length}'}, each {field.words}", is_right)


def array_of(
    words: str, kinds: str, n_dimensions: int = 1, more: Callable[[Any], Any] | None = None
) -> Field:
    """An array of some kinds of entries, of which more may have to be true."""

    def is_right(value: Any) -> bool:
        fits = isinstance(value, np.ndarray) and value.ndim == n_dimensions
        return fits and value.dtype.kind in kinds and (more is None or bool(more(value)))

    return Field(words, is_right)


def mapping_of(field: Field, known: tuple[str, ...] | None = None) -> Field:
    """An object whose values are of one kind, under known names."""

    def is_right(value: Any) -> bool:
        fits = isinstance(value, dict) and (known is None or set(value) <= set(known))
        return fits and all(map(field.is_right, value.values()))

    return Field(f"an object with {field.words} under each name", is_right)

"""Ctrl-C in a choice that is repeated within another: half of it is of no use there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_within = ContextVar("_is_within", default=False)


@contextmanager
def within_another() -> Iterator[None]:
    """Have choices that are made meanwhile end with KeyboardInterrupt, and not with what they have."""
    token = _is_within.set(True)
    try:
        yield
    finally:
        _is_within.reset(token)


def raise_within_another() -> None:
    """Raise KeyboardInterrupt in a choice that another one repeats: that one says what it keeps."""
    if _is_within.get():
        raise KeyboardInterrupt

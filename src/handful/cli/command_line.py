"""The words that the command was called with: a report says them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_arguments: ContextVar[tuple[str, ...] | None] = ContextVar("_arguments", default=None)


@contextmanager
def remembering(arguments: Sequence[str] | None) -> Iterator[None]:
    """Keep the arguments of a call while it runs; None are those of the process."""
    token = _arguments.set(tuple(sys.argv[1:] if arguments is None else arguments))
    try:
        yield
    finally:
        _arguments.reset(token)


def words() -> list[str] | None:
    """Return the command that is running; None outside of one."""
    arguments = _arguments.get()
    return None if arguments is None else ["handful", *arguments]

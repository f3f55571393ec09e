"""The exceptions of the readers and of the model file, and whether a file could be in memory at all."""

from __future__ import annotations

import os
from pathlib import Path


class InputError(ValueError):
    """A file cannot be used; the message is one sentence that names it and says what to do."""

    def __init__(self, message: str) -> None:
        # What other libraries complain of may run over several lines; a sentence does not.
        super().__init__(" ".join(message.split("\n")))


class NoRoomError(InputError, MemoryError):
    """A file does not fit in memory."""


def let_through(error: BaseException) -> None:
    """Raise what a parser took for an error of the data: Ctrl-C, or the end of memory, inside a callback."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (KeyboardInterrupt, MemoryError)):
            raise cause
        cause = cause.__cause__ or cause.__context__


def check_room(path: str | os.PathLike[str], n_bytes: int, what: str) -> None:
    """Raise InputError when that many bytes are more than the memory of this machine."""
    if n_bytes > _memory():
        raise InputError(
            f"{Path(path)}: {what} would take {n_bytes / 2**30:.0f} GiB, more than the memory of this "
            "machine; is the file damaged?"
        )


def _memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return 2**47  # what one process can address

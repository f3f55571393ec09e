"""Whether what a file announces could be in memory at all; asked before anything is made of it."""

from __future__ import annotations

import os
from pathlib import Path

from handful.io.errors import InputError


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

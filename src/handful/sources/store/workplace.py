"""The folder in which a conversion works: marked as ours, locked, and cleared of nothing that is not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handful.files import OutputError
from handful.sources.store import manifest as files
from handful.sources.store.journal import JOURNAL

#: A folder with this file in it is ours. It is locked while a conversion works there.
MARK = "handful.lock"
_RUN = re.compile(r"run-\d{5,}-[a-z]+\.npy")
_HALF_WRITTEN = re.compile(r"\.[a-z_]+\.(npy|json)\.[0-9a-f]{12}\.part")


@contextmanager
def workplace(folder: Path) -> Iterator[None]:
    """Make the folder, or take up one that a conversion left; keep other processes out of it.

    A folder in which nothing was written goes away again.

    Raises
    ------
    OutputError
        The folder is not ours, or another process works in it.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        _check_ours(folder)
    try:
        # Opened to be written to: on some network file systems only such a file can be locked.
        mark = open(folder / MARK, "ab")  # noqa: SIM115
    except FileNotFoundError:  # whoever had the folder has just finished
        raise _busy(folder) from None
    with mark:
        _lock(mark.fileno(), folder)
        try:
            yield
        finally:
            # The folder of that name may be another's by now, who came when this one had been renamed.
            if _is_mark_of(mark.fileno(), folder) and os.listdir(folder) == [MARK]:
                remove(folder)


def clear_runs(folder: Path) -> None:
    """Remove what a store does not need, but for the journal and the mark."""
    for path in folder.iterdir():
        if _RUN.fullmatch(path.name) or _HALF_WRITTEN.fullmatch(path.name):
            path.unlink()


def remove(folder: Path) -> None:
    """Remove what a conversion wrote, and the folder unless somebody else put something there."""
    clear_runs(folder)
    for name in (files.MANIFEST, *files.KNOWN, JOURNAL, MARK):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _check_ours(folder: Path) -> None:
    # One look at all there is: between two questions a conversion may finish there and another begin.
    is_ours = False
    try:
        if not folder.is_symlink():
            names = os.listdir(folder)
            is_ours = not names or MARK in names
    except FileNotFoundError:
        raise _busy(folder) from None
    except NotADirectoryError:
        pass
    if not is_ours:
        raise OutputError(
            f"{folder} is where the conversion would work, and is there already without being an "
            "unfinished conversion; move it away or choose another name for the store"
        )


def _busy(folder: Path) -> OutputError:
    return OutputError(
        f"another conversion is at work in {folder}; wait for it or choose another name for the store"
    )


def _lock(handle: int, folder: Path) -> None:
    """Lock the mark until it is closed, by whatever end of the process."""
    try:
        import fcntl
    except ImportError:  # Windows, where the journal alone tells conversions apart
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _busy(folder) from None
    except OSError:  # a file system without locks
        return
    if not _is_mark_of(handle, folder):  # whoever had it has just finished
        raise _busy(folder)


def _is_mark_of(handle: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(folder / MARK))
    except FileNotFoundError:
        return False

"""Write a file so that nobody ever sees half of it.

Everything handful writes (models, predictions, checkpoints, plots) goes through
:func:`atomic_write`: the bytes go to a temporary name in the same folder, and only a
complete file is renamed to the name that was asked for.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["OutputError", "atomic_write", "check_place"]


class OutputError(OSError):
    """A file could not be written; the message is one sentence for the user."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "a file could not be written"


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing that appears under `path` only when it is complete.

    Parameters
    ----------
    path : str or path
        The final name. A link is followed; a device such as ``/dev/stdout`` is
        written directly, as it cannot be replaced.
    text : bool, default=False
        Write UTF-8 text, lines ending in a line feed, instead of bytes.

    Yields
    ------
    file object
        Closed, flushed to the disk and renamed on a normal exit from the block;
        removed when the block raises anything, an interrupt included.

    Raises
    ------
    OutputError
        When the system refuses to open, write or rename the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "a.txt", text=True) as file:
    ...     _ = file.write("hello")
    >>> (folder / "a.txt").read_text()
    'hello'
    """
    shown = os.fspath(path)
    target = Path(os.path.realpath(shown))
    check_place(shown)
    mode = {"mode": "w", "encoding": "utf-8", "newline": "\n"} if text else {"mode": "wb"}
    if target.exists() and not target.is_file():
        with _one_sentence(shown), open(target, **mode) as device:  # type: ignore[call-overload]
            yield device
        return
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with _one_sentence(shown):
            # os.open and not tempfile: the file gets the permissions of the user's umask.
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
            with open(handle, **mode) as file:  # type: ignore[call-overload]
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
            _flush_folder(target.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)  # only Windows has it


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise OutputError when a file cannot appear under `path`; ask before long work."""
    shown = os.fspath(path)
    target = Path(os.path.realpath(shown))
    if not target.parent.is_dir():
        raise OutputError(
            f"cannot write {shown}: the folder {target.parent} does not exist; create it first"
        )
    if target.is_dir():
        raise OutputError(f"cannot write {shown}: it is a folder; give the name of a file")


@contextmanager
def _one_sentence(shown: str) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write {shown}: {reason[:1].lower()}{reason[1:]}") from error


def _flush_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system offers it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

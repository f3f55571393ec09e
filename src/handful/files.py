"""Write a file so that nobody ever sees half of it; read one only if it is a file.

Everything handful writes (models, predictions, checkpoints, plots) goes through
:func:`atomic_write`: the bytes go to a temporary name in the same folder, and only a
complete file is renamed to the name that was asked for. :func:`check_apart` sees to it that
this name is not that of something that is read.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from itertools import combinations
from pathlib import Path
from typing import IO, Any

PathLike = str | os.PathLike[str]
_BINARY = getattr(os, "O_BINARY", 0)  # only Windows has it
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # and only it has not this
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_LONGEST_STEM = 100  # bytes of a name that its temporary name begins with


class OutputError(OSError):
    """A file could not be written; the message is one sentence for the user."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "a file could not be written"


@contextmanager
def atomic_write(path: PathLike, *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing that appears under `path` only when it is complete.

    Parameters
    ----------
    path : str or path
        The final name. A link is followed; a device or a pipe is written directly, as it cannot
        be replaced, and so is ``/dev/stdout``, whatever it stands for.
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
    mode = {"mode": "w", "encoding": "utf-8", "newline": "\n"} if text else {"mode": "wb"}
    if _is_written_directly(shown):
        with _one_sentence(shown), open(_opened(shown), **mode) as device:  # type: ignore[call-overload]
            yield device
        return
    check_place(shown)
    target = Path(os.path.realpath(shown))
    stem = os.fsencode(target.name)[:_LONGEST_STEM].decode("utf-8", errors="ignore")
    temporary = target.with_name(f".{stem}.{secrets.token_hex(6)}.part")
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


def check_place(path: PathLike) -> None:
    """Raise OutputError when a file cannot appear under `path`; ask before long work."""
    shown = os.fspath(path)
    if _is_written_directly(shown):
        return
    target = os.path.realpath(shown)
    folder = os.path.dirname(target)
    with _one_sentence(shown):
        if not os.path.isdir(folder):
            raise OutputError(
                f"cannot write {shown}: the folder {folder} does not exist; create it first"
            )
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(target).st_mode):  # and raises where no such name is possible
                raise OutputError(f"cannot write {shown}: it is a folder; give the name of a file")


def check_apart(outputs: Mapping[str, PathLike | None], inputs: Iterable[PathLike | None]) -> None:
    """Raise OutputError when an output would replace something that is read, or another output.

    Outputs are under the names of the options that say where; nothing may be written into a folder that is an input.
    """
    named = {
        option: os.fspath(path)
        for option, path in outputs.items()
        if path is not None and not _is_written_directly(os.fspath(path))
    }
    read = [os.fspath(path) for path in inputs if path is not None]
    for shown in named.values():
        if any(_is_same(shown, other) for other in read):
            raise OutputError(f"cannot write {shown}: the same command reads it; give another name")
        if any(_is_inside(shown, other) for other in read if os.path.isdir(other)):
            raise OutputError(
                f"cannot write {shown}: the same command reads the folder that it is in; give another"
            )
    for (one, first), (two, second) in combinations(named.items(), 2):
        if _is_same(first, second):
            raise OutputError(f"cannot write {first}: {one} and {two} both name it; give two names")


def open_regular(path: PathLike) -> BufferedReader:
    """Open a file to be read; OSError when it is a pipe, which may wait forever, or a device."""
    handle = os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "It is not a regular file", os.fspath(path))
    return os.fdopen(handle, "rb")


def reason_of(error: BaseException) -> str:
    """Return what an error says, as it can stand inside of a sentence; of the system's only what went wrong."""
    reason = str(getattr(error, "strerror", None) or error)
    return reason[:1].lower() + reason[1:]


def _is_same(one: str, other: str) -> bool:
    if _place(one) == _place(other):
        return True
    try:
        return os.path.samefile(one, other)  # links, and names whose case does not matter
    except OSError:
        return False


def _is_inside(path: str, folder: str) -> bool:
    return _place(path).startswith(os.path.join(_place(folder), ""))


def _place(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _is_written_directly(shown: str) -> bool:
    """Whether nothing can be renamed to this name: pipes, devices, streams that are open already."""
    if shown in _STANDARD or _DESCRIPTOR.fullmatch(shown):
        return True
    try:
        mode = os.stat(shown).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _opened(shown: str) -> str | int:
    """Return what to open for writing: a copy of an open stream goes on where that one stands."""
    numbered = _DESCRIPTOR.fullmatch(shown)
    if shown not in _STANDARD and not numbered:
        return shown
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return os.dup(int(numbered[1]) if numbered else _STANDARD[shown])


@contextmanager
def _one_sentence(shown: str) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {shown}: {reason_of(error)}") from error


def _flush_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system offers it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

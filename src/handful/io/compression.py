"""Open a file that may be compressed; turn what goes wrong into one sentence."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from handful.files import reason_of
from handful.io.errors import InputError, NoRoomError

COMPRESSIONS: dict[str, Callable[..., IO[Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


def check_file(path: str | os.PathLike[str]) -> Path:
    """Return `path` as a Path when it is a file that is not empty."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason_of(error)}") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path} is a folder; give the name of a file")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is a pipe or a device; save its contents to a file first")
    if status.st_size == 0:
        raise InputError(f"{path} is empty")
    return Path(path)


def open_bytes(path: Path) -> IO[Any]:
    """Open for reading, through the decompressor that the last suffix names."""
    opener = COMPRESSIONS.get(path.suffix.lower())
    return open(path, "rb") if opener is None else opener(path, "rb")


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in every failure of the system or of a decompressor."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(_damaged(path, error)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte 0x{error.object[error.start]:02x}); "
            "save it as UTF-8, or name its format"
        ) from error
    except MemoryError as error:
        raise NoRoomError(f"{path} does not fit in memory") from error
    except OSError as error:
        if error.errno is None:  # bz2 says "Invalid data stream" with no number
            raise InputError(_damaged(path, error)) from error
        raise InputError(f"cannot read {path}: {reason_of(error)}") from error


def _damaged(path: str | os.PathLike[str], error: BaseException) -> str:
    kind = Path(path).suffix.lower().lstrip(".")
    return f"{path} is not a complete {kind} file ({error}); is it cut short or misnamed?"

"""Open a file that may be compressed, and go through it: lines none longer than a bound, and rows whose quoted fields run over several."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from handful.files import reason_of
from handful.io.errors import InputError, NoRoomError
from handful.sizes import current_sizes

LONGEST_QUOTE = 2**17  # what Python's csv reader takes for one field
SHORTEST_BOUND = 2**20  # a line may be this long however little memory there is
_SKIP = 2**22
COMPRESSIONS: dict[str, Callable[..., IO[Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


def ending(path: Path) -> str:
    """Return the suffix that tells the format, in small letters; one of a compression comes after it."""
    packed = path.suffix.lower() in COMPRESSIONS
    return (Path(path.stem) if packed else path).suffix.lower()


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


def bounded_lines(path: Path, file: IO[Any]) -> Iterator[Any]:
    """Give the lines of a file of text or bytes; InputError when one is too long."""
    number, longest = 0, current_sizes().longest_line
    while line := file.readline(longest):
        number += 1
        if len(line) == longest and line[-1] not in ("\n", 10):
            raise _too_long(path, f"line {number}", longest)
        yield line


class BoundedLines:
    """The same for parsers that ask for an open file, and go through its lines."""

    def __init__(self, path: Path, file: IO[Any]) -> None:
        self._lines = bounded_lines(path, file)
        self.read = file.read  # by which scikit-learn knows an open file

    def __iter__(self) -> Iterator[bytes]:
        return self._lines


def line_pieces(
    path: Path, offset: int, n_bytes: int, remedy: str = ""
) -> Iterator[tuple[bytes, int]]:
    """Give whole lines of about n_bytes together from a place on, and where the next piece begins.

    Places are counted in the unpacked text; in a compressed file the way there is unpacked again. A
    line is no longer than a piece; `remedy` says what else can be done about one that is.
    """
    longest = min(current_sizes().longest_line, max(n_bytes, SHORTEST_BOUND))
    with reading(path), open_bytes(path) as file:
        if path.suffix.lower() not in COMPRESSIONS:
            file.seek(offset)
        else:
            left = offset
            while left > 0 and (skipped := len(file.read(min(left, _SKIP)))):
                left -= skipped
        while piece := file.read(n_bytes):
            rest = file.readline(longest)
            if len(rest) == longest and not rest.endswith(b"\n"):
                raise _too_long(path, f"after byte {offset}", longest, remedy)
            piece += rest
            offset += len(piece)
            yield piece, offset


def quoted_lines(
    path: Path,
    file: io.TextIOWrapper,
    separators: str,
    *,
    after_spaces: bool = False,
    longest: int = LONGEST_QUOTE,
) -> Iterator[tuple[int, str]]:
    """Give (line number, text); lines inside quotes are joined to the one that opens them.

    A quotation mark opens a field where the field begins; anywhere else it stands for itself. With
    `after_spaces` spaces may stand before it. A mark that is still open after the longest field is never closed.
    """
    spaces = " *" if after_spaces else ""
    opening = re.compile(f'(?:^|[{re.escape(separators)}]){spaces}"')
    numbered = enumerate(bounded_lines(path, file), start=1)
    for number, line in numbered:
        parts, opened, length = [line], number, 0
        inside, _ = _inside_after(line, False, opening)
        while inside:
            following, more = next(numbered, (0, ""))
            length += len(more)
            if not more or length > longest:
                raise InputError(
                    f"{path}, line {opened}: a quotation mark is opened here and never closed; "
                    "close it, or take it out"
                )
            parts.append(more)
            inside, is_new = _inside_after(more, True, opening)
            if is_new:
                opened, length = following, 0
        yield number, "".join(parts)


def _inside_after(line: str, inside: bool, opening: re.Pattern[str]) -> tuple[bool, bool]:
    """Return whether a quoted field goes on after a line, and whether it was opened in this line."""
    place, is_new = 0, False
    while True:
        if inside:
            place = line.find('"', place)
            if place < 0:
                return True, is_new
            if line.startswith('"', place + 1):  # doubled, it stands for one
                place += 2
                continue
            place += 1
        found = opening.search(line, place) if '"' in line else None
        if found is None:
            return False, False
        inside, is_new, place = True, True, found.end()


def _too_long(path: Path, where: str, longest: int, remedy: str = "") -> InputError:
    return InputError(
        f"{path}, {where}: a line is longer than {longest} bytes; check that this is a file of text{remedy}"
    )

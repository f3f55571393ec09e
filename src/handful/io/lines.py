"""Lines of a file, none longer than a bound, and rows whose quoted fields run over several."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from handful.io.compression import COMPRESSIONS, open_bytes, reading
from handful.io.errors import InputError
from handful.sizes import current_sizes

LONGEST_QUOTE = 2**17  # what Python's csv reader takes for one field
SHORTEST_BOUND = 2**20  # a line may be this long however little memory there is
_SKIP = 2**22


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

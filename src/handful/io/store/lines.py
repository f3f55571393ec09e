"""Text files by pieces of whole lines, from a place in the file on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from handful.io.compression import COMPRESSIONS, open_bytes, reading

_SKIP = 2**22


def line_pieces(path: Path, offset: int, n_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Give whole lines of about n_bytes together, and where the next piece begins.

    Places are counted in the unpacked text; in a compressed file the way there is unpacked again.
    """
    with reading(path), open_bytes(path) as file:
        if path.suffix.lower() not in COMPRESSIONS:
            file.seek(offset)
        else:
            left = offset
            while left > 0 and (skipped := len(file.read(min(left, _SKIP)))):
                left -= skipped
        while piece := file.read(n_bytes):
            piece += file.readline()
            offset += len(piece)
            yield piece, offset

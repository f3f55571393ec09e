"""Read Matrix Market files (mtx): the first lines, which say of what size they are, and the numbers; the target is in a file of its own."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.io

from handful.files import reason_of
from handful.io.columns import refuse_names
from handful.io.errors import InputError, check_room
from handful.io.labels import read_labels
from handful.io.opening import line_pieces, open_bytes, reading
from handful.io.table import Request, Table, as_matrix

_NUMBERS = {"pattern": 0, "real": 1, "integer": 1, "unsigned-integer": 1, "double": 1, "complex": 2}
_MIRRORED = {"general": 0, "symmetric": 1, "skew-symmetric": -1, "hermitian": 1}
_LONGEST_LINE = 4096


@dataclass(frozen=True)
class Header:
    """What the first lines say."""

    is_sparse: bool
    #: "real", "integer", "pattern", ...
    field: str
    shape: tuple[int, int]
    #: Lines of numbers that follow.
    n_entries: int
    #: Numbers of such a line.
    width: int
    #: 0, 1 or -1: whether entries stand for those across the diagonal too, and with which sign.
    mirrored: int
    #: Where the numbers begin, in bytes.
    start: int


def read_header(path: Path) -> Header:
    """Read the first lines and check them: the sizes come from a stranger."""
    with reading(path):
        words, sizes, start = _first_lines(path)
    is_matrix = len(words) == 5 and words[:2] == ["%%matrixmarket", "matrix"]
    is_sparse = is_matrix and words[2] == "coordinate"
    if (
        not is_matrix
        or words[2] not in ("coordinate", "array")
        or words[3] not in _NUMBERS
        or words[4] not in _MIRRORED
        or (words[3] == "pattern" and not is_sparse)
        or len(sizes) != (3 if is_sparse else 2)
        or min(sizes) < 0
    ):
        raise unreadable(
            path,
            "expected a first line such as '%%MatrixMarket matrix coordinate real general' and a "
            "line of sizes",
        )
    n_rows, n_columns = sizes[:2]
    mirrored = _MIRRORED[words[4]]
    if n_rows == 0 or n_columns == 0:
        raise InputError(f"{path} holds no values: its shape is {n_rows} x {n_columns}")
    if mirrored and n_rows != n_columns:
        raise unreadable(path, f"it is {words[4]} and not square, but {n_rows} x {n_columns}")
    n_entries = sizes[2] if is_sparse else math.prod(sizes)
    if mirrored and not is_sparse:
        n_entries = n_rows * (n_rows + mirrored) // 2
    width = _NUMBERS[words[3]] + (2 if is_sparse else 0)
    return Header(is_sparse, words[3], (n_rows, n_columns), n_entries, width, mirrored, start)


def check_request(path: Path, request: Request) -> None:
    """Refuse columns by name, and several targets: such a file has neither."""
    refuse_names(path, request)
    if request.targets is not None:
        raise InputError(
            f"{path} holds no targets; --targets is for csv, tsv, parquet, npz and svmlight"
        )


def unreadable(path: Path, reason: str) -> InputError:
    """Make the error about a file that breaks the rules of the format."""
    return InputError(f"{path} is not a readable mtx file: {reason}")


def _first_lines(path: Path) -> tuple[list[str], list[int], int]:
    """Return the words of the first line, the sizes, and where the numbers begin."""
    start, banner = 0, None
    with open_bytes(path) as file:
        while line := file.readline(_LONGEST_LINE):
            start += len(line)
            text = line.decode("utf-8", errors="replace").strip()
            if banner is None:
                banner = text.lower().split()
            elif text and not text.startswith("%"):
                return banner, [_size(word) for word in text.split()], start
    return banner or [], [], start


def _size(word: str) -> int:
    """Read a size; -1 for what is none, or has more digits than any machine has room for."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 19 else -1


_PIECE = 2**20  # bytes that are looked at together; no line of numbers is longer


def read_mtx(path: Path, request: Request) -> Table:
    """Read one file; the target is a file with one label per line."""
    check_request(path, request)
    target = request.target
    if target is None and not request.target_optional:
        raise InputError(f"{path} holds no target; give --target FILE with one label per line")
    header = read_header(path)
    lines = sum(header.shape)
    numbers = lines + header.n_entries if header.is_sparse else math.prod(header.shape)
    n_rows, n_columns = header.shape
    what = f"a matrix of {n_rows} x {n_columns} with {header.n_entries} entries"
    check_room(path, 8 * numbers, what)
    try:
        with reading(path):
            X = as_matrix(path, scipy.io.mmread(io.BytesIO(_content(path)), spmatrix=False))
    except InputError:
        raise
    except (ValueError, OverflowError) as error:
        raise unreadable(path, reason_of(error)) from error
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X)
    y = None
    if target is not None and not request.target_optional:
        y = read_labels(target, X.shape[0], path, request.labels)
    return Table(X, y, target_name=None if y is None else target)


def _content(path: Path) -> bytes:
    """Return the whole text; scipy's parser crashes on a zero byte and on a number cut short."""
    content = bytearray()
    for piece, _ in line_pieces(path, 0, _PIECE):
        if b"\x00" in piece:
            raise unreadable(path, "it holds zero bytes")
        content += piece
    if not content.endswith(b"\n"):
        content += b"\n"
    return bytes(content)

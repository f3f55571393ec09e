"""Read Matrix Market files (mtx); the target is in a file of its own."""

from __future__ import annotations

import io
import math
import os
from pathlib import Path

import numpy as np
import scipy.io

from handful.io.columns import refuse_names
from handful.io.compression import reading
from handful.io.errors import InputError
from handful.io.labels import read_labels
from handful.io.lines import line_pieces
from handful.io.matrix import as_matrix
from handful.io.matrix_market_header import read_header, unreadable
from handful.io.room import check_room
from handful.io.table import Request, Table

_PIECE = 2**20  # bytes that are looked at together; no line of numbers is longer


def read_mtx(path: Path, request: Request) -> Table:
    """Read one file; the target is a file with one label per line."""
    refuse_names(path, request)
    target = request.target
    if request.targets is not None:
        raise InputError(
            f"{path} holds no targets; --targets is for csv, tsv, parquet, npz and svmlight"
        )
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
        raise unreadable(path, _sentence(error)) from error
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X)
    y = None
    if target is not None and (os.path.exists(target) or not request.target_optional):
        y = read_labels(target, X.shape[0], path, as_written=request.as_written)
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


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].lower() + text[1:]

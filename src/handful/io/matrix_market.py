"""Read Matrix Market files (mtx); the target is in a file of its own."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import scipy.io

from handful.io.columns import refuse_names
from handful.io.compression import open_bytes, reading
from handful.io.errors import InputError
from handful.io.labels import read_labels
from handful.io.matrix import as_matrix
from handful.io.table import Request, Table

__all__ = ["read_mtx"]


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
    with reading(path), open_bytes(path) as file:
        content = file.read()
    # scipy's parser crashes the process on a zero byte and on a number cut short at the end.
    if b"\x00" in content:
        raise InputError(f"{path} is not a readable mtx file: it holds zero bytes")
    if not content.endswith(b"\n"):
        content += b"\n"
    try:
        X = as_matrix(path, scipy.io.mmread(io.BytesIO(content), spmatrix=False))
    except InputError:
        raise
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path} is not a readable mtx file: {_sentence(error)}") from error
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X)
    y = None
    if target is not None and (Path(target).exists() or not request.target_optional):
        y = read_labels(target, X.shape[0], path)
    return Table(X, y, target_name=None if y is None else target)


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].lower() + text[1:]

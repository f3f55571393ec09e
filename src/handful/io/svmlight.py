"""Read svmlight files: ``label index:value index:value ...`` on each line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from handful.io.columns import refuse_names
from handful.io.compression import open_bytes, reading
from handful.io.errors import InputError
from handful.io.labels import tidy_labels
from handful.io.table import Request, Table

__all__ = ["read_svmlight"]

_HIGHEST_INDEX = np.iinfo(np.int32).max - 1  # what scikit-learn's parser can hold


def read_svmlight(path: Path, request: Request) -> Table:
    """Read one file; the first number of each line is the target."""
    refuse_names(path, request)
    if request.target is not None and not request.target_optional:
        raise InputError(f"{path}: svmlight rows begin with their target; leave --target out")
    n_features, first_index = request.n_features, request.first_index
    try:
        with reading(path), open_bytes(path) as file:
            # zero_based=True: the indices as they stand in the file, shifted below.
            raw, labels = load_svmlight_file(file, zero_based=True)
    except InputError:
        raise
    except (ValueError, OverflowError) as error:
        raise InputError(_explain(path, first_index, n_features) or f"{path}: {error}") from error
    if raw.shape[0] == 0:
        raise InputError(f"{path} holds no rows")
    lowest, highest = (raw.indices.min(), raw.indices.max()) if raw.nnz else (1, 1)
    base = first_index if first_index is not None else int(lowest > 0)
    width = n_features if n_features is not None else int(highest) - base + 1
    usable = lowest >= base and highest - base < width
    if not (usable and np.all(np.isfinite(raw.data)) and np.all(np.isfinite(labels))):
        raise InputError(_explain(path, base, n_features) or f"{path} holds unusable values")
    index_type = np.int32 if raw.nnz <= np.iinfo(np.int32).max else np.int64
    parts = (
        raw.data,
        (raw.indices - base).astype(index_type),
        raw.indptr.astype(index_type),
    )
    X = sparse.csr_matrix(parts, shape=(raw.shape[0], width))
    return Table(X, tidy_labels(labels), first_index=base)


def _explain(path: Path, first_index: int | None, n_features: int | None) -> str | None:
    """Find the first line that breaks the rules and say how; slow, for failures only."""
    base = 0 if first_index is None else first_index
    highest = _HIGHEST_INDEX if n_features is None else n_features - 1 + base
    with reading(path), open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            content = line.split(b"#", 1)[0].decode("utf-8", errors="replace")
            complaint = _explain_line(content.split(), base, highest)
            if complaint:
                return f"{path}, line {number}: {complaint}"
    return None


def _explain_line(fields: list[str], base: int, highest: int) -> str | None:
    """Say what is wrong with one line, None when it is well formed."""
    if not fields:
        return None
    label, *pairs = fields
    if _number(label) is None:
        return f"expected a number as the label, found {_short(label)}"
    previous = base - 1
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if name == "qid" and colon:
            continue
        if not colon:
            return f"expected index:value, found {_short(pair)}"
        try:
            index = int(name)
        except ValueError:
            return f"expected a whole number before the colon, found {_short(pair)}"
        if index < base:
            return f"the index {index} is below {base}, the first one"
        if index > highest:
            return f"the index {index} is above {highest}, the last one expected"
        if index <= previous:
            return f"the index {index} follows {previous}; indices must rise along a line"
        if _number(value) is None:
            return f"expected a finite number after the colon, found {_short(pair)}"
        previous = index
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")

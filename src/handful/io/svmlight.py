"""Read svmlight files: ``label index:value index:value ...`` on each line.

Of several labels for a row, separated by commas, each becomes a column of 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from handful.io.columns import near_names, refuse_names
from handful.io.errors import InputError
from handful.io.labels import expand, tidy_labels
from handful.io.opening import BoundedLines, bounded_lines, open_bytes, reading
from handful.io.table import Request, Table

_HIGHEST_INDEX = np.iinfo(np.int32).max - 1  # what scikit-learn's parser can hold


def target_is_there(path: Path) -> InputError:
    """Make the error about a target that is named; .txt and .dat are as often tables."""
    return InputError(
        f"{path}: svmlight rows begin with their target; leave --target out, or say --format csv or tsv if it is "
        "a table with names"
    )


def read_svmlight(path: Path, request: Request) -> Table:
    """Read one file; the first number of each line is the target."""
    several = request.targets is not None
    if request.target is not None and not request.target_optional:
        raise target_is_there(path)
    refuse_names(path, request)
    n_features, first_index = request.n_features, request.first_index
    try:
        with reading(path), open_bytes(path) as file:
            # zero_based=True: the indices as they stand in the file, shifted below.
            raw, labels = load_svmlight_file(
                BoundedLines(path, file), zero_based=True, multilabel=several
            )
    except InputError:
        raise
    except (ValueError, OverflowError) as error:
        raise InputError(explain(path, first_index, several) or f"{path}: {error}") from error
    if raw.shape[0] == 0:
        raise InputError(f"{path} holds no rows")
    lowest, highest = (raw.indices.min(), raw.indices.max()) if raw.nnz else (1, 1)
    base = first_index if first_index is not None else int(lowest > 0)
    width = n_features if n_features is not None else int(highest) - base + 1
    n_beyond = len(np.unique(raw.indices[raw.indices >= base + width]))
    flat = np.concatenate([np.empty(0), *labels]) if several else labels
    if not (lowest >= base and np.all(np.isfinite(raw.data)) and np.all(np.isfinite(flat))):
        raise InputError(explain(path, base, several) or f"{path} holds unusable values")
    index_type = np.int32 if raw.nnz <= np.iinfo(np.int32).max else np.int64
    parts = (
        raw.data,
        (raw.indices - base).astype(index_type),
        raw.indptr.astype(index_type),
    )
    X = sparse.csr_matrix(parts, shape=(raw.shape[0], max(width, int(highest) - base + 1)))
    table = Table(X[:, :width] if n_beyond else X, None, first_index=base, n_beyond=n_beyond)
    if several:
        y, names = _label_matrix(path, labels, flat, request)
        return replace(table, y=y, target_names=names)
    return replace(table, y=tidy_labels(labels))


def _label_matrix(
    path: Path, labels: list[tuple[float, ...]], flat: np.ndarray, request: Request
) -> tuple[np.ndarray | None, tuple[str, ...] | None]:
    """Return a column of 0 and 1 for each label that is asked for, and their names."""
    found, codes = np.unique(flat, return_inverse=True)
    known = [str(label) for label in tidy_labels(found)]
    if request.target_optional and not known:
        return None, None
    names = expand(path, request.targets or (), known, "label")
    absent = [name for name in names if name not in known]
    if absent and not request.target_optional:
        there = near_names("", known, "label") if known else "rows have no labels at all"
        raise InputError(f"{path}: no row has the label {absent[0]!r}; {there}")
    rows = np.repeat(np.arange(len(labels)), [len(row) for row in labels])
    y = np.zeros((len(labels), len(names)), dtype=np.int64)
    place = np.array([names.index(name) if name in names else -1 for name in known], dtype=np.intp)
    columns = place[codes]
    y[rows[columns >= 0], columns[columns >= 0]] = 1
    return y, tuple(names)


def explain(path: Path, first_index: int | None, several: bool) -> str | None:
    """Find the first line that breaks the rules and say how; slow, for failures only."""
    base = 0 if first_index is None else first_index
    with reading(path), open_bytes(path) as file:
        for number, line in enumerate(bounded_lines(path, file), start=1):
            content = line.split(b"#", 1)[0].decode("utf-8", errors="replace")
            complaint = _explain_line(content.split(), base, several)
            if complaint:
                return f"{path}, line {number}: {complaint}"
    return None


def _explain_line(fields: list[str], base: int, several: bool) -> str | None:
    """Say what is wrong with one line, None when it is well formed."""
    if not fields:
        return None
    label, *pairs = fields
    if several and ":" in label:  # a row without labels
        label, pairs = "0", fields
    expected = "numbers with commas as the labels" if several else "a number as the label"
    if any(_number(part) is None for part in (label.split(",") if several else [label])):
        return f"expected {expected}, found {_short(label)}{_remedy(label, pairs, several)}"
    return _explain_pairs(pairs, base)


def _explain_pairs(pairs: list[str], base: int) -> str | None:
    """Say what is wrong with what follows a label, None when it is well formed."""
    previous = base - 1
    for place, pair in enumerate(pairs):
        name, colon, value = pair.partition(":")
        if name == "qid" and colon:
            if place > 0:
                return f"{_short(pair)} must follow the label; put it there, or leave it out"
            continue
        if not colon:
            return f"expected index:value, found {_short(pair)}"
        try:
            index = int(name)
        except ValueError:
            return f"expected a whole number before the colon, found {_short(pair)}"
        if index < base:
            return f"the index {index} is below {base}, the first one"
        if index > _HIGHEST_INDEX:
            return f"the index {index} is above {_HIGHEST_INDEX}, the highest that can be read"
        if index <= previous:
            return f"the index {index} follows {previous}; indices must rise along a line"
        if _number(value) is None:
            return f"expected a finite number after the colon, found {_short(pair)}"
        previous = index
    return None


def _remedy(label: str, pairs: list[str], several: bool) -> str:
    """Say how the file may be meant, where something else than one number stands before its pairs."""
    if not several and all(_number(part) is not None for part in label.split(",")):
        return "; a row with several labels is read with --targets '*'"
    if not any(":" in pair for pair in pairs):
        return "; lines of text, each behind its label and a tab, are read with --format lines"
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")

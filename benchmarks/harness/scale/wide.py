"""A large sparse set with known truth, written by columns so that it never is in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful import open_store
from handful.io.conversion import Conversion, convert
from handful.io.conversion.source import About, Mark, Piece, Source
from handful.io.table import Request

N_TRUE = 20
COLUMNS_AT_ONCE = 256


def drawn(
    rng: np.random.Generator, count: int, length: int, per_line: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw lines of a sparse matrix with as many entries each: data, indices, starts."""
    # One out of each stretch: ascending, no two alike, and cheap to draw.
    stretch = length // per_line
    places = np.arange(per_line) * stretch + rng.integers(0, stretch, (count, per_line))
    data = rng.standard_normal(count * per_line, dtype=np.float32)
    starts = np.arange(count + 1, dtype=np.int32) * per_line
    return data, places.astype(np.int32).ravel(), starts


class WideSource(Source):
    """Columns with the same number of entries, at random rows; 20 of them make y."""

    is_sparse = True
    order = "columns"

    def __init__(self, n_rows: int, n_columns: int, per_column: int) -> None:
        self.n_rows = n_rows
        self.n_columns = n_columns
        self.per_column = per_column
        self.true = np.linspace(0, n_columns - 1, N_TRUE).astype(np.int64)

    def _columns(self, first: int, stop: int) -> Any:
        rng = np.random.default_rng([first, self.n_rows])
        parts = drawn(rng, stop - first, self.n_rows, self.per_column)
        return sparse.csc_array(parts, shape=(self.n_rows, stop - first))

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        for first in range(mark["done"] if mark else 0, self.n_columns, COLUMNS_AT_ONCE):
            stop = min(first + COLUMNS_AT_ONCE, self.n_columns)
            yield Piece(self._columns(first, stop), {"done": stop})

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        z = np.random.default_rng(0).standard_normal(self.n_rows)
        for number, j in enumerate(self.true):
            first = j - j % COLUMNS_AT_ONCE
            block = self._columns(first, min(first + COLUMNS_AT_ONCE, self.n_columns))
            z += (3.0 if number % 2 else -3.0) * block[:, [j - first]].toarray()[:, 0]
        return About(self.n_columns, y=(z > 0).astype(np.int64))


def write_wide(folder: Path, n_rows: int, n_columns: int, per_column: int) -> Path:
    """Write the set as a store; return its place."""
    place = folder / f"wide-{n_rows}-{n_columns}-{per_column}.store"
    if not place.exists():
        stamp = folder / "wide.txt"
        stamp.write_text("made, not read")
        job = Conversion(stamp, place, Request())
        convert(job, WideSource(n_rows, n_columns, per_column))
    return place


def in_memory(place: Path) -> tuple[sparse.csc_array, np.ndarray]:
    """Return a store as a matrix in memory."""
    store = open_store(place)
    parts = [np.load(place / f"{name}.npy") for name in ("data", "indices", "indptr")]
    X = sparse.csc_array((*parts[:2], parts[2].astype(np.int32)), shape=store.shape)
    assert store.y is not None
    return X, store.y

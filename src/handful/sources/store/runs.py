"""Pieces of a matrix on disk, each sorted by column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.kernels.blocks import place_run
from handful.sizes import slices
from handful.sources.blocks import cut_by_entries
from handful.sources.store.npy import SavedArray, save
from handful.sources.store.workplace import Journal

Array = np.ndarray


def write_run(folder: Path, number: int, X: Any, y: Array | None) -> None:
    """Write one piece by columns; a run of that number is replaced."""
    if sparse.issparse(X):
        columns = X.tocsc()
        columns.sort_indices()
        save(_part(folder, number, "indptr"), columns.indptr.astype(np.int64))
        save(_part(folder, number, "indices"), columns.indices)
        save(_part(folder, number, "data"), columns.data)
    else:
        save(_part(folder, number, "dense"), X)
    if y is not None:
        save(_part(folder, number, "y"), y)


def read_targets(folder: Path, n_runs: int) -> Array | None:
    """Return the targets of all runs, one after the other; None when there are none."""
    if not n_runs or not _part(folder, 0, "y").exists():
        return None
    return np.concatenate([np.load(_part(folder, i, "y")) for i in range(n_runs)])


class SparseRuns:
    """The runs of a sparse matrix, from which columns are put together.

    Parameters
    ----------
    journal : Journal
    n_rows, n_columns, offset : int
        Of the matrix; column ``offset`` of the runs is its column 0.
    in_order : bool
        Whether the rows of a run follow those of the run before; otherwise rows are those of
        the matrix, and entries may occur in several runs and are added up.
    """

    def __init__(
        self, journal: Journal, n_rows: int, n_columns: int, offset: int, in_order: bool
    ) -> None:
        folder = journal.folder
        names = ("indptr", "indices", "data")
        self._runs = [
            tuple(SavedArray(_part(folder, i, name)) for name in names)
            for i in range(len(journal.runs))
        ]
        lengths = [run["n_rows"] for run in journal.runs]
        self._first_rows = np.cumsum([0, *lengths])[:-1] if in_order else [0] * len(lengths)
        self._in_order = in_order
        self._offset = offset
        self.shape = (n_rows, n_columns)
        self.counts = np.zeros(n_columns, dtype=np.int64)
        for run in range(len(self._runs)):
            self.counts += self._run_counts(run, 0, n_columns)

    def groups(self, first: int, n_bytes: int) -> Iterator[tuple[Array, Array, Array]]:
        """Give counts, rows and values of columns from the first on, as many at a time as fit."""
        itemsize = self._runs[0][2].dtype.itemsize + 4
        indptr = np.concatenate([[0], np.cumsum(self.counts)])
        for start, stop in cut_by_entries(indptr, first, max(1, n_bytes // (4 * itemsize))):
            yield self._columns(start, stop)

    def _run_counts(self, run: int, first: int, last: int) -> Array:
        """Entries of each of some columns in a run, which may have fewer columns than the matrix."""
        indptr = self._runs[run][0]
        start, stop = self._span(run, first, last)
        counts = np.zeros(last - first, dtype=np.int64)
        counts[: stop - start] = np.diff(indptr.read(start, stop + 1))
        return counts

    def _span(self, run: int, first: int, last: int) -> tuple[int, int]:
        end = self._runs[run][0].shape[0] - 1
        return min(first + self._offset, end), min(last + self._offset, end)

    def _columns(self, first: int, last: int) -> tuple[Array, Array, Array]:
        counts = self.counts[first:last]
        fill = np.cumsum(counts) - counts
        wide = np.int32 if self.shape[0] <= np.iinfo(np.int32).max else np.int64
        rows = np.empty(int(counts.sum()), dtype=wide)
        values = np.empty(len(rows), dtype=self._runs[0][2].dtype)
        for run, (indptr, indices, data) in enumerate(self._runs):
            start, stop = self._span(run, first, last)
            entries = [int(indptr.read(j, j + 1)[0]) for j in (start, stop)]
            own = self._run_counts(run, first, last)
            parts = indices.read(*entries), data.read(*entries)
            place_run(own, *parts, self._first_rows[run], fill, rows, values)
        if self._in_order:
            return counts, rows, values
        starts = np.concatenate([[0], np.cumsum(counts)])
        columns = sparse.csc_array((values, rows, starts), shape=(self.shape[0], last - first))
        columns.sum_duplicates()
        return np.diff(columns.indptr), columns.indices.astype(wide, copy=False), columns.data


class DenseRuns:
    """The runs of a dense matrix."""

    def __init__(self, journal: Journal, n_rows: int, n_columns: int) -> None:
        self._runs = [
            SavedArray(_part(journal.folder, i, "dense")) for i in range(len(journal.runs))
        ]
        self.shape = (n_rows, n_columns)

    def groups(self, first: int, n_bytes: int) -> Iterator[Array]:
        """Give column-major columns from the first on, as many at a time as fit."""
        itemsize = self._runs[0].dtype.itemsize
        step = max(1, n_bytes // (2 * itemsize * self.shape[0]))
        for some in slices(self.shape[1], step, first):
            shape = self.shape[0], some.stop - some.start
            columns = np.empty(shape, dtype=self._runs[0].dtype, order="F")
            row = 0
            for run in self._runs:
                n_rows = run.shape[0]
                part = run.read(some.start * n_rows, some.stop * n_rows)
                columns[row : row + n_rows] = part.reshape(n_rows, -1, order="F")
                row += n_rows
            yield columns


def _part(folder: Path, number: int, name: str) -> Path:
    return folder / f"run-{number:05d}-{name}.npy"

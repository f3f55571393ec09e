"""Turn a file into a store, in bounded memory, going on where a killed conversion stopped."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.files import OutputError, check_place, reason_of
from handful.io.conversion.source import About, Source
from handful.io.errors import InputError, check_room
from handful.io.labels import check_labels
from handful.io.table import Request
from handful.sources.store.manifest import MANIFEST, UNFINISHED
from handful.sources.store.runs import DenseRuns, SparseRuns, read_targets, write_run
from handful.sources.store.workplace import (
    JOURNAL,
    MARK,
    Journal,
    clear_runs,
    describe_file,
    remove,
    workplace,
)
from handful.sources.store.writer import Writer

Show = Callable[[object], None]


@dataclass(frozen=True)
class Conversion:
    """What is to be converted, and how."""

    data: Path
    store: Path
    #: Which columns and targets.
    request: Request
    #: "float32" or "float64"; None: as the file has it.
    dtype: str | None = None
    #: Keep only what is not zero of a dense file.
    as_sparse: bool = False
    #: Bytes that the data at hand may take.
    memory: int = 2**30

    @property
    def job(self) -> dict[str, Any]:
        """What makes it the same conversion: the answer, not how it is come by."""
        options = {
            name: getattr(self.request, name) for name in ("target", "targets", "drop", "header")
        }
        return {
            "source": describe_file(self.data),
            "dtype": self.dtype,
            "as_sparse": self.as_sparse,
            **options,
        }


def convert(job: Conversion, source: Source, show: Show | None = None) -> None:
    """Write the store; it appears under its name only when it is complete.

    Raises
    ------
    InputError
        The data cannot be used; what was written is removed.
    OutputError
        The store cannot be written, or memory ran out; what is finished is kept, and the same call goes
        on with it.
    """
    with _one_sentence(job.store):
        if Journal.is_of(job.store, job.job):
            _tidy(job.store)  # this very conversion was killed when it had given the store its name
            return
        _check_free(job.store)
        check_place(job.store)
    folder = job.store.with_name(job.store.name + UNFINISHED)
    with _one_sentence(folder), workplace(folder):
        _check_free(job.store)  # whoever had the folder before may have finished
        _work(job, source, folder, show)


def _work(job: Conversion, source: Source, folder: Path, show: Show | None) -> None:
    journal = Journal.begin_or_resume(folder, job.job)
    try:
        if not (folder / MANIFEST).exists():
            _Converter(job, source, journal, show or (lambda record: None)).run()
        if describe_file(job.data) != journal.job["source"]:
            raise InputError(f"{job.data} was changed while it was converted; convert it again")
    except MemoryError as error:
        raise OutputError(
            f"there is not enough memory to convert {job.data}; run the same command again with "
            "less --memory, which goes on where it stopped"
        ) from error
    except OSError:
        raise
    except Exception:  # the data cannot be used, whoever says it: there is nothing to go on with
        remove(folder)
        raise
    clear_runs(folder)
    os.rename(folder, job.store)
    _tidy(job.store)


def _tidy(store: Path) -> None:
    """Remove the last that is no part of the store; the journal says whose the folder is until then."""
    for name in (MARK, JOURNAL):
        (store / name).unlink(missing_ok=True)


def _check_free(store: Path) -> None:
    if os.path.lexists(store):
        raise OutputError(f"{store} is there already; remove it or choose another name")


@dataclass(frozen=True)
class _Converter:
    job: Conversion
    source: Source
    journal: Journal
    show: Show

    @property
    def is_sparse(self) -> bool:
        return self.source.is_sparse or self.job.as_sparse

    def run(self) -> None:
        if self.source.order == "columns":
            self._copy_columns()
            return
        self._write_runs()
        if not self.journal.runs:
            raise InputError(f"{self.job.data} holds no rows")
        targets = read_targets(self.journal.folder, len(self.journal.runs))
        about = self.source.about(self.journal.mark, targets)
        n_rows = self.source.n_rows or self.journal.n_rows
        if not n_rows or not about.n_features:
            raise InputError(
                f"{self.job.data} holds no values: its shape is {n_rows} x {about.n_features}"
            )
        self._merge(n_rows, about)

    def _write_runs(self) -> None:
        journal = self.journal
        if journal.is_read:
            return
        for piece in self.source.pieces(journal.mark, self.job.memory):
            X = self._typed(piece.X)
            write_run(journal.folder, len(journal.runs), X, piece.y)
            entries = int(X.nnz) if sparse.issparse(X) else X.size
            journal.runs.append({"n_rows": X.shape[0], "n_entries": entries, "mark": piece.mark})
            journal.save()
            self.show(f"{journal.n_rows} rows read")
        journal.is_read = True
        journal.save()

    def _merge(self, n_rows: int, about: About) -> None:
        journal, n_columns = self.journal, about.n_features
        check_room(self.job.data, 8 * n_columns, f"8 bytes for each of {n_columns} columns")
        if self.is_sparse:
            in_order = self.source.order == "rows"
            runs: Any = SparseRuns(journal, n_rows, n_columns, about.first_index, in_order)
        else:
            runs = DenseRuns(journal, n_rows, n_columns)
        first = int(journal.merged.get("n_columns", 0))
        self._write(n_rows, about, runs.groups(first, self.job.memory))

    def _copy_columns(self) -> None:
        """A source by columns needs no sorting."""
        n_rows = self.source.n_rows or 0
        mark = self.journal.merged.get("mark")
        about = self.source.about(mark, None)

        def groups() -> Iterator[Any]:
            for piece in self.source.pieces(mark, self.job.memory):
                X = self._typed(piece.X)
                self.journal.merged["mark"] = piece.mark
                yield (np.diff(X.indptr), X.indices, X.data) if self.is_sparse else X

        self._write(n_rows, about, groups())

    def _write(self, n_rows: int, about: About, groups: Iterator[Any]) -> None:
        """Append groups of columns to the store, and finish it."""
        merged, writer = self.journal.merged, None
        begin = partial(
            Writer,
            self.journal.folder,
            "sparse" if self.is_sparse else "dense",
            n_rows,
            state=merged,
        )
        try:
            for group in groups:
                parts = group if isinstance(group, tuple) else (group,)
                writer = writer or begin(dtype=np.dtype(parts[-1].dtype))
                writer.append(*parts)
                self.journal.save()
                self.show(f"{merged['n_columns']} of {about.n_features} columns written")
        except BaseException:
            if writer is not None:
                writer.close()
            raise
        if writer is None:  # killed between the last columns and the manifest
            writer = begin(dtype=np.dtype(merged["dtype"]))
        y = about.y
        if y is not None and y.ndim == 1:
            y = check_labels(self.job.data, about.target_name or "y", y)
        names = about.target_names
        writer.finish(
            y,
            about.feature_names,
            first_index=about.first_index,
            target_name=about.target_name,
            target_names=None if names is None else list(names),
        )

    def _typed(self, X: Any) -> Any:
        """Return a piece as it is to be stored."""
        by_column = self.source.order == "columns"
        if self.is_sparse:
            X = sparse.csc_array(X) if by_column else sparse.csr_array(X)
            X.sum_duplicates()
        return X if self.job.dtype is None else X.astype(self.job.dtype, copy=False)


@contextmanager
def _one_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        cause = error.__cause__ if isinstance(error, OutputError) else error
        if not isinstance(cause, OSError):
            raise
        full = cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "; make room and run the same command again, which goes on where it stopped"
        message = f"cannot write {folder}: {reason_of(cause)}"
        raise OutputError(message + (remedy if full else "")) from error

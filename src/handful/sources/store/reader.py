"""A matrix in a folder on disk, read by memory map."""

from __future__ import annotations

import io
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from handful.sources.blocks import ColumnBlockedSpace, ColumnBlocks
from handful.sources.store import manifest as files
from handful.sources.store.files import DenseFile, SparseFiles, system_reads_ahead
from handful.sources.store.manifest import read_manifest
from handful.spaces.base import Array, ExplicitSpace, Unit
from handful.spaces.pairs.search import PairSearch
from handful.spaces.source import Source
from handful.validation import store as errors
from handful.validation.indices import in_range
from handful.validation.names import first_repeated
from handful.validation.npy import read_npy
from handful.validation.schema import list_of, parse_json, text


def open_store(
    path: str | os.PathLike[str], *, target: str | None = None, verify: bool = False
) -> Any:
    """Open a store that ``handful convert`` wrote, or an .h5ad file, to be given to an estimator as X.

    Parameters
    ----------
    path : str or path
        The folder, or a file of AnnData.
    target : str, optional
        Of a file of AnnData: the column of ``obs`` that is to be predicted. A store has its target in it.
    verify : bool, default=False
        Compare the checksums of everything now. Otherwise the sizes of all files are compared now, and the
        checksum of each block of columns when it is first read: an altered block is never
        computed with.

    Returns
    -------
    store : Store or AnnotatedFile
        ``FGMClassifier(50).fit(store, store.y)``.

    Raises
    ------
    StoreError
        A ValueError; one sentence that names the file.
    """
    if Path(path).suffix == ".h5ad":
        from handful.sources.anndata import AnnotatedFile

        return AnnotatedFile(path, target)
    store = Store(path)
    if target is not None:
        raise errors.target_inside(path, target)
    if verify:
        store.verify()
    return store


class Store(Source, ColumnBlocks):
    """A matrix on disk; of its numbers only those that are looked at are ever in memory.

    Attributes
    ----------
    path : Path
    shape, dtype, n_entries, feature_names
        Of the matrix.
    y : ndarray or None
        The target or targets that were stored beside it.
    n_bytes : int
        What a pass over all columns reads.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        about = read_manifest(self.path)
        self.about = about
        self.shape = about.shape
        self.dtype = np.dtype(about.dtype)
        self.n_entries = about.n_entries
        self.starts = about.block_starts
        kind = SparseFiles if about.storage == "sparse" else DenseFile
        self._matrix: Any = kind(self.path, about)
        self.n_bytes = sum(about.files[file.path.name] for file in self._matrix.large)
        self._no_hints = system_reads_ahead(self.path)
        self._is_sound = np.zeros(len(self.starts) - 1, dtype=bool)
        self.feature_names = self._read_names()
        self.y = self._read_target()

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        return (
            f"Store({str(self.path)!r}: {n_rows} x {n_columns}, {self.about.storage} {self.dtype})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.path,)

    def check(self) -> None:
        """Nothing to do: the numbers were checked when they were written, and are as they are read."""

    def verify(self) -> None:
        """Compare all checksums; StoreError names the first file that was altered."""
        for number in range(len(self._is_sound)):
            self._is_sound[number] = False
            self.block(number)

    def release(self) -> None:
        """Let go of the memory that holds what was read of the files."""
        for file in self._matrix.large:
            file.release()

    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        return ColumnBlockedSpace(self, unit, n_threads, sample_weight)

    def pair_search(self) -> PairSearch:
        for number in range(len(self._is_sound)):
            self.prefetch(number + 2)
            self.block(number)
        return self._matrix.pair_search()

    def block(self, number: int) -> ExplicitSpace:
        start, stop = self.starts[number], self.starts[number + 1]
        if not self._is_sound[number]:
            for file in self._matrix.large:
                sums = self.about.checksums[file.path.name]
                if file.checksum(*self._matrix.entries(start, stop)) != sums[number]:
                    what = f"the checksum of the columns {start} to {stop - 1} does not fit"
                    raise errors.altered(file.path, what)
            complaint = self._matrix.complaint(start, stop)
            if complaint:
                raise errors.bad_block(self.path, start, stop, complaint)
            self._is_sound[number] = True
        return self._matrix.columns(start, stop)

    def prefetch(self, number: int) -> None:
        if number < len(self._is_sound) and not self._no_hints:
            entries = self._matrix.entries(self.starts[number], self.starts[number + 1])
            for file in self._matrix.large:
                file.will_need(*entries)

    def fingerprint(self) -> str:
        text = json.dumps([self.about.shape, self.about.dtype, self.about.checksums])
        return f"store {zlib.crc32(text.encode()):08x} {self.about.n_entries}"

    def _read_small(self, name: str) -> bytes:
        path, n_bytes = self.path / name, self.about.files[name]
        with errors.opened_part(path, n_bytes) as file:
            content = file.read(n_bytes)
        if zlib.crc32(content) != self.about.checksums[name]:
            raise errors.altered(path, "its checksum does not fit")
        return content

    def _read_names(self) -> Array | None:
        if files.NAMES not in self.about.files:
            return None
        path = self.path / files.NAMES
        content = self._read_small(files.NAMES)
        try:
            names = parse_json(content)
        except ValueError:
            names = None
        if not list_of(text, self.shape[1]).is_right(names):
            raise errors.other_header(path, "no such list", f"a list of {self.shape[1]} names")
        twice = first_repeated(names)
        if twice is not None:
            raise errors.repeated_name(path, twice)
        return np.array(names, dtype=object)

    def _read_target(self) -> Array | None:
        if files.TARGET not in self.about.files:
            return None
        path, content = self.path / files.TARGET, self._read_small(files.TARGET)
        n_rows, names, classes = self.shape[0], self.about.target_names, self.about.classes
        shape = (n_rows,) if names is None else (n_rows, len(names))
        try:
            y = read_npy(io.BytesIO(content), len(content))
        except ValueError:
            raise errors.other_header(path, "no array", f"targets of shape {shape}") from None
        if y.shape != shape or y.dtype.kind not in "biuf":
            found = f"{y.dtype} values of shape {y.shape}"
            raise errors.other_header(path, found, f"targets of shape {shape}, one for each row")
        if classes is None:
            return y
        if not in_range(y, len(classes)):
            raise errors.other_header(path, "other numbers", f"those of {len(classes)} classes")
        return np.array(classes, dtype=object)[y]

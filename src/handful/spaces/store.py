"""A matrix in a folder on disk, read by memory map."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from handful.kernels import blocks as kernels
from handful.spaces import manifest as files
from handful.spaces.base import Array, ExplicitSpace
from handful.spaces.column_blocks import BlockedSpace, ColumnBlocks
from handful.spaces.dense import DenseSpace
from handful.spaces.elsewhere import Elsewhere
from handful.spaces.manifest import Manifest, read_manifest
from handful.spaces.mapped import MappedFile, system_reads_ahead
from handful.spaces.pair_search import PairSearch
from handful.spaces.pairs_dense import DensePairs
from handful.spaces.pairs_sparse import SparsePairs
from handful.spaces.sparse import CSCSpace
from handful.validation import store as errors
from handful.validation.names import first_repeated

_COMPLAINTS = {
    kernels.OUT_OF_RANGE: "a row is out of range",
    kernels.OUT_OF_ORDER: "rows do not rise",
}
_NOT_FINITE = "a number is NaN or infinite"


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
        from handful.spaces.annotated import AnnotatedFile

        return AnnotatedFile(path, target)
    store = Store(path)
    if target is not None:
        raise errors.target_inside(path, target)
    if verify:
        store.verify()
    return store


class Store(Elsewhere, ColumnBlocks):
    """A matrix on disk; of its numbers only those that are looked at are ever in memory.

    Attributes
    ----------
    path : Path
    shape, dtype, feature_names
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
        self.starts = about.block_starts
        self._matrix = _open_matrix(self.path, about)
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

    def space(self, normalize: bool, n_threads: int, sample_weight: Array | None) -> ExplicitSpace:
        return BlockedSpace(self, normalize, n_threads, sample_weight)

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
        path = self.path / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise errors.missing_file(path) from None
        except OSError as error:
            raise errors.cannot_open(path, error) from error
        if len(content) != self.about.files[name]:
            raise errors.other_size(path, len(content), self.about.files[name])
        if zlib.crc32(content) != self.about.checksums[name]:
            raise errors.altered(path, "its checksum does not fit")
        return content

    def _read_names(self) -> Array | None:
        if files.NAMES not in self.about.files:
            return None
        names = json.loads(self._read_small(files.NAMES))
        if len(names) != self.shape[1]:
            raise errors.altered(self.path / files.NAMES, f"it has {len(names)} names")
        twice = first_repeated(names)
        if twice is not None:
            raise errors.repeated_name(self.path / files.NAMES, twice)
        array = np.empty(len(names), dtype=object)
        array[:] = [str(name) for name in names]
        return array

    def _read_target(self) -> Array | None:
        if files.TARGET not in self.about.files:
            return None
        import io

        path = self.path / files.TARGET
        y: Array = np.load(io.BytesIO(self._read_small(files.TARGET)), allow_pickle=False)
        if len(y) != self.shape[0]:
            raise errors.other_header(
                path, f"{len(y)} targets", f"{self.shape[0]}, one for each row"
            )
        if self.about.classes is None:
            return y
        return np.array(self.about.classes, dtype=object)[y]


class _CSC(NamedTuple):
    """The arrays of a sparse matrix by columns, of types that SciPy would have copied."""

    indptr: Array
    indices: Array
    data: Array
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        return len(self.data)


class _SparseFiles:
    def __init__(self, folder: Path, about: Manifest) -> None:
        n_rows, n_columns = about.shape
        wide = np.dtype(np.int32 if n_rows <= np.iinfo(np.int32).max else np.int64)
        one = (about.n_entries,)

        def mapped(name: str, dtype: Any, shape: tuple[int, ...]) -> MappedFile:
            return MappedFile(folder / name, about.files[name], np.dtype(dtype), shape)

        indptr = mapped(files.INDPTR, np.int64, (n_columns + 1,))
        indices, data = mapped(files.INDICES, wide, one), mapped(files.DATA, about.dtype, one)
        self.large = (indices, data)
        self.csc = _CSC(indptr.array, indices.array, data.array, about.shape)
        if indptr.file_checksum() != about.checksums[files.INDPTR]:
            raise errors.altered(indptr.path, "its checksum does not fit")
        pointers = self.csc.indptr
        if pointers[0] != 0 or pointers[-1] != about.n_entries or (np.diff(pointers) < 0).any():
            raise errors.altered(indptr.path, "its numbers do not rise")

    def entries(self, start: int, stop: int) -> tuple[int, int]:
        return int(self.csc.indptr[start]), int(self.csc.indptr[stop])

    def columns(self, start: int, stop: int) -> ExplicitSpace:
        first, last = self.entries(start, stop)
        indices, data = self.csc.indices[first:last], self.csc.data[first:last]
        fits = last - first <= np.iinfo(indices.dtype).max
        local = (self.csc.indptr[start : stop + 1] - first).astype(
            indices.dtype if fits else np.int64, copy=False
        )
        X = sp.csc_array((self.csc.shape[0], stop - start), dtype=data.dtype)
        X.indptr, X.indices, X.data = (
            local,
            indices,
            data,
        )  # the constructor would copy parts of arrays
        X.has_canonical_format = True
        return CSCSpace(X)

    def complaint(self, start: int, stop: int) -> str | None:
        X = self.columns(start, stop).X  # type: ignore[attr-defined]
        found = _COMPLAINTS.get(kernels.check_columns(X.indptr, X.indices, X.shape[0]))
        return found or (None if _is_finite(X.data) else _NOT_FINITE)

    def pair_search(self) -> PairSearch:
        return SparsePairs(self.csc)


class _DenseFile:
    def __init__(self, folder: Path, about: Manifest) -> None:
        name = files.DENSE
        file = MappedFile(folder / name, about.files[name], np.dtype(about.dtype), about.shape)
        self.large = (file,)
        self.X = file.array

    def entries(self, start: int, stop: int) -> tuple[int, int]:
        return start * len(self.X), stop * len(self.X)

    def columns(self, start: int, stop: int) -> ExplicitSpace:
        return DenseSpace(self.X[:, start:stop])

    def complaint(self, start: int, stop: int) -> str | None:
        columns = self.X[:, start:stop].reshape(-1, order="F")
        return None if _is_finite(columns) else _NOT_FINITE

    def pair_search(self) -> PairSearch:
        return DensePairs(self.X)


def _is_finite(values: Array) -> bool:
    """Whether there is no NaN nor infinity, at the rate at which memory is read."""
    if values.dtype == np.float32:
        return bool(kernels.all_finite(values.view(np.uint32), np.uint32(0x7F800000)))
    return bool(kernels.all_finite(values.view(np.uint64), np.uint64(0x7FF0000000000000)))


def _open_matrix(folder: Path, about: Manifest) -> Any:
    return (_SparseFiles if about.storage == "sparse" else _DenseFile)(folder, about)

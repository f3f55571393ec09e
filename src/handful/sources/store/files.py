"""The large files of a store: arrays that are read from the disk as they are looked at, what they must hold, and columns of them."""

from __future__ import annotations

import math
import mmap
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from handful.kernels import blocks as kernels
from handful.sources.store import manifest as files
from handful.sources.store.manifest import Manifest
from handful.spaces.base import Array, ExplicitSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.pairs.dense import DensePairs
from handful.spaces.pairs.search import PairSearch
from handful.spaces.pairs.sparse import SparsePairs
from handful.spaces.sparse import CSCSpace
from handful.validation import store as errors
from handful.validation.indices import pointers_rise
from handful.validation.npy import read_npy_header

FAR_AHEAD_KB = 2048
_COMPLAINTS = {
    kernels.OUT_OF_RANGE: "a row is out of range",
    kernels.OUT_OF_ORDER: "rows do not rise",
}
_NOT_FINITE = "a number is NaN or infinite"


class MappedFile:
    """One array of a store, mapped into memory and never copied as a whole.

    Parameters
    ----------
    path : Path
    n_bytes : int
        The size that the file must have.
    dtype, shape
        What the array must be; two dimensions are column-major.

    Attributes
    ----------
    array : ndarray
        Cannot be written to.
    """

    def __init__(
        self, path: Path, n_bytes: int, dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> None:
        self.path = path
        with errors.opened_part(path, n_bytes) as file:
            self._start = _check_header(file, path, dtype, shape)
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        count = math.prod(shape)
        flat = np.frombuffer(self._map, dtype=dtype, count=count, offset=self._start)
        self.array: Array = flat.reshape(shape, order="F")
        self._flat = flat

    def checksum(self, start: int = 0, stop: int | None = None) -> int:
        """Return the CRC-32 of the entries start..stop-1."""
        return zlib.crc32(self._flat[start:stop].data)

    def file_checksum(self) -> int:
        """Return the CRC-32 of the whole file."""
        return zlib.crc32(self._map)

    def will_need(self, start: int, stop: int) -> None:
        """Ask the system to read these entries ahead."""
        self._advise("MADV_WILLNEED", start, stop)

    def release(self) -> None:
        """Let go of the memory that holds what was read; it is read again when needed."""
        self._advise("MADV_DONTNEED", 0, len(self._flat))

    def _advise(self, name: str, start: int, stop: int) -> None:
        advice = getattr(mmap, name, None)  # not on every system
        if advice is None or stop <= start:
            return
        first = self._start + start * self._flat.itemsize
        first -= first % mmap.PAGESIZE
        self._map.madvise(advice, first, self._start + stop * self._flat.itemsize - first)


def system_reads_ahead(path: Path) -> bool:
    """Whether the system reads far ahead of a file that is looked at in order.

    Hints would then only get in its way (they halve the rate on a disk with 8 MiB). Linux says how far it
    reads; elsewhere hints are given.
    """
    with suppress(OSError, ValueError, AttributeError):  # no such numbers on Windows
        device = os.stat(path).st_dev
        place = f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}/read_ahead_kb"
        return int(Path(place).read_text()) >= FAR_AHEAD_KB
    return False


def _check_header(file: Any, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """Return where the numbers begin."""
    expected = f"{np.dtype(dtype)} numbers of shape {shape}"
    try:
        header = read_npy_header(file)
    except ValueError:
        raise errors.other_header(path, "no array", expected) from None
    found, by_column, kind = header
    in_order = by_column or len(shape) < 2
    size = file.tell() + header.n_bytes
    if found != shape or kind != dtype or not in_order or size != os.fstat(file.fileno()).st_size:
        order = "" if in_order else "row-major "
        raise errors.other_header(path, f"{order}{kind} numbers of shape {found}", expected)
    return int(file.tell())


class _CSC(NamedTuple):
    """The arrays of a sparse matrix by columns, of types that SciPy would have copied."""

    indptr: Array
    indices: Array
    data: Array
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        return len(self.data)


class SparseFiles:
    """The three arrays of a CSC matrix, checked as far as no block is needed."""

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
        if not pointers_rise(self.csc.indptr, n_columns, about.n_entries):
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
        # The constructor would copy parts of arrays.
        X.indptr, X.indices, X.data = local, indices, data
        X.has_canonical_format = True
        return CSCSpace(X)

    def complaint(self, start: int, stop: int) -> str | None:
        X = self.columns(start, stop).X  # type: ignore[attr-defined]
        found = _COMPLAINTS.get(kernels.check_columns(X.indptr, X.indices, X.shape[0]))
        return found or (None if _is_finite(X.data) else _NOT_FINITE)

    def pair_search(self) -> PairSearch:
        return SparsePairs(self.csc)


class DenseFile:
    """A column-major array."""

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

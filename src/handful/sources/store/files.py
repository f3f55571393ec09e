"""The large files of a store: what they must hold, and columns of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from handful.kernels import blocks as kernels
from handful.sources.store import manifest as files
from handful.sources.store.manifest import Manifest
from handful.sources.store.mapped import MappedFile
from handful.spaces.base import Array, ExplicitSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.pairs.dense import DensePairs
from handful.spaces.pairs.search import PairSearch
from handful.spaces.pairs.sparse import SparsePairs
from handful.spaces.sparse import CSCSpace
from handful.validation import store as errors
from handful.validation.indices import pointers_rise

_COMPLAINTS = {
    kernels.OUT_OF_RANGE: "a row is out of range",
    kernels.OUT_OF_ORDER: "rows do not rise",
}
_NOT_FINITE = "a number is NaN or infinite"


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
    """The three arrays of a CSC matrix."""

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


class _DenseFile:
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


def open_matrix(folder: Path, about: Manifest) -> Any:
    """Open the large files; those of a sparse store are checked as far as no block is needed."""
    return (_SparseFiles if about.storage == "sparse" else _DenseFile)(folder, about)

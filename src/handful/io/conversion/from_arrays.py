"""Npz and AnnData files, by pieces of rows or columns of the arrays in them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.io.columns import check_names
from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.errors import InputError
from handful.io.npz import Arrays, Member, names_of, open_npz, target_of
from handful.io.table import Request, as_matrix
from handful.sizes import slices
from handful.sources.anndata import AnnotatedFile
from handful.sources.blocks import cut_by_entries
from handful.validation.indices import pointers_rise

Array = np.ndarray


class _Arrays(Source):
    """A matrix by rows or by columns; the mark counts these."""

    path: Path
    shape: tuple[int, ...]

    @abstractmethod
    def _parts(self, done: int, n_bytes: int) -> Iterator[Any]:
        """Give what follows so many rows or columns, some of them at a time."""

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        done, by_column = mark["done"] if mark else 0, self.order == "columns"
        for part in self._parts(done, n_bytes // COPIES):
            X = as_matrix(self.path, part, *((0, done) if by_column else (done, 0)))
            done += X.shape[by_column]
            yield Piece(X, {"done": done})


class NpzSource(_Arrays):
    """A dense matrix ``X``, or the parts of a CSR or CSC matrix."""

    def __init__(self, path: Path, request: Request) -> None:
        if request.drop:
            raise InputError(f"{path}: convert cannot leave columns of an npz file out")
        self.path = path
        self.request = request
        with open_npz(path) as arrays:
            self.is_sparse = "X" not in arrays
            if not self.is_sparse:
                X = Member(arrays.archive, "X")
                if len(X.shape) != 2:
                    raise InputError(f"{path}: X has the shape {X.shape}, expected two dimensions")
                self.shape = X.shape
                self.order = "columns" if X.by_column else "rows"
            else:
                self._find_parts(arrays)
            self.n_rows = int(self.shape[0])
            self.names = names_of(path, arrays, int(self.shape[1]))
        if self.names is not None:
            check_names(path, self.names)

    def _find_parts(self, arrays: Arrays) -> None:
        own = "X_indptr" in arrays
        self.prefix = "X_" if own else ""
        layout = "csr"
        if "format" in arrays and not own:
            layout = str(arrays["format"].astype(str))
        if not {self.prefix + part for part in ("data", "indices", "indptr", "shape")} <= {*arrays}:
            layout = "other"
        orders = {"csr": "rows", "csc": "columns"}
        if layout not in orders:
            raise InputError(
                f"{self.path} holds neither X nor the parts of a CSR or CSC matrix; save it with "
                "scipy.sparse.save_npz(file, X.tocsr())"
            )
        self.order = orders[layout]
        n_rows, n_columns = arrays[f"{self.prefix}shape"].tolist()
        self.shape = int(n_rows), int(n_columns)

    def _parts(self, done: int, n_bytes: int) -> Iterator[Any]:
        return (self._sparse_parts if self.is_sparse else self._dense_parts)(done, n_bytes)

    def _dense_parts(self, done: int, n_bytes: int) -> Iterator[Array]:
        n_lines, width = self.shape if self.order == "rows" else self.shape[::-1]
        at_once = max(1, n_bytes // (8 * max(width, 1)))
        with open_npz(self.path) as arrays:
            X = Member(arrays.archive, "X")
            X.skip(done * width)
            for lines in slices(n_lines, at_once, done):
                n = lines.stop - lines.start
                part = X.read(n * width).reshape(n, width)
                yield part if self.order == "rows" else part.T

    def _sparse_parts(self, done: int, n_bytes: int) -> Iterator[Any]:
        n_lines, width = self.shape if self.order == "rows" else self.shape[::-1]
        with open_npz(self.path) as arrays:
            indptr = arrays[f"{self.prefix}indptr"]
            indices, data = (
                Member(arrays.archive, self.prefix + name) for name in ("indices", "data")
            )
            if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
                raise ValueError("indices of X are not whole numbers")
            indptr = indptr.astype(np.int64)
            if not pointers_rise(indptr, n_lines, math.prod(indices.shape)):
                raise ValueError("indptr does not rise, one number for each line and one more")
            for member in (indices, data):
                member.skip(int(indptr[done]))
            for start, stop in cut_by_entries(indptr, done, max(1, n_bytes // 12)):
                count = int(indptr[stop] - indptr[start])
                local = indptr[start : stop + 1] - indptr[start]
                rows = sparse.csr_array(
                    (data.read(count), indices.read(count).astype(np.int64), local),
                    shape=(stop - start, width),
                )
                yield rows if self.order == "rows" else rows.T

    def about(self, mark: Mark | None, y: Array | None) -> About:
        with open_npz(self.path) as arrays:
            target, name, several = target_of(self.path, arrays, self.shape[0], self.request)
        return About(self.shape[1], 0, self.names, name, several, target)


class AnnotatedSource(_Arrays):
    """The matrix X of an .h5ad file."""

    def __init__(self, path: Path, request: Request) -> None:
        if request.drop or request.targets is not None:
            raise InputError(f"{path}: of an h5ad file convert takes X whole, and one --target")
        self.file = AnnotatedFile(path, request.target)
        if self.file.feature_names is not None:
            check_names(path, tuple(self.file.feature_names))
        self.is_sparse = self.file.layout != "dense"
        self.order = "columns" if self.file.layout == "csc" else "rows"
        self.path, self.shape, self.n_rows = path, self.file.shape, self.file.shape[0]

    def _parts(self, done: int, n_bytes: int) -> Iterator[Any]:
        n_lines = self.shape[self.order == "columns"]
        per_line = 12 * max(1, self.file.n_entries // max(1, n_lines))
        at_once = max(1, n_bytes // per_line)
        for lines in slices(n_lines, at_once, done):
            yield self.file.lines(lines.start, lines.stop)

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        names = self.file.feature_names
        named = None if names is None else tuple(names)
        return About(self.file.shape[1], 0, named, self.file.target, y=self.file.y)

"""Npz files, by pieces of the arrays in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.io.columns import check_names
from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.errors import InputError
from handful.io.matrix import as_matrix
from handful.io.npz import Arrays, Member, names_of, open_npz, target_of
from handful.io.table import Request
from handful.validation.indices import pointers_rise

Array = np.ndarray


class NpzSource(Source):
    """A dense matrix ``X``, or the parts of a CSR or CSC matrix; the mark counts rows or columns."""

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

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        done = mark["done"] if mark else 0
        parts = self._sparse_parts if self.is_sparse else self._dense_parts
        by_column = self.order == "columns"
        for part in parts(done, n_bytes // COPIES):
            X = as_matrix(self.path, part, *((0, done) if by_column else (done, 0)))
            done += X.shape[by_column]
            yield Piece(X, {"done": done})

    def _dense_parts(self, done: int, n_bytes: int) -> Iterator[Array]:
        n_lines, width = self.shape if self.order == "rows" else self.shape[::-1]
        at_once = max(1, n_bytes // (8 * max(width, 1)))
        with open_npz(self.path) as arrays:
            X = Member(arrays.archive, "X")
            X.skip(done * width)
            for start in range(done, n_lines, at_once):
                n = min(at_once, n_lines - start)
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
            while done < n_lines:
                goal = indptr[done] + max(1, n_bytes // 12)
                stop = min(
                    max(int(np.searchsorted(indptr, goal, side="right")) - 1, done + 1), n_lines
                )
                count = int(indptr[stop] - indptr[done])
                local = indptr[done : stop + 1] - indptr[done]
                rows = sparse.csr_array(
                    (data.read(count), indices.read(count).astype(np.int64), local),
                    shape=(stop - done, width),
                )
                yield rows if self.order == "rows" else rows.T
                done = stop

    def about(self, mark: Mark | None, y: Array | None) -> About:
        with open_npz(self.path) as arrays:
            target, name, several = target_of(self.path, arrays, self.shape[0], self.request)
        return About(self.shape[1], 0, self.names, name, several, target)

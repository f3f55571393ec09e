"""Npz files, by pieces of the arrays in them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.io.columns import check_names
from handful.io.compression import reading
from handful.io.errors import InputError
from handful.io.matrix import as_matrix
from handful.io.npz import names_of, target_of
from handful.io.store.source import COPIES, About, Mark, Piece, Source
from handful.io.table import Request

Array = np.ndarray


class Member:
    """One array of an npz file, read from its beginning to its end."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._file = archive.open(f"{name}.npy")
        version = np.lib.format.read_magic(self._file)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        self.shape, self.by_column, self.dtype = read(self._file)
        if self.dtype.hasobject:
            raise ValueError(f"{name} holds Python objects")

    def read(self, count: int) -> Array:
        """Return the next numbers."""
        content = self._file.read(count * self.dtype.itemsize)
        if len(content) != count * self.dtype.itemsize:
            raise ValueError("an array is cut short")
        return np.frombuffer(content, dtype=self.dtype)

    def skip(self, count: int) -> None:
        """Pass over numbers."""
        self._file.seek(count * self.dtype.itemsize, 1)

    def all(self) -> Array:
        """Return the whole array."""
        size = int(np.prod(self.shape))
        return self.read(size).reshape(self.shape, order="F" if self.by_column else "C")


class NpzSource(Source):
    """A dense matrix ``X``, or the parts of a CSR or CSC matrix; the mark counts rows or columns."""

    def __init__(self, path: Path, request: Request) -> None:
        if request.drop:
            raise InputError(f"{path}: convert cannot leave columns of an npz file out")
        self.path = path
        self.request = request
        with self._archive() as archive:
            keys = {name.removesuffix(".npy") for name in archive.namelist()}
            self.is_sparse = "X" not in keys
            if not self.is_sparse:
                X = Member(archive, "X")
                if len(X.shape) != 2:
                    raise InputError(f"{path}: X has the shape {X.shape}, expected two dimensions")
                self.shape = X.shape
                self.order = "columns" if X.by_column else "rows"
            else:
                self._find_parts(archive, keys)
        self.n_rows = int(self.shape[0])
        with _usable(path), np.load(path, allow_pickle=False) as arrays:
            self.names = names_of(path, arrays, int(self.shape[1]))
        if self.names is not None:
            check_names(path, self.names)

    def _find_parts(self, archive: zipfile.ZipFile, keys: set[str]) -> None:
        own = "X_indptr" in keys
        self.prefix = "X_" if own else ""
        layout = "csr"
        if "format" in keys and not own:
            layout = str(np.asarray(Member(archive, "format").all()).astype(str))
        if not {self.prefix + part for part in ("data", "indices", "indptr", "shape")} <= keys:
            layout = "other"
        orders = {"csr": "rows", "csc": "columns"}
        if layout not in orders:
            raise InputError(
                f"{self.path} holds neither X nor the parts of a CSR or CSC matrix; save it with "
                "scipy.sparse.save_npz(file, X.tocsr())"
            )
        self.order = orders[layout]
        n_rows, n_columns = Member(archive, f"{self.prefix}shape").all()
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
        with self._archive() as archive:
            X = Member(archive, "X")
            X.skip(done * width)
            for start in range(done, n_lines, at_once):
                n = min(at_once, n_lines - start)
                part = X.read(n * width).reshape(n, width)
                yield part if self.order == "rows" else part.T

    def _sparse_parts(self, done: int, n_bytes: int) -> Iterator[Any]:
        n_lines, width = self.shape if self.order == "rows" else self.shape[::-1]
        with self._archive() as archive:
            indptr = Member(archive, f"{self.prefix}indptr").all().astype(np.int64)
            indices, data = (Member(archive, self.prefix + name) for name in ("indices", "data"))
            if len(indptr) != n_lines + 1 or indptr[0] != 0 or (np.diff(indptr) < 0).any():
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
                rows.check_format(full_check=True)
                yield rows if self.order == "rows" else rows.T
                done = stop

    def about(self, mark: Mark | None, y: Array | None) -> About:
        with _usable(self.path), np.load(self.path, allow_pickle=False) as archive:
            target, name, several = target_of(self.path, archive, self.shape[0], self.request)
        return About(self.shape[1], 0, self.names, name, several, target)

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        with _usable(self.path), ExitStack() as stack:
            yield stack.enter_context(zipfile.ZipFile(self.path))


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        with reading(path):
            yield
    except InputError:
        raise
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise InputError(f"{path} is not a usable npz file ({error})") from error

"""AnnData (.h5ad) files and objects: cells in rows, genes in columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sizes import current_sizes
from handful.sources.blocks import ColumnBlockedSpace, ColumnBlocks, RowBlockedSpace, RowBlocks
from handful.spaces.base import Array, ExplicitSpace, Unit
from handful.spaces.source import Source
from handful.spaces.sparse import CSCSpace
from handful.validation import store as errors
from handful.validation.cells import check_finite
from handful.validation.indices import checked


class AnnotatedFile(Source, RowBlocks, ColumnBlocks):
    """The matrix X of an .h5ad file, dense, CSR or CSC; it is read in every pass, some at a time.

    Reading HDF5 takes longer than reading a store: ``handful convert`` makes one of it.

    Parameters
    ----------
    path : str or path
    target : str, optional
        The column of ``obs`` that is to be predicted.

    Attributes
    ----------
    path : Path
    layout : {"dense", "csr", "csc"}
    y : ndarray or None
    columns_of_obs : list of str
        What may be the target.
    feature_names : ndarray of str
        The index of ``var``.
    """

    def __init__(self, path: str | os.PathLike[str], target: str | None = None) -> None:
        self.path = Path(path)
        self.target = target
        with _whole(self.path), self._opened() as file:
            if "X" not in file:
                raise errors.no_matrix(self.path)
            X = file["X"]
            self.layout, self.shape, self._kind = _layout(self.path, X)
            small = self._kind.itemsize <= 2 or self._kind == np.float32
            self.dtype = np.dtype(np.float32 if small else np.float64)
            n_entries = 0 if self.layout == "dense" else min(len(X["data"]), len(X["indices"]))
            self._indptr = None if self.layout == "dense" else X["indptr"][:].astype(np.int64)
            self.feature_names = _index(file, "var")
            self.columns_of_obs = _columns(file)
            self.y = None if target is None else _column(self.path, file, target)
        n_lines, at_once = self.shape[self.layout == "csc"], current_sizes().block_entries
        self.n_entries = self.shape[0] * self.shape[1]
        if self._indptr is None:
            step = max(1, at_once // max(1, self.shape[1]))
            self.starts = [*range(0, n_lines, step), n_lines]
        else:
            errors.check_pointers(self.path, self._indptr, n_lines, n_entries)
            self.n_entries = n_entries
            goals = np.arange(0, int(self._indptr[-1]) + 1, at_once)
            starts = np.unique([0, *np.searchsorted(self._indptr[:-1], goals).tolist()])
            self.starts = [*(int(i) for i in starts if i < n_lines), n_lines]

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        return (
            f"AnnotatedFile({str(self.path)!r}: {n_rows} x {n_columns}, {self.layout} {self._kind})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return AnnotatedFile, (self.path, self.target)

    def check(self) -> None:
        """Numbers are looked at as they are read."""

    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        if self.layout == "csc":  # HDF5 reads for one thread at a time
            return ColumnBlockedSpace(self, unit, 1, sample_weight)
        return RowBlockedSpace(self, unit, n_threads, sample_weight)

    def lines(self, start: int, stop: int) -> Any:
        """Return rows, or columns of a matrix by columns, as a checked matrix in memory."""
        with _whole(self.path), self._opened() as file:
            X = file["X"]
            if self._indptr is None:
                part: Any = np.asarray(X[start:stop], dtype=self.dtype)
                errors.check_numbers(self.path, part, start, self.feature_names)
                return part
            entries = slice(int(self._indptr[start]), int(self._indptr[stop]))
            local = self._indptr[start : stop + 1] - entries.start
            parts = (X["data"][entries].astype(self.dtype), X["indices"][entries], local)
        width = self.shape[self.layout == "csr"]
        rows = sp.csr_array(parts, shape=(stop - start, width))
        try:
            checked(rows)
        except ValueError as error:
            raise errors.damaged(self.path, error) from None
        rows.sum_duplicates()
        if self.layout == "csc":
            names = None if self.feature_names is None else self.feature_names[start:stop]
            errors.check_numbers(self.path, rows.T, 0, names, start)
            return rows.T
        errors.check_numbers(self.path, rows, start, self.feature_names)
        return rows

    def row_blocks(self) -> Iterator[tuple[slice, Any]]:
        for start, stop in zip(self.starts, self.starts[1:], strict=False):
            yield slice(start, stop), self.lines(start, stop)

    def block(self, number: int) -> ExplicitSpace:
        return CSCSpace(self.lines(self.starts[number], self.starts[number + 1]))

    def fingerprint(self) -> str:
        status = os.stat(self.path)
        return f"h5ad {self.path.resolve()} {status.st_size} {status.st_mtime_ns} {self.shape}"

    def _opened(self) -> Any:
        try:
            import h5py
        except ImportError:
            raise errors.needs_h5py(self.path) from None
        try:
            return h5py.File(self.path, "r")
        except OSError as error:
            raise errors.unreadable(self.path, error) from None


def of_object(data: Any) -> Source:
    """Return the matrix of an AnnData object, in memory or backed by its file."""
    if data.isbacked:
        matrix = AnnotatedFile(data.filename)
        errors.check_whole(matrix.shape, data.shape)
        return matrix
    return AnnotatedMatrix(data)


class AnnotatedMatrix(Source):
    """The matrix X of an AnnData object in memory."""

    def __init__(self, data: Any) -> None:
        X = data.X
        if not sp.issparse(X):
            X = np.asarray(X)
        else:
            X = checked(X)
            X = X if X.format in ("csr", "csc") else X.tocsr()
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        self._X = X
        self.shape, self.dtype = X.shape, X.dtype
        self.feature_names = np.array([str(name) for name in data.var_names], dtype=object)

    def check(self) -> None:
        check_finite(self._X, self.feature_names)

    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        from handful.spaces.resolve import resolve_space

        return resolve_space(self._X, unit=unit, n_jobs=n_threads, sample_weight=sample_weight)


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn whatever a spoilt file makes h5py raise into one sentence."""
    try:
        yield
    except errors.StoreError:
        raise
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, AttributeError) as error:
        raise errors.damaged(path, error) from None


def _layout(path: Path, X: Any) -> tuple[str, tuple[int, int], np.dtype[Any]]:
    encoding = X.attrs.get("encoding-type", "array")
    layouts = {"array": "dense", "csr_matrix": "csr", "csc_matrix": "csc"}
    if encoding not in layouts:
        raise errors.unknown_layout(path, encoding)
    layout = layouts[encoding]
    shape = X.shape if layout == "dense" else X.attrs["shape"]
    kind = X.dtype if layout == "dense" else X["data"].dtype
    if layout != "dense" and (
        X["indices"].dtype.kind not in "iu" or X["indptr"].dtype.kind not in "iu"
    ):
        raise errors.unknown_layout(path, "a sparse matrix without whole numbers for indices")
    if len(shape) != 2 or kind.kind not in "biuf":
        raise errors.unknown_layout(path, f"{kind} of {len(shape)} dimensions")
    return layout, (int(shape[0]), int(shape[1])), kind


def _index(file: Any, frame: str) -> Array | None:
    """Return the names of rows (obs) or columns (var)."""
    group = file.get(frame)
    name = None if group is None else group.attrs.get("_index", "_index")
    if group is None or name not in group:
        return None
    return np.array([_text(value) for value in group[name][:]], dtype=object)


def _columns(file: Any) -> list[str]:
    """Return the names of the columns of obs."""
    group = file.get("obs")
    if group is None:
        return []
    return [_text(name) for name in group.attrs.get("column-order", list(group)) if name in group]


def _column(path: Path, file: Any, name: str) -> Array:
    """Return a column of obs: numbers, text or categories."""
    if name not in _columns(file):
        raise errors.no_column(path, name, _columns(file))
    column = file["obs"][name]
    if hasattr(column, "keys"):
        if "categories" not in column:
            raise errors.missing_values(path, name)
        codes, categories = column["codes"][:], column["categories"][:]
        if (codes < 0).any():
            raise errors.missing_values(path, name)
        values = categories[codes]
    else:
        values = column[:]
    if values.dtype.kind in "OSU":
        values = np.array([_text(value) for value in values], dtype=object)
    elif values.dtype.kind == "f" and not np.isfinite(values).all():
        raise errors.missing_values(path, name)
    return np.asarray(values)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)

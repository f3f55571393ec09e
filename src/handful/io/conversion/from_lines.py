"""Svmlight and Matrix Market files, piece by piece of lines."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from handful.io.columns import refuse_names
from handful.io.conversion.source import COPIES, MORE_MEMORY, About, Mark, Piece, Source
from handful.io.errors import InputError, check_room
from handful.io.labels import read_labels, tidy_labels
from handful.io.matrix_market import check_request, read_header, unreadable
from handful.io.opening import line_pieces
from handful.io.svmlight import explain, target_is_there
from handful.io.table import Request, as_matrix


class SvmlightSource(Source):
    """Rows of a file ``label index:value ...``; the mark is a place in it and the indices so far."""

    is_sparse = True

    def __init__(self, path: Path, request: Request) -> None:
        refuse_names(path, request)
        if request.targets is not None:
            raise InputError(
                f"{path}: convert takes one label for each row of an svmlight file; leave --targets out"
            )
        if request.target is not None:
            raise target_is_there(path)
        self.path = path

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"offset": 0, "lowest": None, "highest": 0}
        lowest, highest = mark["lowest"], mark["highest"]
        at_once = max(1, n_bytes // COPIES)
        for lines, offset in line_pieces(self.path, mark["offset"], at_once, MORE_MEMORY):
            try:
                # zero_based=True: the indices as they stand in the file, shifted at the end.
                X, y = load_svmlight_file(io.BytesIO(lines), zero_based=True)
            except (ValueError, OverflowError) as error:
                raise self._bad(str(error)) from error
            if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
                raise self._bad("it holds values that are not finite")
            if X.nnz:
                least = int(X.indices.min())
                lowest = least if lowest is None else min(lowest, least)
                highest = max(highest, int(X.indices.max()))
            yield Piece(X, {"offset": offset, "lowest": lowest, "highest": highest}, y)

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        lowest, highest = (mark["lowest"], mark["highest"]) if mark else (None, 0)
        base = int(lowest != 0)
        n_features = max(highest - base + 1, 0)
        return About(n_features, base, y=None if y is None else tidy_labels(y))

    def _bad(self, reason: str) -> InputError:
        return InputError(explain(self.path, None, False) or f"{self.path}: {reason}")


class MatrixMarketSource(Source):
    """Entries in any order ("coordinate"), or a column after the other ("array").

    The mark is a place in the file and how many entries came before it.
    """

    def __init__(self, path: Path, request: Request) -> None:
        check_request(path, request)
        self.path = path
        self.target = request.target
        header = read_header(path)
        if header.field == "complex":
            raise InputError(f"{path}: X holds complex values, expected numbers")
        if not header.is_sparse and header.mirrored:
            raise InputError(f"{path}: convert reads dense mtx files that are general only")
        n_lines = sum(header.shape) if header.is_sparse else header.shape[0]
        check_room(path, 8 * n_lines, f"8 bytes for each of {n_lines} rows and columns")
        self.header = header
        self.is_sparse = header.is_sparse
        self.order = "none" if header.is_sparse else "columns"
        self.shape, self.n_rows = header.shape, header.shape[0]

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        at_once = max(1, n_bytes // COPIES)
        return (self._sparse_pieces if self.is_sparse else self._dense_pieces)(mark, at_once)

    def _sparse_pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"offset": self.header.start, "entries": 0}
        n_read = mark["entries"]
        for numbers, offset in self._all_numbers(mark["offset"], n_read, n_bytes):
            n_read += len(numbers)
            where = {"offset": offset, "entries": n_read}
            yield Piece(as_matrix(self.path, self._entries(numbers)), where)

    def _dense_pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        """Whole columns; when taken up, those that are done are read again and passed over."""
        done, n_rows = 0, self.shape[0]
        skip = mark["columns"] if mark else 0
        parts: list[np.ndarray] = []  # of a column that goes on in the next lines
        for numbers, _ in self._all_numbers(self.header.start, 0, n_bytes):
            parts.append(numbers[:, 0])
            n_columns = sum(map(len, parts)) // n_rows
            if n_columns == 0:
                continue
            whole = np.concatenate(parts)
            columns = whole[: n_columns * n_rows].reshape(n_columns, n_rows).T
            parts = [whole[n_columns * n_rows :]]
            columns = columns[:, max(skip - done, 0) :]
            done += n_columns
            if columns.shape[1]:
                first = done - columns.shape[1]
                yield Piece(as_matrix(self.path, columns, 0, first), {"columns": done})

    def _all_numbers(
        self, offset: int, n_read: int, n_bytes: int
    ) -> Iterator[tuple[np.ndarray, int]]:
        """Give the numbers of a piece of lines and where the next begins; as many as announced."""
        for lines, place in line_pieces(self.path, offset, n_bytes, MORE_MEMORY):
            numbers = self._numbers(lines, n_read)
            n_read += len(numbers)
            if n_read > self.header.n_entries:
                raise self._bad(
                    f"it holds more than the {self.header.n_entries} entries it announces"
                )
            yield numbers, place
        if n_read != self.header.n_entries:
            raise self._bad(f"it announces {self.header.n_entries} entries and holds {n_read}")

    def _numbers(self, lines: bytes, n_before: int) -> np.ndarray:
        text = lines
        if b"%" in lines:
            text = b" ".join(line for line in lines.split(b"\n") if not line.startswith(b"%"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                flat = np.fromstring(text.decode("ascii"), sep=" ")
            except (ValueError, DeprecationWarning):
                raise self._bad(f"what follows entry {n_before} is not numbers only") from None
        if len(flat) % self.header.width:
            raise self._bad(
                f"a line after entry {n_before} does not have {self.header.width} numbers"
            )
        return flat.reshape(-1, self.header.width)

    def _entries(self, numbers: np.ndarray) -> sparse.csr_array:
        places = numbers[:, :2]
        highest = places.max(axis=0, initial=0)
        if (
            (places != np.rint(places)).any()
            or places.min(initial=1) < 1
            or (highest > self.shape).any()
        ):
            raise self._bad("an entry lies outside of the matrix")
        rows, columns = (places - 1).astype(np.int64).T
        values = np.ones(len(numbers)) if self.header.width == 2 else numbers[:, 2]
        if self.header.mirrored:
            off = rows != columns
            rows, columns = np.append(rows, columns[off]), np.append(columns, rows[off])
            values = np.append(values, self.header.mirrored * values[off])
        return sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=self.shape))

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        labels = None
        if self.target is not None:
            labels = read_labels(self.target, self.shape[0], self.path)
        return About(self.shape[1], target_name=self.target, y=labels)

    def _bad(self, reason: str) -> InputError:
        return unreadable(self.path, reason)

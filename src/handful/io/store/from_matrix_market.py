"""Matrix Market files, piece by piece of lines."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from handful.io.columns import refuse_names
from handful.io.compression import open_bytes, reading
from handful.io.errors import InputError
from handful.io.labels import read_labels
from handful.io.matrix import as_matrix
from handful.io.store.lines import line_pieces
from handful.io.store.source import COPIES, About, Mark, Piece, Source
from handful.io.table import Request

_MIRRORED = {"general": 0, "symmetric": 1, "skew-symmetric": -1}
_LONGEST_LINE = 4096


class MatrixMarketSource(Source):
    """Entries in any order ("coordinate"), or a column after the other ("array").

    The mark is a place in the file and how many entries came before it.
    """

    def __init__(self, path: Path, request: Request) -> None:
        refuse_names(path, request)
        if request.targets is not None:
            raise InputError(
                f"{path} holds no targets; --targets is for csv, tsv, parquet, npz and svmlight"
            )
        self.path = path
        self.target = request.target
        with reading(path):
            self._read_header()

    def _read_header(self) -> None:
        offset, banner, sizes = 0, None, []
        with open_bytes(self.path) as file:
            while line := file.readline(_LONGEST_LINE):
                offset += len(line)
                text = line.decode("utf-8", errors="replace").strip()
                if banner is None:
                    banner = text.lower().split()
                elif text and not text.startswith("%"):
                    sizes = [int(word) if word.isdecimal() else -1 for word in text.split()]
                    break
        words = banner or []
        known = len(words) == 5 and words[:2] == ["%%matrixmarket", "matrix"]
        self.is_sparse = known and words[2] == "coordinate"
        if (
            not known
            or words[2] not in ("coordinate", "array")
            or words[3] not in ("real", "integer", "pattern", "double")
            or words[4] not in _MIRRORED
            or len(sizes) != (3 if self.is_sparse else 2)
            or min(sizes) < 0
        ):
            raise InputError(
                f"{self.path} is not a readable mtx file: expected a first line such as "
                "'%%MatrixMarket matrix coordinate real general' and a line of sizes"
            )
        if not self.is_sparse and words[4] != "general":
            raise InputError(f"{self.path}: convert reads dense mtx files that are general only")
        self.order = "none" if self.is_sparse else "columns"
        self.shape = (sizes[0], sizes[1])
        self.n_rows = sizes[0]
        self.n_entries = sizes[2] if self.is_sparse else math.prod(sizes)
        self.width = (1 if words[3] == "pattern" else 2) + 1 if self.is_sparse else 1
        self.mirrored = _MIRRORED[words[4]]
        self._start = offset

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        at_once = max(1, n_bytes // COPIES)
        return (self._sparse_pieces if self.is_sparse else self._dense_pieces)(mark, at_once)

    def _sparse_pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"offset": self._start, "entries": 0}
        n_read = mark["entries"]
        for numbers, offset in self._all_numbers(mark["offset"], n_read, n_bytes):
            n_read += len(numbers)
            where = {"offset": offset, "entries": n_read}
            yield Piece(as_matrix(self.path, self._entries(numbers)), where)

    def _dense_pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        """Whole columns; when taken up, those that are done are read again and passed over."""
        done, n_rows = 0, self.shape[0]
        skip = mark["columns"] if mark else 0
        left = np.empty(0)  # of a column that goes on in the next lines
        for numbers, _ in self._all_numbers(self._start, 0, n_bytes):
            left = np.concatenate([left, numbers[:, 0]])
            n_columns = len(left) // n_rows
            columns = left[: n_columns * n_rows].reshape(n_columns, -1).T
            left = left[n_columns * n_rows :]
            columns = columns[:, max(skip - done, 0) :]
            done += n_columns
            if columns.shape[1]:
                first = done - columns.shape[1]
                yield Piece(as_matrix(self.path, columns, 0, first), {"columns": done})

    def _all_numbers(
        self, offset: int, n_read: int, n_bytes: int
    ) -> Iterator[tuple[np.ndarray, int]]:
        """Give the numbers of a piece of lines and where the next begins; as many as announced."""
        for lines, place in line_pieces(self.path, offset, n_bytes):
            numbers = self._numbers(lines, n_read)
            n_read += len(numbers)
            if n_read > self.n_entries:
                raise self._bad(f"it holds more than the {self.n_entries} entries it announces")
            yield numbers, place
        if n_read != self.n_entries:
            raise self._bad(f"it announces {self.n_entries} entries and holds {n_read}")

    def _numbers(self, lines: bytes, n_before: int) -> np.ndarray:
        text = b" ".join(line for line in lines.split(b"\n") if not line.startswith(b"%"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                flat = np.fromstring(text.decode("ascii"), sep=" ")
            except (ValueError, DeprecationWarning):
                raise self._bad(f"what follows entry {n_before} is not numbers only") from None
        if len(flat) % self.width:
            raise self._bad(f"a line after entry {n_before} does not have {self.width} numbers")
        return flat.reshape(-1, self.width)

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
        values = np.ones(len(numbers)) if self.width == 2 else numbers[:, 2]
        if self.mirrored:
            off = rows != columns
            rows, columns = np.append(rows, columns[off]), np.append(columns, rows[off])
            values = np.append(values, self.mirrored * values[off])
        return sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=self.shape))

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        labels = None
        if self.target is not None:
            labels = read_labels(self.target, self.shape[0], self.path)
        return About(self.shape[1], target_name=self.target, y=labels)

    def _bad(self, reason: str) -> InputError:
        return InputError(f"{self.path} is not a readable mtx file: {reason}")

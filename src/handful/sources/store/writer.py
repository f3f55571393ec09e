"""Append columns to the files of a store; the manifest comes last."""

from __future__ import annotations

import itertools
import json
import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from handful.files import atomic_write
from handful.sizes import current_sizes
from handful.sources.store import manifest as files
from handful.sources.store.manifest import Manifest
from handful.sources.store.npy import HEADER_BYTES, npy_header

Array = np.ndarray


class Writer:
    """Writes the large files of a store, a group of columns at a time.

    The bytes do not depend on how columns are grouped: a new block begins at the first column whose
    entries begin past each ``Sizes.store_block_bytes`` of data.

    Parameters
    ----------
    folder : Path
    storage : {"sparse", "dense"}
    n_rows : int
    dtype : dtype
    state : dict
        What :attr:`state` was after the last group that is to be kept, or empty; kept up to date.
    """

    def __init__(
        self, folder: Path, storage: str, n_rows: int, dtype: np.dtype[Any], state: dict[str, Any]
    ) -> None:
        self._folder = folder
        self._storage = storage
        self._n_rows = n_rows
        wide = np.dtype(np.int32 if n_rows <= np.iinfo(np.int32).max else np.int64)
        self._dtypes = {files.DENSE: dtype}
        if storage == "sparse":
            self._dtypes = {files.INDICES: wide, files.DATA: dtype, files.INDPTR: np.dtype("<i8")}
        self.state = state
        if "n_columns" not in state:
            state.update(n_columns=0, n_entries=0, starts=[], dtype=dtype.name)
            state["checksums"] = {name: [] for name in self._dtypes if name != files.INDPTR}
        shapes = self._shapes()
        self._open: dict[str, Any] = {}
        for name, kind in self._dtypes.items():
            n_bytes = math.prod(shapes[name]) * kind.itemsize
            self._open[name] = self._reopen(folder / name, n_bytes)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that the arrays have so far."""
        n_columns, n_entries = self.state["n_columns"], self.state["n_entries"]
        return {
            files.INDICES: (n_entries,),
            files.DATA: (n_entries,),
            files.INDPTR: (n_columns + 1,),
            files.DENSE: (self._n_rows, n_columns),
        }

    def _reopen(self, path: Path, n_bytes: int) -> Any:
        """Open a file behind what is to be kept of it; what follows was written by a killed run."""
        file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115 - closed in finish
        if self.state["n_columns"] == 0:
            first = bytes(8) if path.name == files.INDPTR else b""
            file.truncate(0)
            file.write(b" " * HEADER_BYTES)
            file.write(first)
        else:
            file.truncate(HEADER_BYTES + n_bytes)
            file.seek(0, os.SEEK_END)
        return file

    def append(self, *arrays: Array) -> None:
        """Append columns: counts, rows and values, or a column-major array."""
        if self._storage == "dense":
            (columns,) = arrays
            self._append_dense(columns)
        else:
            self._append_sparse(*arrays)
        for file in self._open.values():
            file.flush()
            os.fsync(file.fileno())

    def _append_sparse(self, counts: Array, rows: Array, values: Array) -> None:
        state = self.state
        begin = state["n_entries"] + np.concatenate([[0], np.cumsum(counts)])
        self._open[files.INDPTR].write(begin[1:].astype("<i8"))
        per_block = max(1, current_sizes().store_block_bytes // values.itemsize)
        number = begin[:-1] // per_block
        before = state.get("block_number", -1)
        new = np.flatnonzero(np.diff(number, prepend=before) > 0)
        state["block_number"] = int(number[-1]) if len(number) else before
        cuts = (begin[new] - begin[0]).tolist()
        for name, array in ((files.INDICES, rows), (files.DATA, values)):
            self._write_blocks(name, array, cuts)
        state["starts"] += (state["n_columns"] + new).tolist()
        state["n_columns"] += len(counts)
        state["n_entries"] += len(values)

    def _append_dense(self, columns: Array) -> None:
        state = self.state
        step = max(1, current_sizes().store_block_bytes // (self._n_rows * columns.itemsize))
        first, last = state["n_columns"], state["n_columns"] + columns.shape[1]
        starts = list(range(-(-first // step) * step, last, step))
        flat = columns.reshape(-1, order="F")
        self._write_blocks(files.DENSE, flat, [(start - first) * self._n_rows for start in starts])
        state["starts"] += starts
        state["n_columns"] = last
        state["n_entries"] += len(flat)

    def _write_blocks(self, name: str, array: Array, cuts: list[int]) -> None:
        """Write an array in which blocks begin at the cuts, and bring the checksums up to date."""
        array = np.ascontiguousarray(array, dtype=self._dtypes[name])
        sums = self.state["checksums"][name]
        edges = [0, *cuts, len(array)]
        for number, (start, stop) in enumerate(itertools.pairwise(edges)):
            if number > 0:
                sums.append(0)
            if stop > start:
                sums[-1] = zlib.crc32(array[start:stop].data, sums[-1])
        self._open[name].write(array)

    def finish(self, target: Array | None, names: Any, **about: Any) -> None:
        """Write the headers, the small files and then, when all is on the disk, the manifest."""
        state, shape = self.state, (self._n_rows, self.state["n_columns"])
        checksums: dict[str, Any] = dict(state["checksums"])
        shapes = self._shapes()
        for name, file in self._open.items():
            file.seek(0)
            file.write(npy_header(self._dtypes[name], shapes[name]))
            file.flush()
            os.fsync(file.fileno())
            file.close()
        small = [files.INDPTR] if self._storage == "sparse" else []
        classes = None
        if target is not None:
            classes, target = _coded(target)
            target = np.ascontiguousarray(target)
            order = npy_header(target.dtype, target.shape, by_column=False)
            self._write_small(files.TARGET, order + target.tobytes())
            small.append(files.TARGET)
        if names is not None:
            self._write_small(files.NAMES, json.dumps([str(name) for name in names]).encode())
            small.append(files.NAMES)
        sizes = {}
        for name in (*self._open, *small):
            sizes[name] = (self._folder / name).stat().st_size
        for name in small:
            checksums[name] = _file_checksum(self._folder / name)
        manifest = Manifest(
            storage=self._storage,
            shape=shape,
            dtype=self._dtypes[files.DENSE if self._storage == "dense" else files.DATA].name,
            n_entries=state["n_entries"],
            files=dict(sorted(sizes.items())),
            checksums=dict(sorted(checksums.items())),
            block_starts=[*state["starts"], shape[1]],
            classes=classes,
            **about,
        )
        with atomic_write(self._folder / files.MANIFEST, text=True) as file:
            file.write(manifest.to_json())

    def close(self) -> None:
        """Close the files as they are."""
        for file in self._open.values():
            file.close()

    def _write_small(self, name: str, content: bytes) -> None:
        with atomic_write(self._folder / name) as file:
            file.write(content)


def _coded(target: Array) -> tuple[list[str] | None, Array]:
    """Return labels that are text as a list and numbers in it."""
    if target.dtype.kind not in "OU":
        return None, target
    classes, codes = np.unique(target.astype(str), return_inverse=True)
    return classes.tolist(), codes.astype(np.int64)


def _file_checksum(path: Path) -> int:
    total, n_bytes = 0, current_sizes().store_block_bytes
    with open(path, "rb") as file:
        while part := file.read(n_bytes):
            total = zlib.crc32(part, total)
    return total

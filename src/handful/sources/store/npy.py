"""Npy files of which slices are read and written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
HEADER_BYTES = 128  # of every npy file here, whatever its shape turns out to be


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...], *, by_column: bool = True) -> bytes:
    """Return the header of an npy file, of the same length for all that are written here."""
    order = by_column and len(shape) > 1
    text = repr({"descr": dtype.newbyteorder("<").str, "fortran_order": order, "shape": shape})
    text = text.ljust(HEADER_BYTES - 11) + "\n"
    return np.lib.format.magic(1, 0) + len(text).to_bytes(2, "little") + text.encode()


def save(path: Path, array: Array) -> None:
    """Write an array, column-major if it has two dimensions, and have it on the disk."""
    with open(path, "wb") as file:
        file.write(npy_header(array.dtype, array.shape))
        file.write(np.ascontiguousarray(array.reshape(-1, order="F")).data)
        file.flush()
        os.fsync(file.fileno())


class SavedArray:
    """An array that :func:`save` wrote, of which entries are read as they are wanted.

    Not by memory map, whose pages would count as memory of the process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with open(path, "rb") as file:
            np.lib.format.read_magic(file)
            self.shape, _, self.dtype = np.lib.format.read_array_header_1_0(file)

    def read(self, start: int, stop: int) -> Array:
        """Return the entries start..stop-1, counted column by column."""
        offset = HEADER_BYTES + start * self.dtype.itemsize
        return np.fromfile(self._path, dtype=self.dtype, count=stop - start, offset=offset)

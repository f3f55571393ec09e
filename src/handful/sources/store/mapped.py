"""A ``.npy`` file as an array that is read from the disk as it is looked at."""

from __future__ import annotations

import math
import mmap
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from handful.spaces.base import Array
from handful.validation import store as errors
from handful.validation.npy import read_npy_header

FAR_AHEAD_KB = 2048


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

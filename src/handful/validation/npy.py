"""Arrays of strangers, in npy files and zip archives of them: nothing is made that is larger than the file."""

from __future__ import annotations

import math
import os
import tokenize
import zipfile
from typing import IO, Any, NamedTuple

import numpy as np

from handful.files import open_regular

# What NumPy's parser raises on headers that no NumPy wrote.
_ODD = (
    *(SyntaxError, tokenize.TokenError, TypeError, LookupError, AttributeError, OverflowError),
    *(RecursionError, MemoryError),
)
_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}
MOST_MEMBERS = 2**16


class NpyHeader(NamedTuple):
    """What an array is: numbers, truth values or text, of a shape, by columns or by rows."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]

    @property
    def n_bytes(self) -> int:
        """The size of what follows the header."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(file: IO[bytes]) -> NpyHeader:
    """Read as far as the numbers; ValueError for what is no plain array."""
    try:
        version = np.lib.format.read_magic(file)
        if version not in _READERS:
            raise ValueError("an array of an unknown version")
        shape, by_column, dtype = _READERS[version](file)
    except _ODD as error:
        raise ValueError("an array without a header that can be read") from error
    if dtype.kind not in "biufcSU" or dtype.hasobject:
        raise ValueError(f"an array of {dtype}")
    if any(type(size) is not int or size < 0 for size in shape):
        raise ValueError(f"an array of the shape {shape}")
    return NpyHeader(shape, by_column, dtype)


def read_npy(file: IO[bytes], n_bytes: int) -> np.ndarray:
    """Read an array from a file of so many bytes; ValueError unless these are what it announces."""
    header = read_npy_header(file)
    if header.n_bytes != n_bytes - file.tell():
        raise ValueError("an array whose size is not what its header says")
    return read_npy_numbers(file, header, math.prod(header.shape)).reshape(
        header.shape, order="F" if header.by_column else "C"
    )


def read_npy_numbers(file: IO[bytes], header: NpyHeader, number: int) -> np.ndarray:
    """Read the next numbers of an array; ValueError when there are not so many."""
    raw = np.empty(number * header.dtype.itemsize, dtype=np.uint8)
    place = raw.data
    while place:
        n_read = file.readinto(place)  # type: ignore[attr-defined]
        if not n_read:
            raise ValueError("an array that is cut short")
        place = place[n_read:]
    return raw.view(header.dtype) if raw.size else np.empty(number, dtype=header.dtype)


def check_stored(archive: zipfile.ZipFile, file_size: int) -> None:
    """Raise ValueError for members that are compressed, overlap, are many, or share a name."""
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS:
        raise ValueError(f"it has more than {MOST_MEMBERS} members")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise ValueError("a member is compressed")
    if sum(max(entry.file_size, entry.compress_size) for entry in entries) > file_size:
        raise ValueError("the members are larger than the file")
    if len({entry.filename for entry in entries}) < len(entries):
        raise ValueError("two members have one name")


def read_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read what ``np.savez`` wrote, all of it; ValueError for anything that it does not write."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive:
        check_stored(archive, os.fstat(file.fileno()).st_size)
        arrays = {}
        for entry in archive.infolist():
            with archive.open(entry) as member:
                name = entry.filename.removesuffix(".npy")
                arrays[name] = read_npy(member, entry.file_size)
    return arrays

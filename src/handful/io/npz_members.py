"""The arrays in an npz file: looked at before they are read, and read in pieces or whole."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from handful.files import open_regular
from handful.io.compression import reading
from handful.io.errors import InputError, NoRoomError
from handful.io.room import check_room
from handful.validation.npy import read_npy_header, read_npy_numbers

Array = np.ndarray


class Member:
    """One array, read from its beginning to its end; nothing is unpickled."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        entry = archive.getinfo(f"{name}.npy")
        self._name, self._place = name, archive.filename or name
        self._file = archive.open(entry)
        self._header = read_npy_header(self._file)
        if self._file.tell() + self._header.n_bytes != entry.file_size:
            raise ValueError(f"{name} has not the size that its header says")
        self.shape, self.by_column, self.dtype = self._header

    def read(self, count: int) -> Array:
        """Return the next numbers."""
        return read_npy_numbers(self._file, self._header, count)

    def skip(self, count: int) -> None:
        """Pass over numbers."""
        self._file.seek(count * self.dtype.itemsize, 1)

    def all(self) -> Array:
        """Return the whole array."""
        check_room(self._place, self._header.n_bytes, f"the array {self._name}")
        size = int(np.prod(self.shape, dtype=object))
        return self.read(size).reshape(self.shape, order="F" if self.by_column else "C")


class Arrays(Mapping[str, Array]):
    """All arrays of a file by name, each read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._names = [name.removesuffix(".npy") for name in archive.namelist()]

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        return Member(self.archive, name).all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@contextmanager
def open_npz(path: Path) -> Iterator[Arrays]:
    """Open a file of arrays; turn what goes wrong into one sentence."""
    try:
        with reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield Arrays(archive)
    except (InputError, NoRoomError):
        raise
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise InputError(f"{path} is not a usable npz file ({error})") from error

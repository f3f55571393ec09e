"""Zip archives from strangers: nothing in them may unfold into more than the file itself."""

from __future__ import annotations

import os
import zipfile

import numpy as np

from handful.files import open_regular
from handful.validation.npy import read_npy

MOST_MEMBERS = 2**16


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

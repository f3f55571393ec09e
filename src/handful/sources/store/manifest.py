"""``store.json``: what a store holds, and the checksums of all of it."""

from __future__ import annotations

import itertools
import json
import math
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handful.files import open_regular
from handful.validation import store as errors
from handful.validation.schema import (
    Field,
    check_fields,
    choice,
    count,
    list_of,
    mapping_of,
    one_of,
    parse_json,
    text,
)

MANIFEST = "store.json"
FORMAT = "handful store"
VERSION = 1
INDPTR, INDICES, DATA, DENSE = "indptr.npy", "indices.npy", "data.npy", "dense.npy"
TARGET, NAMES = "y.npy", "feature_names.json"
#: All that a store may consist of beside the manifest.
KNOWN = (INDPTR, INDICES, DATA, DENSE, TARGET, NAMES)
# Ending of the folder in which a conversion works.
UNFINISHED = ".part"


#: Of the manifest itself; a store of petabytes has less.
MOST_BYTES = 2**28
_NAMES = one_of(None, list_of(text))
#: What each field of the manifest must be, beside its format, version and checksum.
SCHEMA = {
    "storage": choice("sparse", "dense"),
    "shape": list_of(count, 2),
    "dtype": choice("float32", "float64"),
    "n_entries": count,
    "files": mapping_of(count, KNOWN),
    "checksums": mapping_of(one_of(count, list_of(count)), KNOWN),
    "block_starts": list_of(count),
    "first_index": count._replace(optional=True),
    "target_name": one_of(None, text)._replace(optional=True),
    "target_names": _NAMES._replace(optional=True),
    "classes": _NAMES._replace(optional=True),
    "extra": Field("an object", lambda value: isinstance(value, dict), optional=True),
}


@dataclass(frozen=True)
class Manifest:
    """What ``store.json`` says.

    Attributes
    ----------
    storage : {"sparse", "dense"}
        ``indptr.npy, indices.npy, data.npy`` of a CSC matrix, or a column-major ``dense.npy``.
    shape : tuple of two int
    dtype : {"float32", "float64"}
    n_entries : int
        Stored numbers.
    files : dict
        Size of each file in bytes, under its name.
    checksums : dict
        CRC-32 of the whole of each small file, and of each block of a large one.
    block_starts : list of int
        The first column of each block, and the number of columns at the end.
    first_index : int
        What the source called its first column.
    target_name, target_names, classes
        Names of the target or of several; the labels that the numbers in ``y.npy`` stand for when
        these are text.
    """

    storage: str
    shape: tuple[int, int]
    dtype: str
    n_entries: int
    files: Mapping[str, int]
    checksums: Mapping[str, Any]
    block_starts: list[int]
    first_index: int = 0
    target_name: str | None = None
    target_names: list[str] | None = None
    classes: list[str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the text of the file; its last entry is the checksum of the others."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json.dumps({**content, "checksum": _checksum(content)}, indent=1) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Read and check ``store.json``: a stranger may have written it."""
    path = folder / MANIFEST
    content = _read(folder, path)
    version = content.pop("version", None)
    if version != VERSION or type(version) is not int:
        raise errors.other_version(path, version, VERSION)
    if content.pop("checksum", None) != _checksum(
        {"format": FORMAT, "version": VERSION, **content}
    ):
        raise errors.unreadable_manifest(path, "its checksum does not fit")
    try:
        check_fields(content, SCHEMA)
        manifest = Manifest(**{**content, "shape": tuple(content["shape"])})
        _check(manifest)
    except ValueError as error:
        raise errors.unreadable_manifest(path, str(error)) from None
    return manifest


def _read(folder: Path, path: Path) -> dict[str, Any]:
    """Return the object that the file holds, if it calls itself a store."""
    try:
        with open_regular(path) as file:
            content_bytes = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        is_unfinished = os.path.isdir(f"{folder}{UNFINISHED}") and not os.path.exists(folder)
        raise errors.not_a_store(folder, is_unfinished) from None
    except OSError as error:
        raise errors.cannot_open(path, error) from error
    if len(content_bytes) > MOST_BYTES:
        raise errors.unreadable_manifest(path, f"it has more than {MOST_BYTES} bytes")
    try:
        content = parse_json(content_bytes)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise errors.unreadable_manifest(path, "it is not a JSON object")
    if content.pop("format", None) != FORMAT:
        raise errors.not_a_store(folder, False)
    return content


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _check(manifest: Manifest) -> None:
    """Raise ValueError when fields that are right by themselves do not belong together."""
    parts = {"sparse": (INDPTR, INDICES, DATA), "dense": (DENSE,)}[manifest.storage]
    if min(manifest.shape) < 1:
        raise ValueError("its shape is no shape")
    if not {*parts} <= {*manifest.files} <= {*parts, TARGET, NAMES}:
        raise ValueError("it does not list the files of a store")
    if {*manifest.checksums} != {*manifest.files}:
        raise ValueError("it does not have checksums for its files")
    if manifest.storage == "dense" and manifest.n_entries != math.prod(manifest.shape):
        raise ValueError("its number of entries is not that of its shape")
    starts = manifest.block_starts
    rising = all(a < b for a, b in itertools.pairwise(starts))
    if not starts or not rising or starts[0] != 0 or starts[-1] != manifest.shape[1]:
        raise ValueError("its blocks do not cover the columns")
    for name, sums in manifest.checksums.items():
        if isinstance(sums, list) != (name in (INDICES, DATA, DENSE)):
            raise ValueError(f"{name} does not have checksums of its kind")
        if isinstance(sums, list) and len(sums) != len(starts) - 1:
            raise ValueError(f"{name} does not have one checksum for each block")

"""``store.json``: what a store holds, and the checksums of all of it."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handful.validation import store as errors

MANIFEST = "store.json"
FORMAT = "handful store"
VERSION = 1
INDPTR, INDICES, DATA, DENSE = "indptr.npy", "indices.npy", "data.npy", "dense.npy"
TARGET, NAMES = "y.npy", "feature_names.json"
#: All that a store may consist of beside the manifest.
KNOWN = (INDPTR, INDICES, DATA, DENSE, TARGET, NAMES)
#: Of the files that are cut into blocks of columns this many bytes (data) make a block.
BLOCK_BYTES = 4 * 2**20
# Ending of the folder in which a conversion works.
UNFINISHED = ".part"


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
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        unfinished = folder.with_name(folder.name + UNFINISHED).is_dir()
        raise errors.not_a_store(folder, unfinished and not folder.exists()) from None
    except UnicodeDecodeError:
        raise errors.unreadable_manifest(path, "it is not text") from None
    except OSError as error:
        raise errors.cannot_open(path, error) from error
    try:
        content = json.loads(text)
        is_ours = content.pop("format", None) == FORMAT
    except (ValueError, AttributeError):
        raise errors.unreadable_manifest(path, "it is not a JSON object") from None
    if not is_ours:
        raise errors.not_a_store(folder, False)
    version = content.pop("version", None)
    if version != VERSION:
        raise errors.other_version(path, version, VERSION)
    if content.pop("checksum", None) != _checksum(
        {"format": FORMAT, "version": VERSION, **content}
    ):
        raise errors.unreadable_manifest(path, "its checksum does not fit")
    try:
        manifest = Manifest(**{**content, "shape": tuple(content["shape"])})
        _check(manifest)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise errors.unreadable_manifest(path, str(error)) from None
    return manifest


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _check(manifest: Manifest) -> None:
    n_rows, n_columns = manifest.shape
    if not all(isinstance(size, int) and size >= 0 for size in (n_rows, n_columns)):
        raise ValueError("its shape is no shape")
    if manifest.dtype not in ("float32", "float64"):
        raise ValueError(f"its dtype is {manifest.dtype!r} and neither float32 nor float64")
    parts = {"sparse": (INDPTR, INDICES, DATA), "dense": (DENSE,)}
    if manifest.storage not in parts:
        raise ValueError(f"its storage is {manifest.storage!r} and neither sparse nor dense")
    if not set(parts[manifest.storage]) <= set(manifest.files) <= set(KNOWN):
        raise ValueError("it does not list the files of a store")
    starts = manifest.block_starts
    rising = all(isinstance(a, int) and a < b for a, b in itertools.pairwise(starts))
    if not rising or starts[0] != 0 or starts[-1] != n_columns:
        raise ValueError("its blocks do not cover the columns")
    for name in manifest.files:
        sums = manifest.checksums[name]
        if isinstance(sums, list) and len(sums) != len(starts) - 1:
            raise ValueError(f"{name} does not have one checksum for each block")

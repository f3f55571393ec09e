"""A zip of named byte strings under a JSON manifest with checksums; read with suspicion.

Members are stored, not compressed: a file can never unfold into more than its own size,
and equal contents make equal files.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

from handful.files import atomic_write, open_regular, reason_of
from handful.io.errors import InputError
from handful.io.opening import check_file, reading
from handful.validation.npy import check_stored
from handful.validation.schema import Field, check_fields, count, mapping_of, parse_json
from handful.validation.schema import text as text_field

MANIFEST = "manifest.json"
DIGEST = "manifest.sha256"
#: Of the manifest: everything but the arrays, which a few hundred kilobytes hold.
MOST_BYTES = 2**25
#: What every manifest has; the rest is the caller's.
SCHEMA = {
    "format": text_field,
    "version": count,
    "members": mapping_of(
        Field(
            "a size and a checksum",
            lambda value: (
                isinstance(value, dict)
                and value.keys() == {"bytes", "sha256"}
                and count.is_right(value["bytes"])
                and text_field.is_right(value["sha256"])
            ),
        )
    ),
}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no clock in the file: equal models make equal bytes
_LOCAL_HEADER = b"PK\x03\x04"
_BROKEN = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    KeyError,
    RuntimeError,  # an encrypted member, an unknown method, JSON nested too deeply
    TypeError,
    ValueError,
    OverflowError,
)


def write_archive(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], members: Mapping[str, bytes]
) -> None:
    """Write the manifest, its checksum and the members; all of the file or none of it."""
    listing = {name: _fingerprint(content) for name, content in members.items()}
    text = json.dumps({**manifest, "members": listing}, indent=1, allow_nan=False).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {MANIFEST: text, DIGEST: digest, **members}.items():
            entry = zipfile.ZipInfo(name, date_time=_EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)


def read_archive(
    path: str | os.PathLike[str], format_name: str, version: int
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read what :func:`write_archive` wrote, or say in one sentence why not.

    The manifest's ``format`` must be this one, and its ``version`` no newer than that which the caller understands.
    """
    file = check_file(path)
    try:
        with reading(path), open_regular(file) as stream:
            # A file that is cut short is told from a stranger's by its first member, the manifest.
            head = stream.read(len(_LOCAL_HEADER) + 26 + len(MANIFEST))
            if not (head.startswith(_LOCAL_HEADER) and head.endswith(MANIFEST.encode())):
                raise InputError(f"{path} is not a {format_name}")
            with zipfile.ZipFile(stream) as archive:
                check_stored(archive, os.fstat(stream.fileno()).st_size)
                manifest = _read_manifest(archive)
                if manifest["format"] != format_name:
                    raise InputError(f"{path} is not a {format_name}")
                if manifest["version"] > version:
                    raise InputError(
                        f"{path} was written by a newer handful (file version "
                        f"{manifest['version']}, this one reads up to {version}); upgrade handful"
                    )
                return manifest, _read_members(archive, manifest["members"])
    except InputError:
        raise
    except _BROKEN as error:
        reason = reason_of(error).strip() or type(error).__name__
        raise InputError(
            f"{path} is a {format_name} that is cut short, damaged or altered ({reason})"
        ) from error


def _fingerprint(content: bytes) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _read_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > MOST_BYTES:
        raise ValueError(f"the manifest has more than {MOST_BYTES} bytes")
    text = archive.read(MANIFEST)
    if hashlib.sha256(text).hexdigest().encode() != archive.read(DIGEST):
        raise ValueError("the checksum of the manifest is wrong")
    manifest: dict[str, Any] = parse_json(text)
    if not isinstance(manifest, dict):
        raise ValueError("the manifest is not a JSON object")
    check_fields({name: manifest[name] for name in SCHEMA if name in manifest}, SCHEMA)
    return manifest


def _read_members(
    archive: zipfile.ZipFile, listing: Mapping[str, Mapping[str, Any]]
) -> dict[str, bytes]:
    if {*archive.namelist()} != {MANIFEST, DIGEST, *listing}:
        odd = {*archive.namelist()} ^ {MANIFEST, DIGEST, *listing}
        raise ValueError(f"{min(odd)} is listed and not there, or there and not listed")
    members = {}
    for name, expected in listing.items():
        if archive.getinfo(name).file_size != expected["bytes"]:
            raise ValueError(f"{name} has the wrong size")
        content = archive.read(name)
        if _fingerprint(content) != expected:
            raise ValueError(f"the checksum of {name} is wrong")
        members[name] = content
    return members

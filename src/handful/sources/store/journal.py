"""What a conversion has finished, so that it can go on after it was killed."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handful.files import OutputError, atomic_write

JOURNAL = "journal.json"
_LOOKED_AT = 2**16  # bytes at either end of a source


@dataclass
class Journal:
    """Finished runs, and how far they have been merged.

    Attributes
    ----------
    job : dict
        The source and the options: another job does not go on here.
    runs : list of dict
        For each run its rows and entries, and the mark after it.
    is_read : bool
        Whether the source has come to its end.
    merged : dict
        The state of the writer; see :class:`handful.sources.store.writer.Writer`.
    """

    folder: Path
    job: Mapping[str, Any]
    runs: list[dict[str, Any]] = field(default_factory=list)
    is_read: bool = False
    merged: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begin_or_resume(cls, folder: Path, job: Mapping[str, Any]) -> Journal:
        """Take up the journal in a folder if it is there and is of the same job; else begin one."""
        plain = _plain(job)
        journal = cls._read(folder)
        if journal is None:
            journal = cls(folder, plain)
            journal.save()  # before any data: what lies beside it is of this job
        if journal.job != plain:
            raise OutputError(
                f"{folder} holds the unfinished conversion of other data or with other options; remove it "
                "or choose another name"
            )
        return journal

    @classmethod
    def is_of(cls, folder: Path, job: Mapping[str, Any]) -> bool:
        """Whether a folder has the journal of this job."""
        try:
            journal = cls._read(folder)
        except OutputError:
            return False
        return journal is not None and journal.job == _plain(job)

    @classmethod
    def _read(cls, folder: Path) -> Journal | None:
        path = folder / JOURNAL
        if not path.is_file():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(folder, found["job"], found["runs"], found["is_read"], found["merged"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutputError(
                f"{path} cannot be read; remove the folder {folder} to begin anew"
            ) from error

    @property
    def mark(self) -> Mapping[str, Any] | None:
        """Where the source goes on."""
        return self.runs[-1]["mark"] if self.runs else None

    @property
    def n_rows(self) -> int:
        """Rows of all runs."""
        return sum(run["n_rows"] for run in self.runs)

    def save(self) -> None:
        """Write the journal; what it speaks of must be on the disk already."""
        content = asdict(self)
        content.pop("folder")
        with atomic_write(self.folder / JOURNAL, text=True) as file:
            json.dump(content, file)


def _plain(job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a job as it reads after it was written."""
    plain: Mapping[str, Any] = json.loads(json.dumps(job))
    return plain


def describe_file(path: Path) -> dict[str, Any]:
    """Return what tells a source file from another, or from itself after it was changed."""
    status = os.stat(path)
    with open(path, "rb") as file:
        ends = file.read(_LOOKED_AT)
        file.seek(max(0, status.st_size - _LOOKED_AT))
        ends += file.read(_LOOKED_AT)
    return {
        "path": str(path.resolve()),
        "bytes": status.st_size,
        "changed": status.st_mtime_ns,
        "ends": zlib.crc32(ends),
    }

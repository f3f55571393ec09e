"""What a conversion has finished, so that it can go on after it was killed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handful.files import OutputError, atomic_write

JOURNAL = "journal.json"


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
        The state of the writer; see :class:`handful.io.store.writer.Writer`.
    """

    folder: Path
    job: Mapping[str, Any]
    runs: list[dict[str, Any]] = field(default_factory=list)
    is_read: bool = False
    merged: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begin_or_resume(cls, folder: Path, job: Mapping[str, Any]) -> Journal:
        """Take up the journal in a folder if it is there and is of the same job."""
        plain = json.loads(json.dumps(job))
        path = folder / JOURNAL
        if not path.exists():
            folder.mkdir(exist_ok=True)
            return cls(folder, plain)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            journal = cls(folder, found["job"], found["runs"], found["is_read"], found["merged"])
        except (ValueError, KeyError, TypeError) as error:
            raise OutputError(
                f"{path} cannot be read; remove the folder {folder} to begin anew"
            ) from error
        if journal.job != plain:
            raise OutputError(
                f"{folder} holds the unfinished conversion of other data or with other options; remove it "
                "or choose another name"
            )
        return journal

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


def describe_file(path: Path) -> dict[str, Any]:
    """Return what tells a source file from another, or from itself after it was changed."""
    status = os.stat(path)
    return {"path": str(path.resolve()), "bytes": status.st_size, "changed": status.st_mtime_ns}

"""The folder in which a conversion works: marked as ours, locked, and cleared of nothing that is not.

Its journal says what is finished, so that the conversion can go on after it was killed.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handful.files import OutputError, atomic_write
from handful.sources.store import manifest as files

#: A folder with this file in it is ours. It is locked while a conversion works there.
MARK = "handful.lock"
JOURNAL = "journal.json"
_LOOKED_AT = 2**16  # bytes at either end of a source
_RUN = re.compile(r"run-\d{5,}-[a-z]+\.npy")
_HALF_WRITTEN = re.compile(r"\.[a-z_]+\.(npy|json)\.[0-9a-f]{12}\.part")


@contextmanager
def workplace(folder: Path) -> Iterator[None]:
    """Make the folder, or take up one that a conversion left; keep other processes out of it.

    A folder in which nothing was written goes away again.

    Raises
    ------
    OutputError
        The folder is not ours, or another process works in it.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        _check_ours(folder)
    try:
        # Opened to be written to: on some network file systems only such a file can be locked.
        mark = open(folder / MARK, "ab")  # noqa: SIM115
    except FileNotFoundError:  # whoever had the folder has just finished
        raise _busy(folder) from None
    with mark:
        _lock(mark.fileno(), folder)
        try:
            yield
        finally:
            # The folder of that name may be another's by now, who came when this one had been renamed.
            if _is_mark_of(mark.fileno(), folder) and os.listdir(folder) == [MARK]:
                remove(folder)


def clear_runs(folder: Path) -> None:
    """Remove what a store does not need, but for the journal and the mark."""
    for path in folder.iterdir():
        if _RUN.fullmatch(path.name) or _HALF_WRITTEN.fullmatch(path.name):
            path.unlink()


def remove(folder: Path) -> None:
    """Remove what a conversion wrote, and the folder unless somebody else put something there."""
    clear_runs(folder)
    for name in (files.MANIFEST, *files.KNOWN, JOURNAL, MARK):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _check_ours(folder: Path) -> None:
    # One look at all there is: between two questions a conversion may finish there and another begin.
    is_ours = False
    try:
        if not folder.is_symlink():
            names = os.listdir(folder)
            is_ours = not names or MARK in names
    except FileNotFoundError:
        raise _busy(folder) from None
    except NotADirectoryError:
        pass
    if not is_ours:
        raise OutputError(
            f"{folder} is where the conversion would work, and is there already without being an "
            "unfinished conversion; move it away or choose another name for the store"
        )


def _busy(folder: Path) -> OutputError:
    return OutputError(
        f"another conversion is at work in {folder}; wait for it or choose another name for the store"
    )


def _lock(handle: int, folder: Path) -> None:
    """Lock the mark until it is closed, by whatever end of the process."""
    try:
        import fcntl
    except ImportError:  # Windows, where the journal alone tells conversions apart
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _busy(folder) from None
    except OSError:  # a file system without locks
        return
    if not _is_mark_of(handle, folder):  # whoever had it has just finished
        raise _busy(folder)


def _is_mark_of(handle: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(folder / MARK))
    except FileNotFoundError:
        return False


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
    return json.loads(json.dumps(job))


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

"""What has been measured of one method on one task, in a file of its own, that a later run takes up.

The name of the file says what it is about: the protocol, the task, the method, and the version of what was
measured. For rivals that is the version of their package and of their settings here; for ours a
fingerprint of the library's sources. Checkouts can share a folder of such files.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

LIBRARY = ("handful",)  # cells of methods of this package are known by a fingerprint of its sources
#: Counted up when tasks, splits or the judge change: nothing measured before counts then.
PROTOCOL = 1


@dataclass
class Measured:
    """One k on one split."""

    score: float
    own: float | None
    kept: int
    seconds: float
    wall: float


@dataclass
class Cell:
    """One method on one task: ``scores[k][split]``, and for which k there is no more to come, and why.

    ``limits`` are the time limits under which these k were tried: with a larger one they are tried again.
    ``at`` is what a process is working on, so that it is known when it ends there.
    """

    task: str
    method: str
    version: str
    found: dict[str, dict[str, Measured]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    at: tuple[str, str] | None = None
    path: Path | None = None

    def save(self) -> None:
        """Write the file anew; nobody sees half of it."""
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(f".{os.getpid()}.part")  # another run may be at it too
        part.write_text(json.dumps(self.as_dict()))
        part.replace(self.path)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it but where it is kept."""
        return {key: value for key, value in asdict(self).items() if key != "path"}

    def fail(self, k: str, why: str, limit: float) -> None:
        """Note that this k is not to be had, whatever splits it has."""
        self.failed[k], self.limits[k] = why, limit
        self.at = None

    def is_given_up(self, k: str, limit: float) -> bool:
        """Whether this k has failed and a larger limit of time would not help."""
        why = self.failed.get(k)
        return why is not None and not (why.startswith(">") and limit > self.limits[k])

    def is_done(self, counts: list[str], splits: int, limit: float) -> bool:
        """Whether nothing is left to measure."""
        return all(
            self.is_given_up(k, limit) or len(self.found.get(k, {})) >= splits for k in counts
        )


def read(path: Path) -> Cell | None:
    """Read a cell, or None where there is none."""
    if not path.exists():
        return None
    content: dict[str, Any] = json.loads(path.read_text())
    content["found"] = {
        k: {split: Measured(**one) for split, one in every.items()}
        for k, every in content["found"].items()
    }
    return Cell(**content, path=path)


@cache
def fingerprint(package: Path) -> str:
    """Return a short hash of all sources below a folder."""
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


class Versioned(Protocol):
    """A method whose cells are kept: packages and revision say when what was measured no longer counts."""

    name: str
    packages: tuple[str, ...]
    revision: int


def version_of(method: Versioned) -> str:
    """Say which version of a method is measured."""
    if method.packages == LIBRARY:
        import handful

        assert handful.__file__ is not None
        return fingerprint(Path(handful.__file__).parent)
    versions = []
    for package in method.packages:
        try:
            versions.append(importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError:
            versions.append(package)  # a commit, or not installed
    return "-".join([*versions, f"r{method.revision}"])


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-")


def place(folder: Path, task: str, method: Versioned) -> Path:
    """Return where a cell is kept."""
    name = f"{_slug(method.name)}@{version_of(method)}.json"
    return folder / f"protocol-{PROTOCOL}" / _slug(task) / name


def open_cell(folder: Path, task: str, method: Versioned) -> Cell:
    """Read what is known of a method on a task, or begin."""
    path = place(folder, task, method)
    return read(path) or Cell(task, method.name, version_of(method), path=path)

"""Sections of ``benchmarks/scale.py``: data on disk, on a cluster, on a GPU, and how cost grows.

A section is a module here with ``run(console, settings) -> Outcome``. It is imported when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.targets import Target

SECTIONS = ("store", "dask", "device", "growth")


class NotHereError(Exception):
    """What a section needs is not on this machine; the message says what."""


@dataclass(frozen=True)
class Settings:
    """What all sections are told.

    Attributes
    ----------
    quick : bool
        Small sizes, to see that it runs; the figures mean nothing.
    folder : Path
        Where files of some gigabytes may go for a while.
    """

    quick: bool
    folder: Path


@dataclass(frozen=True)
class Outcome:
    """What a section measured, and which targets it meets."""

    figures: dict[str, Any]
    targets: list[Target] = field(default_factory=list)

"""Sections of ``benchmarks/scale.py``: data on disk, on a cluster, on a GPU, and how cost grows.

A section is a module here with ``measure(run, folder)``, which prints, adds its targets and returns its figures; files
of some gigabytes may go to the folder for a while. It is imported when it is asked for.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.measure import timed
from harness.study import Options, Run

SECTIONS = ("store", "dask", "device", "growth")
Section = Callable[[Run, Path], dict[str, Any]]


class NotHereError(Exception):
    """What a section needs is not on this machine; the message says what."""


def median_seconds(
    work: Callable[[], Any], runs: int, wait: Callable[[], None] = lambda: None
) -> float:
    """Return the median of several runs; ``wait`` returns when nothing is under way any more."""

    def to_its_end() -> None:
        work()
        wait()

    taken = []
    for _ in range(runs):
        wait()
        taken.append(timed(to_its_end)[1])
    return statistics.median(taken)


def alone(section: Section, doc: str | None) -> None:
    """Run one section by itself, as ``python -m harness.scale.device`` does."""
    options = Options(doc, data=False, quick="small sizes, to see that it runs")
    run = Run(options.parse(), width=140, tell_system=False)
    with tempfile.TemporaryDirectory() as folder:
        run.report.add(figures=section(run, Path(folder)))
    run.finish()

"""Scores of rivals that are kept in the repository: who has not installed them can still rank against them.

A file with a line for each task and method, ``[score, features kept, processor seconds]`` of each split under each k. It
stands in for cells that were not measured here, whatever version of the rival is installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from harness.cells import Cell, Measured

DIGITS_OF_SCORE, DIGITS_OF_SECONDS = 12, 3  # means that are equal must stay so


def write(path: Path, cells: Iterable[Cell]) -> None:
    """Write cells to a file, in place of those of the same task and method that it has."""
    kept = {(one["task"], one["method"]): one for one in _read(path)} if path.exists() else {}
    kept.update({(cell.task, cell.method): _as_line(cell) for cell in cells})
    lines = (json.dumps(kept[about]) for about in sorted(kept))
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    _read.cache_clear()


def find(path: Path | None, task: str, method: str) -> Cell | None:
    """Return the stored cell of a method on a task, if there is one."""
    if path is None or not path.exists():
        return None
    for line in _read(path):
        if (line["task"], line["method"]) == (task, method):
            return _as_cell(line)
    return None


def _as_line(cell: Cell) -> dict[str, Any]:
    def figures(one: Measured) -> list[float]:
        return [round(one.score, DIGITS_OF_SCORE), one.kept, round(one.seconds, DIGITS_OF_SECONDS)]

    found = {
        k: {split: figures(one) for split, one in splits.items()}
        for k, splits in cell.found.items()
    }
    about = {"task": cell.task, "method": cell.method, "version": cell.version}
    return {**about, "found": found, "failed": cell.failed, "limits": cell.limits}


def _as_cell(line: dict[str, Any]) -> Cell:
    found = {
        k: {
            split: Measured(score, None, kept, seconds, seconds)
            for split, (score, kept, seconds) in splits.items()
        }
        for k, splits in line["found"].items()
    }
    return Cell(**{**line, "found": found})


@cache
def _read(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text()))

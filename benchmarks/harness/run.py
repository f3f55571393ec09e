"""Runs the cells of one data set after another and keeps their rows."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console

from .cell import run_cell
from .data import BUILDERS, CACHE, MissingDataError, Source
from .peers import FLOOR
from .problem import Ids, Problem, read_problem, write_problem
from .refit import Score, score
from .rows import Row
from .tables import print_rows


@dataclass
class Bench:
    """What to run, and the rows so far; ``missing`` names the data sets that could not be had."""

    source: Source
    methods: list[str]
    ks: list[int]
    repeat: int
    timeout: float
    console: Console
    rows: list[Row] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def run_dataset(self, name: str) -> None:
        """Make the data, measure every cell, print the table."""
        try:
            problem = BUILDERS[name](self.source)
        except MissingDataError as reason:
            self.missing[name] = str(reason)
            self.console.print(f"{name}: not run, {reason}")
            return
        title = f"{name}: {problem.describe()}"
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            folder = Path(scratch)
            write_problem(problem, folder)
            problem = read_problem(folder, name)  # lets go of the copy in memory
            rows = self._run_cells(problem, folder)
        self.rows += rows
        print_rows(self.console, title, rows)

    def _cells(self, problem: Problem) -> list[tuple[str, int]]:
        ks = [k for k in sorted(self.ks) if k < problem.X.shape[1]]
        cells = [(method, k) for k in ks for method in self.methods if method != FLOOR]
        return cells + [(FLOOR, 0)] * (FLOOR in self.methods)

    def _run_cells(self, problem: Problem, folder: Path) -> list[Row]:
        rows: list[Row] = []
        scores: dict[Any, Score] = {}
        too_slow: dict[str, str] = {}
        for method, k in self._cells(problem):
            if method in too_slow:  # a larger k takes no less time
                rows.append(Row(problem.name, method, k, too_slow[method]))
                continue
            with self.console.status(f"{problem.name}, k = {k}: {method}"):
                answer = run_cell(folder, method, k, repeat=self.repeat, timeout=self.timeout)
                row = make_row(problem, method, k, answer, scores)
            self._say(row)
            if row.status.startswith(">"):
                too_slow[method] = f"{row.status} at k = {k}"
            rows.append(row)
        return rows

    def _say(self, row: Row) -> None:
        """Leave a line per cell in a log file; a terminal shows the cell at work instead."""
        if not self.console.is_terminal:
            seconds = "" if row.seconds is None else f", {row.seconds:.3f} s"
            self.console.print(f"{row.dataset}, k = {row.k}, {row.method}: {row.status}{seconds}")


def active_bytes(problem: Problem, ids: Ids, active: int | None) -> float | None:
    """Estimate the size of the active columns: all as long as those that were kept."""
    if active is None:
        return None
    rows, item = problem.X.shape[0], problem.X.dtype.itemsize
    if not sp.issparse(problem.X):
        return float(active * rows * item)
    per_value = item + problem.X.indices.itemsize
    return float(active * problem.X[:, ids].nnz / len(ids) * per_value)


def make_row(
    problem: Problem, method: str, k: int, answer: dict[str, Any], scores: dict[Any, Score]
) -> Row:
    """Judge the ids of one answer; equal ids are judged once."""
    if answer["status"] != "ok":
        return Row(problem.name, method, k, answer["status"])
    measured = {key: answer[key] for key in ("seconds", "extra_bytes", "fits", "rounds")}
    ids = np.asarray(answer["ids"], dtype=np.int64)
    if not len(ids):
        return Row(problem.name, method, k, "ok" if method == FLOOR else "nothing kept", **measured)
    key = tuple(answer["ids"])
    if key not in scores:
        scores[key] = score(problem, ids)
    rows, columns = problem.X.shape
    models = 1 if problem.n_classes == 2 else problem.n_classes
    return Row(
        dataset=problem.name,
        method=method,
        k=k,
        status="ok",
        kept=len(ids),
        accuracy=scores[key].accuracy,
        f1=scores[key].f1,
        true_found=None if problem.truth is None else int(np.isin(ids, problem.truth).sum()),
        refit_c=scores[key].C,
        active_bytes=active_bytes(problem, ids, answer["active"]),
        rows_and_columns=rows * models + columns,
        warnings=tuple(answer["warnings"]),
        **measured,
    )

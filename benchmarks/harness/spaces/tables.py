"""The tables of the benchmark: data, methods and judge of each, and how one is measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from harness.data import CACHE, MissingDataError, Source
from harness.problem import Ids, Matrix, Problem, read_problem, write_problem
from harness.refit import GRID, score
from harness.rows import Row
from harness.tables import print_rows

from . import data
from .cell import FAMILIES, run_space_cell
from .methods import EXPANSION

Columns = Callable[[Matrix, Ids], Matrix]
# A thousand columns of noise and signal want a small C, and large ones take minutes a fit.
SMALL_C = tuple(C for C in GRID if C <= 0.1)


def pair_columns(X: Matrix, ids: Ids) -> Matrix:
    """Columns of pairs, by the numbering of ``Polynomial`` and ``PolynomialFeatures`` alike."""
    from handful.spaces import Polynomial

    return Polynomial().on(X).columns(ids)


def group_columns(X: Matrix, ids: Ids) -> Matrix:
    features = ids[:, None] * data.GROUP_SIZE + np.arange(data.GROUP_SIZE)
    return np.ascontiguousarray(X[:, features.ravel()], dtype=np.float64)


@dataclass(frozen=True)
class Table:
    """One data set and what is tried on it.

    ``columns`` makes the columns of the ids found, which are then judged by the refit of
    ``harness/refit.py``; without it a model is judged as it is.
    """

    family: str
    build: Callable[[Source], Problem]
    ks: tuple[int, ...]
    quick_ks: tuple[int, ...]
    columns: Columns | None = None
    grid: tuple[float, ...] = GRID


TABLES: dict[str, Table] = {
    "pairs-unigrams": Table("pairs", partial(data.text, longest=1), (20,), (10,)),
    "pairs-bigrams": Table("pairs", partial(data.text, longest=2), (20,), (10,)),
    "mnist": Table("mnist", data.mnist, (10, 25, 50, 100, 200, 500), (10, 50), pair_columns),
    "groups-20000": Table(
        "groups", partial(data.grouped, n_groups=2000), (50, 100), (10,), group_columns, SMALL_C
    ),
    "groups-400000": Table(
        "groups", partial(data.grouped, n_groups=40_000), (50, 100), (10,), group_columns, SMALL_C
    ),
    "additive-a9a": Table("additive", data.adult, (10, 25, 50), (10,)),
    "additive-semeion": Table("additive", data.semeion, (10, 25, 50), (10,)),
    "additive-isolet": Table("additive", data.isolet, (10, 25, 50), (10,)),
    "additive-mnist": Table("additive", data.mnist, (10, 25, 50), (10,)),
}


@dataclass
class Bench:
    """Runs tables and keeps their rows; ``missing`` names the data sets that could not be had."""

    source: Source
    ks: tuple[int, ...] | None
    methods: tuple[str, ...] | None
    repeat: int
    timeout: float
    console: Console
    rows: list[Row] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def run(self, name: str) -> None:
        """Make the data, measure every cell, print the table."""
        table = TABLES[name]
        try:
            problem = table.build(self.source)
        except MissingDataError as reason:
            self.missing[name] = str(reason)
            self.console.print(f"{name}: not run, {reason}")
            return
        title = f"{name}: {problem.describe()}"
        if EXPANSION in FAMILIES[table.family]:
            self.console.print(f"{name}: {data.expansion_cost(problem.X)}")
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            write_problem(problem, Path(scratch))
            problem = read_problem(Path(scratch), name)  # lets go of the copy in memory
            rows = self._run_cells(table, problem, Path(scratch))
        self.rows += rows
        print_rows(self.console, title, rows)

    def _cells(self, table: Table) -> list[tuple[str, int]]:
        ks = sorted(self.ks or (table.quick_ks if self.source.quick else table.ks))
        methods = [m for m in FAMILIES[table.family] if not self.methods or m in self.methods]
        cells = [(method, k) for k in ks for method in methods if method != EXPANSION]
        return cells + [(EXPANSION, 0)] * (EXPANSION in methods)

    def _run_cells(self, table: Table, problem: Problem, folder: Path) -> list[Row]:
        rows: list[Row] = []
        too_slow: dict[str, str] = {}
        for method, k in self._cells(table):
            if method in too_slow:  # a larger k takes no less time
                rows.append(Row(problem.name, method, k, too_slow[method]))
                continue
            with self.console.status(f"{problem.name}, k = {k}: {method}"):
                answer = run_space_cell(
                    folder, table.family, method, k, repeat=self.repeat, timeout=self.timeout
                )
                row = make_row(table, problem, method, k, answer)
            self._say(row, answer)
            if row.status.startswith(">"):
                too_slow[method] = row.status
            rows.append(row)
        return rows

    def _say(self, row: Row, answer: dict[str, Any]) -> None:
        """Leave a line per cell in a log file, and what a failed one said."""
        if not self.console.is_terminal:
            seconds = "" if row.seconds is None else f", {row.seconds:.3f} s"
            self.console.print(f"{row.dataset}, k = {row.k}, {row.method}: {row.status}{seconds}")
        if row.status.startswith(("failed", "died", "out of memory")):
            last = answer.get("error", "").strip().splitlines()[-1:]
            self.console.print(*last, markup=False, highlight=False)


def make_row(table: Table, problem: Problem, method: str, k: int, answer: dict[str, Any]) -> Row:
    """Judge what one cell found."""
    if answer["status"] != "ok":
        return Row(problem.name, method, k, answer["status"])
    ids = np.asarray(answer["ids"], dtype=np.int64)
    if not len(ids) and method != EXPANSION:
        return Row(problem.name, method, k, "nothing kept")
    measured = {key: answer[key] for key in ("seconds", "extra_bytes", "fits", "rounds")}
    accuracy, f1, refit_c = answer["accuracy"], None, None
    if table.columns is not None and len(ids):
        X, X_test = table.columns(problem.X, ids), table.columns(problem.X_test, ids)
        small = Problem(problem.name, X, problem.y, X_test, problem.y_test)
        judged = score(small, np.arange(X.shape[1]), table.grid)
        accuracy, f1, refit_c = judged.accuracy, judged.f1, judged.C
    return Row(
        dataset=problem.name,
        method=method,
        k=k,
        status="ok",
        kept=len(ids),
        accuracy=accuracy,
        f1=f1,
        true_found=None if problem.truth is None else int(np.isin(ids, problem.truth).sum()),
        refit_c=refit_c,
        warnings=tuple(answer["warnings"]),
        **measured,
    )

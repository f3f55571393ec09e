"""Tables of selectors: one data set, some methods, some k; every selection judged in the same way.

A cell loads, warms up on a corner of the data, and fits under a time limit, in a process of its own. The data lie in
files meanwhile, so that neither they nor the judge are in that process twice.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .child import Answer, limited
from .data import CACHE, Source
from .measure import measure
from .peers import FLOOR, OURS, Array, Call, Selection
from .problem import Ids, Matrix, Problem, read_problem, read_train, tiny, write_problem
from .refit import GRID, Score, score
from .study import Run, Study, Texts, as_row, shown

Method = Callable[[Matrix, Array, int], Call]
Columns = Callable[[Matrix, Ids], Matrix]
WARM_UP_K = 5


@dataclass(frozen=True)
class Row:
    """One method at one k on one data set; ``status`` is "ok" or says what went wrong."""

    dataset: str
    method: str
    k: int
    status: str
    kept: int | None = None
    accuracy: float | None = None
    f1: float | None = None
    true_found: int | None = None
    seconds: float | None = None
    extra_bytes: int | None = None
    fits: int | None = None
    rounds: int | None = None
    active_bytes: float | None = None
    rows_and_columns: int | None = None
    refit_c: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are figures."""
        return self.status == "ok"


def find(rows: list[Row], dataset: str, method: str, k: int) -> Row | None:
    """Find the finished row of that cell, or None."""
    place = (dataset, method, k)
    return next((r for r in rows if r.ok and (r.dataset, r.method, r.k) == place), None)


@dataclass(frozen=True)
class Table:
    """One data set and what is tried on it; ``family`` names its methods in :func:`families`.

    ``columns`` makes the columns of the ids found, which are then judged by the refit of ``refit.py``;
    without it a model is judged as it is. ``once`` is a method that does not depend on k, run last.
    """

    family: str
    build: Callable[[Source], Problem]
    ks: tuple[int, ...]
    columns: Columns | None
    once: str
    grid: tuple[float, ...] = GRID
    about: Callable[[Matrix], str] | None = None


def families() -> dict[str, dict[str, Method]]:
    """All methods, by the tables that they stand in."""
    from . import groups, peers, spaces

    return {**peers.FAMILIES, **spaces.FAMILIES, **groups.FAMILIES}


# ------------------------------------------------------------------- one cell


def cell(folder: Path, family: str, method: str, k: int, repeat: int, timeout: float) -> Answer:
    """Select once, or a few times if that is quick, and say what was found and what it took."""
    X, y = read_train(folder)
    prepare = families()[family][method]
    prepare(*tiny(X, y), WARM_UP_K)()
    call = prepare(X, y, k)

    def timed() -> Selection:
        with limited(timeout):
            return call()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = measure(timed, repeat)
    found, test = result.value, read_problem(folder, "")
    has_test = found.model is not None and len(test.y_test)
    return {
        "status": "ok",
        "seconds": result.seconds,
        "extra_bytes": result.extra_bytes,
        "ids": found.ids.tolist(),
        "fits": found.fits,
        "rounds": found.rounds,
        "active": found.active,
        "objective": found.objective,
        "accuracy": float(found.model.score(test.X_test, test.y_test)) if has_test else None,
        "warnings": sorted({w.category.__name__ for w in caught}),
    }


# ------------------------------------------------------------------ one table


def measure_table(
    study: Study[Row], name: str, table: Table, methods: list[str], ks: Iterable[int]
) -> None:
    """Make the data, measure every cell, print the table."""
    run = study.run
    problem = run.had(name, table.build)
    if problem is None:
        return
    title = f"{name}: {problem.describe()}"
    if table.about is not None:
        run.console.print(f"{name}: {table.about(problem.X)}")
    allowed = [k for k in sorted(ks) if k < problem.X.shape[1]]
    cells = [(method, k) for k in allowed for method in methods if method != table.once]
    cells += [(table.once, 0)] * (table.once in methods)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        write_problem(problem, Path(scratch))
        problem = read_problem(Path(scratch), name)  # lets go of the copy in memory
        rows = _measure_cells(study, table, problem, Path(scratch), cells)
    run.report.add(missing=run.missing)
    show_rows(run, title, rows)


def _measure_cells(
    study: Study[Row], table: Table, problem: Problem, folder: Path, cells: list[tuple[str, int]]
) -> list[Row]:
    rows: list[Row] = []
    judge = _Judge(study.run, table, problem)
    too_slow: dict[str, str] = {}
    for method, k in cells:
        place = {"dataset": problem.name, "method": method, "k": k}
        if method in too_slow:  # a larger k takes no less time
            study.drop(*study.known(**place))
            study.add(Row(**place, status=too_slow[method]))
            rows.append(study.rows[-1])
            continue
        what = {"folder": folder, "family": table.family, "method": method, "k": k}
        make = partial(judge.rows, place)
        rows += study.cell(place, cell, make, repeat=study.run.given.repeat, **what)
        if rows[-1].status.startswith(">"):
            too_slow[method] = f"{rows[-1].status.split(' at')[0]} at k = {k}"
    return rows


@dataclass
class _Judge:
    """Judges what cells found; equal ids are judged once."""

    run: Run
    table: Table
    problem: Problem
    scores: dict[Any, Score] = field(default_factory=dict)

    def rows(self, place: dict[str, Any], answer: Answer) -> list[Row]:
        """Make the row of a cell, leave a line for it, and what a failed one said."""
        ids = np.asarray(answer.get("ids", ()), dtype=np.int64)
        found, nothing = {}, place["method"] != self.table.once and answer["status"] == "ok"
        if len(ids):
            found = self._figures(ids, answer)
        elif nothing:
            answer["status"] = "nothing kept"
        row = as_row(Row, {**answer, "accuracy": None, "warnings": (), **found}, **place)
        seconds = "" if row.seconds is None else f", {row.seconds:.3f} s"
        self.run.log(f"{row.dataset}, k = {row.k}, {row.method}: {row.status}{seconds}")
        if row.status.startswith(("failed", "died", "out of memory")):
            self.run.log("".join(answer.get("error", "").strip().splitlines()[-1:]))
        return [row]

    def _figures(self, ids: Ids, answer: Answer) -> dict[str, Any]:
        problem, columns, key = self.problem, self.table.columns, tuple(answer["ids"])
        if columns is not None and key not in self.scores:
            X, X_test = columns(problem.X, ids), columns(problem.X_test, ids)
            grid = self.table.grid
            self.scores[key] = score(X, problem.y, X_test, problem.y_test, grid)
        of = self.scores.get(key) or Score(answer["accuracy"], None, None)
        n_rows, n_columns = problem.X.shape
        models = 1 if problem.n_classes == 2 else problem.n_classes
        truth = problem.truth
        return {
            "kept": len(ids),
            "accuracy": of.accuracy,
            "f1": of.f1,
            "refit_c": of.C,
            "true_found": None if truth is None else int(np.isin(ids, truth).sum()),
            "active_bytes": self._active_bytes(ids, answer["active"]),
            "rows_and_columns": n_rows * models + n_columns,
            "warnings": tuple(answer["warnings"]),
        }

    def _active_bytes(self, ids: Ids, active: int | None) -> float | None:
        """Estimate the size of the active columns: all as long as those that were kept."""
        if active is None:
            return None
        X = self.problem.X
        if not sp.issparse(X):
            return float(active * X.shape[0] * X.dtype.itemsize)
        per_value = X.dtype.itemsize + X.indices.itemsize
        return float(active * X[:, ids].nnz / len(ids) * per_value)


def floor_seconds(rows: list[Row], dataset: str) -> float | None:
    """Seconds of one pass over the data, where they were measured."""
    found = [r.seconds for r in rows if (r.dataset, r.method) == (dataset, FLOOR) and r.seconds]
    return min(found, default=None)


def show_rows(run: Run, title: str, rows: list[Row]) -> None:
    """Print every row, with a line between one k and the next."""
    figures = (
        "kept",
        "accuracy",
        "F1",
        "true",
        "seconds",
        "/ ours",
        "/ floor",
        "extra MiB",
        "fits",
    )
    lines: list[Texts] = []
    for row, before in zip(rows, [None, *rows], strict=False):
        if before is not None and before.k != row.k:
            lines.append(None)
        lines.append(_texts(row, rows))
    run.show(title, ("k", "method", *figures), lines, left=2)


def _texts(row: Row, rows: list[Row]) -> list[str]:
    if not row.ok:
        return [str(row.k), row.method, *[""] * 4, row.status, *[""] * 4]
    ours, floor = find(rows, row.dataset, OURS, row.k), floor_seconds(rows, row.dataset)
    to_ours = row.seconds / ours.seconds if ours and ours.seconds and row.seconds else None
    to_floor = row.seconds / (row.rounds * floor) if floor and row.rounds and row.seconds else None
    memory = None if row.extra_bytes is None else row.extra_bytes / 2**20
    figures = (
        *((row.kept, "d"), (row.accuracy, ".4f"), (row.f1, ".4f"), (row.true_found, "d")),
        *((row.seconds, ".3f"), (to_ours, ".1f"), (to_floor, ".2f"), (memory, ",.0f")),
        (row.fits, "d"),
    )
    return [str(row.k) if row.k else "", row.method, *(shown(*figure) for figure in figures)]

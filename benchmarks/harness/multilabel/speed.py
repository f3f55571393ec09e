"""Seconds of one selection at the sizes of real sets, ours against peers; ``python -m harness.multilabel.speed``."""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from handful import GreedyRLSClassifier, MultiTaskLassoInf
from harness.cell import answer_parent, run_child
from harness.data import MissingDataError, Source
from harness.growth import Growth
from harness.problem import Matrix

from .cell import corner
from .data import load
from .methods import ABESS, FASTCAN, INF, L2, OURS, dense, lasso_of, not_constant

Array = NDArray[Any]
RLSCORE, PAPER_ALGORITHM = "RLScore", "the paper's algorithm in NumPy"
FASTCAN_ETA = "FastCan, eta"  # the same correlations, of rows rotated into fewer
# Products of features, labels and steps with samples above which RLScore is slow.
MANY_PRODUCTS = 1e10
GROWTH_LABELS = (1, 10, 100, 983)
ALPHA = 1.0


@dataclass(frozen=True)
class Cell:
    """A set (None: drawn at random with this shape), and how many features to select."""

    dataset: str | None
    k: int
    shape: tuple[int, int, int]  # rows, features, labels


CELLS = {
    "scene": Cell("scene", 100, (2407, 294, 6)),
    "wide": Cell(None, 50, (2000, 5000, 10)),
    "delicious": Cell("delicious", 100, (16105, 500, 983)),
    "tmc2007_500": Cell("tmc2007_500", 200, (28596, 500, 22)),
}


@dataclass(frozen=True)
class Timing:
    """Seconds of one method on one cell; None when ``status`` says why not."""

    cell: str
    method: str
    status: str
    seconds: float | None = None
    projected: bool = False


def _greedy(X: Matrix, Y: Array, k: int) -> None:
    GreedyRLSClassifier(k, alpha=ALPHA).fit(X, Y)


def _rlscore(X: Matrix, Y: Array, k: int) -> None:
    from rlscore.learner import GreedyRLS

    GreedyRLS(dense(X), Y, k, regparam=ALPHA)


def _paper(X: Matrix, Y: Array, k: int) -> None:
    """Algorithm 3 of the paper: every candidate meets every label in every step."""
    X = dense(X)
    G, C, A = np.full(len(X), 1 / ALPHA), X / ALPHA, Y / ALPHA
    left = list(range(X.shape[1]))
    for _ in range(k):
        errors = []
        for i in left:
            u = C[:, i] / (1 + X[:, i] @ C[:, i])
            rest = A - np.outer(u, X[:, i] @ A)
            errors.append(np.sum((rest / (G - u * C[:, i])[:, None]) ** 2))
        i = left.pop(int(np.argmin(errors)))
        u = C[:, i] / (1 + X[:, i] @ C[:, i])
        A, G, C = A - np.outer(u, X[:, i] @ A), G - u * C[:, i], C - np.outer(u, X[:, i] @ C)


def _fastcan(X: Matrix, Y: Array, k: int, *, eta: bool = False) -> None:
    from fastcan import FastCan

    FastCan(n_features_to_select=k, eta=eta, verbose=0).fit(dense(X), Y)


def _abess(X: Matrix, Y: Array, k: int) -> None:
    from abess import MultiTaskRegression

    varied = not_constant(X)
    MultiTaskRegression(support_size=min(k, len(varied))).fit(dense(X)[:, varied], Y)


def _lasso_inf(X: Matrix, Y: Array, k: int) -> None:
    MultiTaskLassoInf(n_features_to_select=k, tol=1e-5).fit(X, Y)


def _lasso_l2(X: Matrix, Y: Array, k: int) -> None:
    lasso_of(dense(X), Y, k)


CALLS: dict[str, Callable[[Matrix, Array, int], None]] = {
    OURS: _greedy,
    RLSCORE: _rlscore,
    PAPER_ALGORITHM: _paper,
    FASTCAN: _fastcan,
    FASTCAN_ETA: partial(_fastcan, eta=True),
    ABESS: _abess,
    INF: _lasso_inf,
    L2: _lasso_l2,
}
#: Other packages that add features one by one; abess, which exchanges them, is told apart.
GREEDY_PEERS = (RLSCORE, FASTCAN, FASTCAN_ETA)


def is_projected(method: str, X: Matrix, Y: Array, k: int) -> bool:
    """Whether only the first step is run."""
    is_slow = float(X.shape[0]) * X.shape[1] * Y.shape[1] * k > MANY_PRODUCTS
    return method == PAPER_ALGORITHM or (method == RLSCORE and is_slow)


def projected_seconds(
    call: Callable[[Matrix, Array, int], None], X: Matrix, Y: Array, k: int
) -> float:
    """Processor seconds of k steps, from those of none and of one.

    A step tries every feature that is left, so step s takes ``(d - s) / d`` of the first. Long steps of one
    thread may run beside other work: what counts is their own time.
    """
    taken = []
    for steps in (0, 0, 1):  # the very first call also asks the system for memory
        started = time.process_time()
        call(X, Y, steps)
        taken.append(time.process_time() - started)
    _, preparation, with_one = taken
    n_features = X.shape[1]
    steps = sum(n_features - step for step in range(k)) / n_features
    return preparation + steps * (with_one - preparation)


def matrices(cell: Cell, source: Source, n_labels: int | None) -> tuple[Matrix, Array]:
    """Return the data of a cell, with labels repeated or left out if another number is asked for."""
    if cell.dataset is None:
        rng = np.random.default_rng(source.seed)
        rows, features, labels = cell.shape
        X: Matrix = rng.standard_normal((rows, features))
        noise = rng.standard_normal((rows, labels))
        Y = np.where(X[:, : cell.k] @ rng.standard_normal((cell.k, labels)) + noise > 0, 1.0, -1.0)
    else:
        data = load(cell.dataset, source)
        X, Y = data.X, data.Y
    return X, Y if n_labels is None else Y[:, np.arange(n_labels) % Y.shape[1]]


def time_cell(
    source: Source, cell: str, method: str, timeout: float, n_labels: int | None = None
) -> Timing:
    """Time one method in a process of its own."""
    quick = ["--quick"] if source.quick else []
    labels = [] if n_labels is None else ["--labels", str(n_labels)]
    arguments = [*quick, *labels, str(source.data), cell, method, str(timeout)]
    answer = run_child("harness.multilabel.speed", arguments, timeout)
    if answer["status"] != "ok":
        return Timing(cell, method, answer["status"])
    return Timing(cell, method, "ok", answer["seconds"], answer["projected"])


def run_speed(
    console: Console, source: Source, cells: list[str], methods: list[str], timeout: float
) -> list[Timing]:
    """Time every method on every cell and print a table."""
    timings = []
    table = Table(
        title="seconds of one selection; * of the processor, projected from the first step"
    )
    for heading in ("cell", "rows, features, labels, k", *methods):
        table.add_column(heading, justify="left" if heading == "cell" else "right")
    for name in cells:
        cell, texts = CELLS[name], []
        for method in methods:
            timing = time_cell(source, name, method, timeout)
            timings.append(timing)
            mark = "*" if timing.projected else ""
            texts.append(timing.status if timing.seconds is None else f"{timing.seconds:.2f}{mark}")
        table.add_row(name, ", ".join(map(str, (*cell.shape, cell.k))), *texts)
    console.print(table)
    return timings


def run_growth(console: Console, source: Source, timeout: float) -> Growth:
    """Time ours on delicious with fewer labels."""
    wanted = GROWTH_LABELS[:3] if source.quick else GROWTH_LABELS
    found = [time_cell(source, "delicious", OURS, timeout, n).seconds for n in wanted]
    growth = Growth(list(wanted), found)
    texts = [
        f"{n}: {'?' if s is None else f'{s:.2f} s'}" for n, s in zip(wanted, found, strict=True)
    ]
    slope = "unknown" if growth.slope is None else f"{growth.slope:.2f}"
    console.print(f"ours on delicious by labels: {', '.join(texts)}; slope {slope}")
    return growth


def _child(given: argparse.Namespace) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    source = Source(given.data, quick=given.quick)
    try:
        X, Y = matrices(CELLS[given.cell], source, given.labels)
    except MissingDataError as missing:
        return {"status": str(missing)}
    call, k = CALLS[given.method], min(CELLS[given.cell].k, X.shape[1])
    call(*corner(X, Y), 2)
    projected = is_projected(given.method, X, Y, k)
    signal.setitimer(signal.ITIMER_REAL, given.timeout)
    started = time.perf_counter()
    if projected:
        seconds = projected_seconds(call, X, Y, k)
    else:
        call(X, Y, k)
        seconds = time.perf_counter() - started
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"status": "ok", "seconds": seconds, "projected": projected}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--labels", type=int)
    parser.add_argument("data", type=Path)
    parser.add_argument("cell")
    parser.add_argument("method")
    parser.add_argument("timeout", type=float)
    answer_parent(parser, _child)


if __name__ == "__main__":
    main()

"""What is measured of many labels: seven figures on each fold, and seconds of one selection."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from handful import GreedyRLSClassifier, MultiTaskLassoInf, metrics

from . import labels
from .child import Answer, ask, limited
from .data import MissingDataError, Source
from .growth import Growth
from .labels import ABESS, FASTCAN, INF, L2, METHODS, OURS, dense, load
from .measure import timed
from .peers import Array
from .problem import Matrix
from .study import Run, as_row

#: Measures of the predicted sets, and of the order of the labels; True: the higher the better.
OF_SETS = {"zero_one_loss": False, "hamming_loss": False, "multilabel_accuracy": True}
OF_RANKS = {"one_error": False, "coverage": False, "ranking_loss": False, "macro_auc": True}
MEASURES = {**OF_SETS, **OF_RANKS}
WARM_UP_ROWS, WARM_UP_COLUMNS, WARM_UP_LABELS, WARM_UP_K = 200, 20, 3, 2


def judge(Y: Array, scores: Array) -> dict[str, float]:
    """Return all seven measures; a label is predicted where its score is above 0."""
    found = {name: getattr(metrics, name)(Y, np.where(scores > 0, 1, -1)) for name in OF_SETS}
    return found | {name: getattr(metrics, name)(Y, scores) for name in OF_RANKS}


def corner(X: Matrix, Y: Array) -> tuple[Matrix, Array]:
    """Cut a corner of the data, of the same type, to warm up compilers."""
    frequent = np.argsort(-(Y > 0).sum(axis=0))[:WARM_UP_LABELS]
    columns = np.arange(min(WARM_UP_COLUMNS, X.shape[1]))
    return X[:WARM_UP_ROWS][:, columns], Y[:WARM_UP_ROWS][:, np.sort(frequent)]


def cell(
    source: Source,
    dataset: str,
    method: str,
    k: int,
    n_alphas: int | None,
    n_folds: int | None,
    timeout: float,
) -> Answer:
    """One method, one set, one budget, all folds; a row for each of its titles."""
    X, Y = load(dataset, source)
    grid = labels.alphas(n_alphas or labels.PLANS[dataset].n_alphas)
    METHODS[method](*corner(X, Y), WARM_UP_K, grid[::10])
    rows: dict[str, Answer] = {
        title: {"values": {name: [] for name in MEASURES}, "kept": [], "seconds": []}
        for title in labels.titles(method)
    }
    with limited(timeout):
        for fold in islice(labels.folds(dataset, X, Y, source), n_folds):
            model, seconds = timed(partial(METHODS[method], fold.X, fold.y, k, grid))
            for number, row in enumerate(rows.values()):
                if number:  # the same features, with a ridge of their own
                    refit = partial(labels.ridge, fold.X, fold.y, model.ids, grid)
                    model, more = timed(refit)
                    seconds += more
                row["seconds"].append(seconds)
                row["kept"].append(len(model.ids))
                for name, value in judge(fold.y_test, model.scores(fold.X_test)).items():
                    row["values"][name].append(value)
    return {"status": "ok", "rows": rows}


# -------------------------------------------------------- seconds of one selection

RLSCORE, PAPER_ALGORITHM = "RLScore", "the paper's algorithm in NumPy"
FASTCAN_ETA = "FastCan, eta"  # the same correlations, of rows rotated into fewer
# Products of features, labels and steps with samples above which RLScore is slow.
MANY_PRODUCTS = 1e10
GROWTH_LABELS = (1, 10, 100, 983)
ALPHA = 1.0


@dataclass(frozen=True)
class Size:
    """A set (None: drawn at random with this shape), and how many features to select."""

    dataset: str | None
    k: int
    shape: tuple[int, int, int]  # rows, features, labels


CELLS = {
    "scene": Size("scene", 100, (2407, 294, 6)),
    "wide": Size(None, 50, (2000, 5000, 10)),
    "delicious": Size("delicious", 100, (16105, 500, 983)),
    "tmc2007_500": Size("tmc2007_500", 200, (28596, 500, 22)),
}


@dataclass(frozen=True)
class Timing:
    """Seconds of one method on one cell; None when ``status`` says why not."""

    cell: str
    method: str
    status: str
    seconds: float | None = None
    projected: bool = False


def _rlscore(X: Matrix, Y: Array, k: int) -> None:
    from rlscore.learner import GreedyRLS

    GreedyRLS(dense(X), Y, k, regparam=ALPHA)


def by_hand(X: Matrix, Y: Array, k: int) -> tuple[list[int], list[float]]:
    """Algorithm 3 of the paper: every candidate meets every label in every step; what it chooses, and its errors."""
    X = dense(X)
    G, C, A = np.full(len(X), 1 / ALPHA), X / ALPHA, Y / ALPHA
    left, chosen, least = list(range(X.shape[1])), [], []
    for _ in range(k):
        errors = []
        for i in left:
            u = C[:, i] / (1 + X[:, i] @ C[:, i])
            rest = A - np.outer(u, X[:, i] @ A)
            errors.append(float(np.mean((rest / (G - u * C[:, i])[:, None]) ** 2)))
        least.append(min(errors))
        i = left.pop(errors.index(least[-1]))
        chosen.append(i)
        u = C[:, i] / (1 + X[:, i] @ C[:, i])
        A, G, C = A - np.outer(u, X[:, i] @ A), G - u * C[:, i], C - np.outer(u, X[:, i] @ C)
    return chosen, least


CALLS: dict[str, Callable[[Matrix, Array, int], Any]] = {
    OURS: lambda X, Y, k: GreedyRLSClassifier(k, alpha=ALPHA).fit(X, Y),
    RLSCORE: _rlscore,
    PAPER_ALGORITHM: by_hand,
    FASTCAN: partial(labels.fastcan, eta=False),
    FASTCAN_ETA: partial(labels.fastcan, eta=True),
    ABESS: labels.abess_model,
    INF: lambda X, Y, k: MultiTaskLassoInf(n_features_to_select=k, tol=1e-5).fit(X, Y),
    L2: lambda X, Y, k: labels.lasso_of(dense(X), Y, k),
}
#: Other packages that add features one by one; abess, which exchanges them, is told apart.
GREEDY_PEERS = (RLSCORE, FASTCAN, FASTCAN_ETA)


def is_projected(method: str, X: Matrix, Y: Array, k: int) -> bool:
    """Whether only the first step is run."""
    is_slow = float(X.shape[0]) * X.shape[1] * Y.shape[1] * k > MANY_PRODUCTS
    return method == PAPER_ALGORITHM or (method == RLSCORE and is_slow)


def projected_seconds(
    call: Callable[[Matrix, Array, int], Any], X: Matrix, Y: Array, k: int
) -> float:
    """Processor seconds of k steps, from those of none and of one.

    A step tries every feature that is left, so step s takes ``(d - s) / d`` of the first. Long steps of one
    thread may run beside other work: what counts is their own time.
    """
    # The very first call also asks the system for memory.
    taken = [timed(partial(call, X, Y, steps), time.process_time)[1] for steps in (0, 0, 1)]
    _, preparation, with_one = taken
    n_features = X.shape[1]
    steps = sum(n_features - step for step in range(k)) / n_features
    return preparation + steps * (with_one - preparation)


def matrices(size: Size, source: Source, n_labels: int | None) -> tuple[Matrix, Array]:
    """Return the data of a cell, with labels repeated or left out if another number is asked for."""
    if size.dataset is None:
        rng = np.random.default_rng(source.seed)
        rows, features, labels = size.shape
        X: Matrix = rng.standard_normal((rows, features))
        noise = rng.standard_normal((rows, labels))
        Y = np.where(X[:, : size.k] @ rng.standard_normal((size.k, labels)) + noise > 0, 1.0, -1.0)
    else:
        X, Y = load(size.dataset, source)
    return X, Y if n_labels is None else Y[:, np.arange(n_labels) % Y.shape[1]]


def time_cell(source: Source, cell: str, method: str, labels: int | None, timeout: float) -> Answer:
    """Time one method, or what its steps would take together."""
    try:
        X, Y = matrices(CELLS[cell], Source(source.data, quick=source.quick), labels)
    except MissingDataError as missing:
        return {"status": str(missing)}
    call, k = CALLS[method], min(CELLS[cell].k, X.shape[1])
    call(*corner(X, Y), 2)
    projected = is_projected(method, X, Y, k)
    with limited(timeout):
        once = projected_seconds if projected else _seconds
        seconds = once(call, X, Y, k)
    return {"status": "ok", "seconds": seconds, "projected": projected}


def _seconds(call: Callable[[Matrix, Array, int], Any], X: Matrix, Y: Array, k: int) -> float:
    return timed(lambda: call(X, Y, k))[1]


def time_one(run: Run, cell: str, method: str, labels: int | None = None) -> Timing:
    """Time one method in a process of its own."""
    place = {"cell": cell, "method": method}
    answer = ask(time_cell, run.given.timeout, source=run.source, labels=labels, **place)
    return as_row(Timing, answer, **place)


def run_speed(run: Run, methods: list[str]) -> list[Timing]:
    """Time every method on every cell and print a table."""
    timings, texts = [], []
    for name in run.given.cells:
        row = [name, ", ".join(map(str, (*CELLS[name].shape, CELLS[name].k)))]
        for method in methods:
            one = time_one(run, name, method)
            timings.append(one)
            mark = "*" if one.projected else ""
            row.append(one.status if one.seconds is None else f"{one.seconds:.2f}{mark}")
        texts.append(row)
    title = "seconds of one selection; * of the processor, projected from the first step"
    run.show(title, ("cell", "rows, features, labels, k", *methods), texts)
    run.report.add(timings=[asdict(timing) for timing in timings])
    return timings


def run_growth(run: Run) -> Growth:
    """Time ours on delicious with fewer labels."""
    wanted = GROWTH_LABELS[:3] if run.given.quick else GROWTH_LABELS
    growth = Growth(list(wanted), [time_one(run, "delicious", OURS, n).seconds for n in wanted])
    pairs = zip(growth.sizes, growth.seconds, strict=True)
    texts = [f"{n}: {'?' if s is None else f'{s:.2f} s'}" for n, s in pairs]
    run.console.print(f"ours on delicious by labels: {', '.join(texts)}; slope {growth.told}")
    run.report.add(growth={**asdict(growth), "slope": growth.slope})
    return growth

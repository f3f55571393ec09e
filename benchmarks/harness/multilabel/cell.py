"""One method, one set, one budget, all folds, in a process of its own: ``python -m harness.multilabel.cell``."""

from __future__ import annotations

import argparse
import signal
import time
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import metrics
from harness.cell import answer_parent, run_child
from harness.data import Source
from harness.problem import Matrix

from .data import PLANS, Fold, alphas, folds, load
from .methods import METHODS, WITH_MODEL, Model, ridge, titles

#: Measures of the predicted sets, and of the order of the labels; True: the higher the better.
OF_SETS = {"zero_one_loss": False, "hamming_loss": False, "multilabel_accuracy": True}
OF_RANKS = {"one_error": False, "coverage": False, "ranking_loss": False, "macro_auc": True}
MEASURES = {**OF_SETS, **OF_RANKS}
WARM_UP_ROWS, WARM_UP_COLUMNS, WARM_UP_LABELS, WARM_UP_K = 200, 20, 3, 2


def run_label_cell(
    source: Source,
    dataset: str,
    method: str,
    k: int,
    *,
    n_alphas: int | None,
    n_folds: int | None,
    timeout: float,
) -> dict[str, Any]:
    """Answer of the child, or a dictionary whose ``status`` says why there is none."""
    quick = ["--quick"] if source.quick else []
    grid = [] if n_alphas is None else ["--alphas", str(n_alphas)]
    first = [] if n_folds is None else ["--folds", str(n_folds)]
    seed = ["--seed", str(source.seed)]
    arguments = [
        *quick,
        *grid,
        *first,
        *seed,
        str(source.data),
        dataset,
        method,
        str(k),
        str(timeout),
    ]
    return run_child("harness.multilabel.cell", arguments, timeout)


def judge(Y: NDArray[Any], scores: NDArray[Any]) -> dict[str, float]:
    """Return all seven measures; a label is predicted where its score is above 0."""
    found = {name: getattr(metrics, name)(Y, np.where(scores > 0, 1, -1)) for name in OF_SETS}
    return found | {name: getattr(metrics, name)(Y, scores) for name in OF_RANKS}


def corner(X: Matrix, Y: NDArray[Any]) -> tuple[Matrix, NDArray[Any]]:
    """Cut a corner of the data, of the same type, to warm up compilers."""
    frequent = np.argsort(-(Y > 0).sum(axis=0))[:WARM_UP_LABELS]
    columns = np.arange(min(WARM_UP_COLUMNS, X.shape[1]))
    return X[:WARM_UP_ROWS][:, columns], Y[:WARM_UP_ROWS][:, np.sort(frequent)]


def models(method: str, fold: Fold, k: int, grid: NDArray[Any]) -> Iterator[tuple[Model, float]]:
    """Yield the model of each row that the method fills, and the seconds it took."""
    started = time.perf_counter()
    model = METHODS[method](fold.X, fold.Y, k, grid)
    yield model, (selection := time.perf_counter() - started)
    if method in WITH_MODEL:
        started = time.perf_counter()
        model = ridge(fold.X, fold.Y, model.ids, grid)
        yield model, selection + time.perf_counter() - started


def _child(given: argparse.Namespace) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    source = Source(given.data, given.seed, given.quick)
    data = load(given.dataset, source)
    grid = alphas(given.alphas or PLANS[given.dataset].n_alphas)
    METHODS[given.method](*corner(data.X, data.Y), WARM_UP_K, grid[::10])
    signal.setitimer(signal.ITIMER_REAL, given.timeout)
    rows: dict[str, dict[str, Any]] = {
        title: {"values": {name: [] for name in MEASURES}, "kept": [], "seconds": []}
        for title in titles(given.method)
    }
    for fold in islice(folds(data, source), given.folds):
        found = models(given.method, fold, given.k, grid)
        for row, (model, seconds) in zip(rows.values(), found, strict=True):
            row["kept"].append(len(model.ids))
            row["seconds"].append(seconds)
            for name, value in judge(fold.Y_test, model.scores(fold.X_test)).items():
                row["values"][name].append(value)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"status": "ok", "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--alphas", type=int)
    parser.add_argument("--folds", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("data", type=Path)
    parser.add_argument("dataset")
    parser.add_argument("method")
    parser.add_argument("k", type=int)
    parser.add_argument("timeout", type=float)
    answer_parent(parser, _child)


if __name__ == "__main__":
    main()

"""The data sets of the benchmark of spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from handful.datasets import make_grouped_linear
from harness.data import MissingDataError, Source, a9a, newsgroups
from harness.problem import Problem

GROUP_SIZE = 10
TRUE_GROUPS = 100
QUICK_ROWS = 1500


def text(source: Source, longest: int) -> Problem:
    """20 newsgroups as words, or as words and word pairs."""
    problem = newsgroups(source, longest)
    return _fewer_rows(problem) if source.quick else problem


def mnist(source: Source) -> Problem:
    """Threes against eights, dense, grey levels from 0 to 1."""
    stored = np.load(source.file("mnist/mnist_3v8.npz"))
    parts = []
    for part in ("train", "test"):
        parts += [stored[f"X_{part}"] / 255.0, np.where(stored[f"y_{part}"] == 3, 1, -1)]
    problem = Problem("mnist", *parts)
    return _fewer_rows(problem) if source.quick else problem


def grouped(source: Source, n_groups: int) -> Problem:
    """The paper's sets for group selection; ``truth`` holds groups, not features."""
    n_rows, n_true = (512, 10) if source.quick else (4096, TRUE_GROUPS)
    n_groups = min(n_groups, 100) if source.quick else n_groups
    # Training and test rows here, and rivals that want a copy in another order.
    needed = 2 * 4 * (n_rows + 2000) * n_groups * GROUP_SIZE
    if needed > psutil.virtual_memory().available:
        raise MissingDataError(f"needs about {needed / 2**30:.0f} GiB of free memory")
    made = make_grouped_linear(
        n_rows, n_groups, GROUP_SIZE, n_true, dtype=np.float32, random_state=source.seed
    )
    return Problem("groups", made.X_train, made.y_train, made.X_test, made.y_test, made.true_groups)


def adult(source: Source) -> Problem:
    """a9a: every entry is 0 or 1, so a function of one column is linear in it."""
    return a9a(source)


def semeion(source: Source) -> Problem:
    """Handwritten digits in 256 pixels that are 0 or 1, ten classes."""
    stored = np.load(source.file("multiclass/semeion.npz"))
    return _split("semeion", stored["X"].astype(np.float64), stored["y"], source.seed)


def isolet(source: Source) -> Problem:
    """Spoken letters, 26 classes; values from 0 to 1, the fifth group of speakers for the test."""
    stored = np.load(source.file("multiclass/isolet_full_x1e4.npz"))
    X, y = (stored["X"] * 1e-4 + 1) / 2, stored["y"].astype(np.int64)
    train = stored["speaker_group"] < 5
    return Problem("isolet", np.maximum(X[train], 0), y[train], np.maximum(X[~train], 0), y[~train])


def expansion_cost(X: Any) -> str:
    """Say what writing down all products of two columns would take."""
    m = X.shape[1]
    per_row = np.diff(X.indptr) if sp.issparse(X) else np.count_nonzero(X, axis=1)
    products = float((per_row * (per_row + 3) / 2).sum())
    features = m * (m + 3) // 2
    return (
        f"{features:,} features; written down: {products:,.0f} products that are not zero, "
        f"{16 * products / 2**30:,.1f} GiB sparse, {8 * features * X.shape[0] / 2**30:,.0f} GiB "
        f"dense; a weight for each feature: {8 * features / 2**30:,.1f} GiB"
    )


def _fewer_rows(problem: Problem) -> Problem:
    rows = slice(QUICK_ROWS)
    return Problem(problem.name, problem.X[rows], problem.y[rows], problem.X_test, problem.y_test)


def _split(name: str, X: NDArray[Any], y: NDArray[Any], seed: int) -> Problem:
    X_train, X_test, y_train, y_test = train_test_split(
        X, y.astype(np.int64), test_size=0.3, random_state=seed, stratify=y
    )
    return Problem(name, X_train, y_train, X_test, y_test)

"""One benchmark problem, and how it lies on disk between the processes that measure it.

Every measurement runs in a fresh process (see ``child.py``), which reads the training part from a
folder of plain ``.npy`` files. Nothing is forked after loading: OpenMP run-times may hang in a
child of a process that already used threads.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

Matrix = Any  # numpy array or scipy CSR matrix
Ids = NDArray[np.int64]
WARM_UP_ROWS, WARM_UP_COLUMNS = 400, 100


@dataclass(frozen=True)
class Problem:
    """Training and test part of one data set; ``truth`` holds the informative ids if known."""

    name: str
    X: Matrix
    y: NDArray[Any]
    X_test: Matrix
    y_test: NDArray[Any]
    truth: Ids | None = None

    def of_label(self, name: str, column: int) -> Problem:
        """Return one label of many against the rest."""
        y, y_test = self.y[:, column], self.y_test[:, column]
        return Problem(name, self.X, y, self.X_test, y_test)

    @property
    def n_classes(self) -> int:
        """Number of different labels."""
        return len(np.unique(self.y))

    def describe(self) -> str:
        """Say size, type and kind in one line."""
        rows, columns = self.X.shape
        kind = f"sparse, {self.X.nnz:,} stored values" if sp.issparse(self.X) else "dense"
        return f"{rows:,} x {columns:,} {self.X.dtype} {kind}, {self.n_classes} classes"


def write_matrix(folder: Path, stem: str, matrix: Matrix) -> None:
    if sp.issparse(matrix):
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"{stem}.{part}.npy", getattr(matrix, part))
        (folder / f"{stem}.shape.json").write_text(json.dumps([int(s) for s in matrix.shape]))
    else:
        np.save(folder / f"{stem}.npy", matrix)


def read_matrix(folder: Path, stem: str, *, mmap: bool = False) -> Matrix:
    mode: Literal["r"] | None = "r" if mmap else None
    shape_file = folder / f"{stem}.shape.json"
    if not shape_file.exists():
        return np.load(folder / f"{stem}.npy", mmap_mode=mode)
    parts = (
        np.load(folder / f"{stem}.{p}.npy", mmap_mode=mode) for p in ("data", "indices", "indptr")
    )
    return sp.csr_matrix(tuple(parts), shape=tuple(json.loads(shape_file.read_text())))


def write_problem(problem: Problem, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_matrix(folder, "X", problem.X)
    write_matrix(folder, "X_test", problem.X_test)
    np.save(folder / "y.npy", problem.y)
    np.save(folder / "y_test.npy", problem.y_test)
    if problem.truth is not None:
        np.save(folder / "truth.npy", problem.truth)


def read_problem(folder: Path, name: str) -> Problem:
    """Read the problem with its matrices mapped, not copied into memory."""
    truth = folder / "truth.npy"
    return Problem(
        name=name,
        X=read_matrix(folder, "X", mmap=True),
        y=np.load(folder / "y.npy"),
        X_test=read_matrix(folder, "X_test", mmap=True),
        y_test=np.load(folder / "y_test.npy"),
        truth=np.load(truth) if truth.exists() else None,
    )


def read_train(folder: Path) -> tuple[Matrix, NDArray[Any]]:
    """Read the training part fully into memory."""
    return read_matrix(folder, "X"), np.load(folder / "y.npy")


def tiny(X: Matrix, y: NDArray[Any]) -> tuple[Matrix, NDArray[Any]]:
    """Cut a corner of the data, of the same type and with every class, to warm up compilers."""
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:WARM_UP_ROWS])
    for label in np.unique(y):  # a rare class may have been missed
        rows = np.union1d(rows, np.flatnonzero(y == label)[:10])
    if not sp.issparse(X):
        return np.ascontiguousarray(X[:, :WARM_UP_COLUMNS][rows]), y[rows]
    part = X[rows]
    counts = np.bincount(part.indices, minlength=X.shape[1])
    return part[:, np.sort(np.argsort(-counts)[:WARM_UP_COLUMNS])], y[rows]


def scaled(X: Matrix, X_test: Matrix, y: Any, y_test: Any) -> tuple[Any, Any, Any, Any]:
    """Scale columns to mean 0 and deviation 1 on the training rows; return X, y, X_test and y_test."""
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test

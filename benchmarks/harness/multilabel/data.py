"""The multi-label sets, their folds and their budgets of features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from harness.data import Source
from harness.problem import Matrix

Array = NDArray[Any]
#: Shares of the features that the paper calls low, med and high.
SHARES = {"low": 0.10, "med": 0.45, "high": 0.80}
FEWEST_POSITIVES = {"CAL500": 41}  # the paper keeps labels with more than 40 samples
QUICK_ROWS, QUICK_FOLDS = 600, 2


@dataclass(frozen=True)
class Plan:
    """How a set is judged: folds, budgets by name, and how many alphas the ridges choose from."""

    folds: int
    budgets: dict[str, int] | None = None  # None: the paper's shares
    n_alphas: int = 31


PLANS = {
    "emotions": Plan(10),
    "scene": Plan(10),
    "yeast": Plan(10),
    "medical": Plan(10, n_alphas=7),
    "CAL500": Plan(10),
    "corel5k": Plan(5, n_alphas=7),
    "tmc2007_500": Plan(5, {"50": 50}, n_alphas=7),
    "delicious": Plan(5, {"100": 100}, n_alphas=7),
}


@dataclass(frozen=True)
class Labelled:
    """Samples with sets of labels; Y holds -1 and 1."""

    name: str
    X: Matrix
    Y: Array


@dataclass(frozen=True)
class Fold:
    """Training and test rows; dense columns have the training rows' mean 0 and deviation 1."""

    X: Matrix
    Y: Array
    X_test: Matrix
    Y_test: Array


def alphas(count: int) -> Array:
    """Return the paper's grid from 2^-15 to 2^15, or fewer of the same range."""
    return 2.0 ** np.linspace(-15, 15, count)


def budgets(name: str, n_features: int) -> dict[str, int]:
    """Return the numbers of features to keep, by the names of the paper's columns."""
    own = PLANS[name].budgets
    if own is not None:
        return {title: min(k, n_features) for title, k in own.items()}
    return {title: max(1, round(share * n_features)) for title, share in SHARES.items()}


def load(name: str, source: Source) -> Labelled:
    """Read a set, as a whole: the folds take no notice of its own split."""
    with np.load(source.file(f"multilabel/{name}.npz")) as stored:
        if "X" in stored:
            X: Matrix = stored["X"].astype(np.float64)
        else:
            parts = [stored[f"X_{part}"] for part in ("data", "indices", "indptr")]
            kinds = (np.float64, np.int32, np.int32)
            typed = tuple(part.astype(kind) for part, kind in zip(parts, kinds, strict=True))
            X = sp.csr_array(typed, shape=tuple(stored["X_shape"]))
        labels = stored["Y"] > 0
    labels = labels[:, labels.sum(axis=0) >= FEWEST_POSITIVES.get(name, 1)]
    if source.quick:
        rows = np.sort(np.random.default_rng(source.seed).permutation(len(labels))[:QUICK_ROWS])
        X, labels = X[rows], labels[rows]
    return Labelled(name, X, np.where(labels, 1.0, -1.0))


def folds(data: Labelled, source: Source) -> Iterator[Fold]:
    """Yield the folds, the same for every method."""
    count = QUICK_FOLDS if source.quick else PLANS[data.name].folds
    for train, test in KFold(count, shuffle=True, random_state=source.seed).split(data.X):
        X, X_test = data.X[train], data.X[test]
        if not sp.issparse(X):
            scaler = StandardScaler().fit(X)
            X, X_test = scaler.transform(X), scaler.transform(X_test)
        yield Fold(X, data.Y[train], X_test, data.Y[test])

"""What a way to select is, to the panel: something done once on a split, then something for each k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_selection import f_classif, f_regression

from harness.problem import Ids, Matrix

Array = NDArray[Any]
MOST_DENSE_COLUMNS = 5000


class NotForThisTaskError(Exception):
    """The method has no form for quantities, or none for classes."""


@dataclass(frozen=True)
class Data:
    """The training rows of one split, and the numbers of features that will be asked for."""

    X: Matrix
    y: Array
    is_numbers: bool
    counts: tuple[int, ...]

    @property
    def n_classes(self) -> int:
        """Number of different labels."""
        return len(np.unique(self.y))

    @property
    def most(self) -> int:
        """The largest k, within the columns there are."""
        return min(max(self.counts), self.X.shape[1])

    def f_statistics(self) -> Array:
        """F of every column by itself; 0 where a column is constant."""
        statistic = f_regression if self.is_numbers else f_classif
        found = np.nan_to_num(statistic(self.X, self.y)[0], posinf=np.finfo(float).max)
        return np.asarray(found)

    def dense(self) -> tuple[Array, Ids]:
        """Return X for methods that want it dense, and which columns these are.

        Of a sparse matrix with very many columns those with the highest F: all of them would not fit.
        """
        ids = np.arange(self.X.shape[1])
        if not sp.issparse(self.X):
            return self.X, ids
        if len(ids) > MOST_DENSE_COLUMNS:
            ids = np.sort(np.argsort(-self.f_statistics(), kind="stable")[:MOST_DENSE_COLUMNS])
        return self.X[:, ids].toarray(), ids

    def targets(self) -> Array:
        """Return y as columns: itself, a sign for two classes, or an indicator of each class."""
        if self.is_numbers:
            return self.y[:, None]
        if self.n_classes == 2:
            return np.where(self.y == self.y.max(), 1.0, -1.0)[:, None]
        return (self.y[:, None] == np.unique(self.y)).astype(float)


@dataclass(frozen=True)
class Chosen:
    """At most k ids, and the predictions of the method's own model where it has one."""

    ids: Array
    predict: Callable[[Matrix], Array] | None = None


def _nothing(data: Data) -> None:
    return None


@dataclass(frozen=True)
class Method:
    """A way to select: ``select(data, prepared, k)``, after ``prepare(data)`` once on each split.

    ``packages`` and ``revision`` say when what was measured before no longer counts; ``grows`` says that
    a larger k takes no less time, so that it need not be tried where a smaller one took too long.
    """

    name: str
    select: Callable[[Data, Any, int], Chosen]
    prepare: Callable[[Data], Any] = _nothing
    packages: tuple[str, ...] = ("scikit-learn",)
    revision: int = 1
    grows: bool = True


def best_first(scores: Array, most: int) -> Array:
    """Ids of the highest scores above zero, the highest first."""
    order = np.argsort(-scores, kind="stable")[:most]
    return order[scores[order] > 0]


def ranking(name: str, rank: Callable[[Data], Array], **about: Any) -> Method:
    """Make a method of one that puts the features in order once: its first k."""
    return Method(name, lambda data, order, k: Chosen(order[:k]), rank, **about)

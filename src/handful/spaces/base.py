"""What a feature space must provide, and what explicit matrices share."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from handful.kernels.column_squares import sums_of_squares
from handful.kernels.top import top_k
from handful.sizes import current_sizes, slices
from handful.spaces.columns import Array, Columns, Unit, scaled, unit_factors
from handful.validation.spaces import space_without_data

Known = TypeVar("Known")
NO_IDS = np.empty(0, dtype=np.int64)
PROBES = 64
FEW_ENTRIES = 250_000  # numbers made at a time that are soon forgotten: they stay in the cache


class FeatureSpace(ABC):
    """A set of features that can name its best ones for a vector and hand over a few columns.

    A space never sees the targets. Feature ids are int64; the features need not exist in memory.
    A feature may be several columns that are selected together (a group, or one input under a
    kernel): :meth:`widths` says how many.

    A space whose features are made from X is written as one class with :meth:`on` and
    :meth:`columns`, and used as ``FGMClassifier(space=MySpace())``.

    Attributes
    ----------
    n_samples, n_features : int
    dtype : dtype of the data
    n_threads : int
        How many threads :meth:`top` may use.
    mean_width : float
        Columns of a typical feature.
    ignores_sign : bool
        Whether the features are the same for X and -X.
    takes_strings : bool
        Whether the rows of X are strings.
    column_unit : {None, "norm", "std"}
        What was made one of every column.
    tell : callable
        Is called with a line for each step of what takes long.
    active_kind : type or None
        What holds its active columns, if not :class:`~handful.spaces.ActiveColumns`.
    """

    n_samples: int
    n_features: int
    dtype: np.dtype[Any]
    n_threads: int = 1
    mean_width: float = 1.0
    ignores_sign: bool = False
    takes_strings: bool = False
    column_unit: Unit | None = None
    tell: Callable[[str], Any] = staticmethod(lambda news: None)
    active_kind: type[Any] | None = None

    def on(self, X: Any) -> FeatureSpace:
        """Return the space of these features on the rows of X (an ndarray, CSR or CSC matrix)."""
        raise TypeError(f"{type(self).__name__} cannot be put on other data.")

    def sized(self, n_columns: int) -> FeatureSpace:
        """Return the space as it is on rows of so many columns: to ask for names, widths and numbers."""
        return self.on(np.zeros((1, n_columns)))

    def remembering(self, bound: FeatureSpace, ids: Array) -> FeatureSpace:
        """Return a space that makes the columns of ids from other rows as ``bound`` did.

        ``bound`` is what :meth:`on` gave for the training data. A space that learns nothing from
        X is such a space already.
        """
        return self

    def _there(self, what: Known | None) -> Known:
        """Return what a space has on data, or after a fit; ValueError where it has it not."""
        if what is None:
            raise space_without_data(self)
        return what

    def state(self) -> dict[str, Array]:
        """Return what :meth:`remembering` has kept, as plain arrays: with it a model can be saved."""
        return {}

    def restore(self, state: Mapping[str, Array]) -> FeatureSpace:
        """Return a space of these parameters that has kept what :meth:`state` gave; not asked where that is nothing.

        The arrays may come from a stranger's file: ValueError or KeyError when they do not fit.
        """
        raise ValueError(f"{type(self).__name__} learns nothing that could be restored")

    def inputs(self, ids: Array) -> Array | None:
        """Return the columns of X that features are made from, ascending; None if that may be all of them."""
        return None

    def narrowed(self, ids: Array, inputs: Array) -> tuple[FeatureSpace, Array]:
        """Return a space of the same features, and their ids, for rows that have only the columns ``inputs``.

        For a space that has :meth:`inputs`; what :meth:`remembering` has kept is kept.
        """
        raise TypeError(f"{type(self).__name__} needs all columns.")

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        """Find the k features with the largest scores ``sum over outputs of |x_j' a|^2``.

        This general way makes all columns once, a block at a time.

        Parameters
        ----------
        a : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        k : int
        exclude : ndarray of int64, optional
            Ids to pass over.

        Returns
        -------
        ids : ndarray of int64
            Best first, ties to the lower id; only features with a positive score.
        scores : ndarray of float64
        """
        a = as_columns(a)
        step = max(1, int(current_sizes().block_entries / (self.n_samples * self.mean_width)))
        ids, scores = NO_IDS, np.empty(0)
        for part in slices(self.n_features, step):
            block = np.arange(part.start, part.stop, dtype=np.int64)
            dots = np.asarray(self.columns(block).T @ a)
            squares = sum_runs(np.einsum("jk,jk->j", dots, dots), self.widths(block))
            ids, scores = best_of(
                np.concatenate([ids, block]), np.concatenate([scores, squares]), k, exclude
            )
        return ids, scores

    @property
    def search_work(self) -> float:
        """About how many multiplications :meth:`top` takes for one output."""
        return float(self.n_samples) * float(self.n_features) * self.mean_width

    def in_memory(self) -> FeatureSpace:
        """Return these features with their data in this process, by column if sparse: for many looks at few numbers."""
        return self

    @abstractmethod
    def columns(self, ids: Array) -> Columns:
        """Return the columns in the order of ids, float64: the only data a solver touches."""

    def widths(self, ids: Array) -> Array:
        """Return how many columns each of ids has."""
        return np.ones(len(ids), dtype=np.int64)

    def centred_squares(self, weight: Array, *, centred: bool) -> tuple[Array, Array]:
        """Return the sums of squares of all columns, and those about their means if ``centred``.

        For features of one column each.
        """
        squares, centred_squares = np.empty(self.n_features), np.empty(self.n_features)
        for part in slices(self.n_features, max(1, FEW_ENTRIES // self.n_samples)):
            rows = dense_rows(self, np.arange(part.start, part.stop))
            sums_of_squares(rows, weight, weight.sum(), squares[part], centred_squares[part])
        return squares, centred_squares if centred else squares.copy()

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        """Return readable names, one for each column: those of the input, or x0, x1, ..."""
        return input_names(ids, feature_names_in)

    def find(self, name: str, columns: Callable[[str], list[int]]) -> list[int]:
        """Return the ids of all features that have a name; ``columns`` gives the columns of X that have one.

        What a space does not find is unknown, and ids must be given.
        """
        return []

    def column_scale(self, ids: Array) -> Array:
        """Return the factors already applied to :meth:`columns`; one per id."""
        return np.ones(len(ids))

    def fingerprint(self) -> str:
        """Return text that differs for other features: a saved round is not for them.

        What any space can do is to name its best features for a fixed vector.
        """
        direction = np.random.default_rng(0).standard_normal(self.n_samples)
        return self._digest([self.top(direction, PROBES)[0]])

    def _digest(self, arrays: Iterable[Array]) -> str:
        return digest_of(f"{self.n_samples} {self.n_features} {self.dtype} ", arrays)


def digest_of(about: str, arrays: Iterable[Array]) -> str:
    """Return text that differs for arrays of other bytes, or if something else is said about them."""
    digest = hashlib.sha256(about.encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


class ExplicitSpace(FeatureSpace):
    """A matrix in memory: all scores are computed, then the best are picked in one scan.

    Parameters
    ----------
    n_samples, n_features, dtype
        Of the matrix.
    scale : ndarray of shape (n_features,), optional
        Factor for each column (the paper's lambda), applied on the fly.
    """

    def __init__(
        self, n_samples: int, n_features: int, dtype: np.dtype[Any], scale: Array | None
    ) -> None:
        self.n_samples = n_samples
        self.n_features = n_features
        self.dtype = dtype
        self.scale = scale

    @property
    def n_entries(self) -> int:
        """How many numbers are stored."""
        return self.n_samples * self.n_features

    @property
    def search_work(self) -> float:
        # Walking along stored entries takes longer than a dense product with as many.
        is_dense = self.n_entries == self.n_samples * self.n_features
        return float(self.n_entries if is_dense else 3 * self.n_entries + self.n_features)

    @abstractmethod
    def squared_scores(self, a: Array) -> Array:
        """Return the unscaled scores of all columns for a of shape (n_samples, n_outputs)."""

    @abstractmethod
    def gather(self, ids: Array) -> Columns:
        """Return the unscaled columns in float64."""

    @abstractmethod
    def stored(self) -> Iterable[Array]:
        """Return the arrays that hold the matrix, piece by piece."""

    def sums_and_squares(self, weight: Array) -> Array:
        """Return the sums of all columns and of their squares, unscaled, rows weighted, (n_features, 2)."""
        raise NotImplementedError

    def measure_in(self, unit: Unit | None, sample_weight: Array | None) -> None:
        """Scale every column to length one, or to standard deviation one; weight two is the row twice."""
        if unit is not None:
            weight = np.ones(self.n_samples) if sample_weight is None else sample_weight
            self._set_factors(unit, weight)
            self.column_unit = unit

    def _set_factors(self, unit: Unit, weight: Array) -> None:
        self.scale = unit_factors(self.sums_and_squares(weight), float(weight.sum()), unit)

    def in_memory(self) -> ExplicitSpace:
        return self

    def dots(self, a: Array) -> Array:
        """Return the unscaled products of all columns with a, (n_columns, n_outputs)."""
        return np.asarray(self.gather(np.arange(self.n_features)).T @ a)

    def add_dots(self, a: Array, total: Array) -> None:
        """Add the products of all columns with a to ``total``."""
        total += self.dots(a)

    def scores(self, a: Array) -> Array:
        """Return the scores of all columns."""
        scores = self.squared_scores(as_columns(a))
        if self.scale is not None:
            scores *= self.scale
            scores *= self.scale
        return scores

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        return top_k(self.scores(a), min(k, self.n_features), ascending(exclude))

    def columns(self, ids: Array) -> Columns:
        columns = self.gather(ids)
        return columns if self.scale is None else scaled(columns, self.scale[ids])

    def fingerprint(self) -> str:
        return self._digest(self.stored())

    def column_scale(self, ids: Array) -> Array:
        return super().column_scale(ids) if self.scale is None else self.scale[ids]


def best_of(ids: Array, scores: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
    """Return the k best of a few scored features, as :meth:`FeatureSpace.top` does."""
    allowed = scores > 0
    if exclude is not None:
        allowed &= ~np.isin(ids, exclude)
    ids, scores = ids[allowed], scores[allowed]
    order = np.lexsort((ids, -scores))[:k]
    return ids[order], scores[order]


def ascending(exclude: Array | None) -> Array:
    """Return the ids to pass over in the form the kernels want."""
    return NO_IDS if exclude is None else np.unique(np.asarray(exclude, dtype=np.int64))


def slices_joined(starts: Array, sizes: Array) -> Array:
    """Return the indices that slices cover, one slice after the other."""
    offsets = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return offsets + np.arange(len(offsets))


def sum_runs(values: Array, widths: Array) -> Array:
    """Add up runs of ``widths`` neighbours each."""
    starts = np.cumsum(widths) - widths
    sums = np.zeros(len(widths))
    filled = widths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(values, starts[filled])
    return sums


def input_names(ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
    """Return the names of columns of X, or x0, x1, ... where it has none."""
    if feature_names_in is None:
        return [f"x{j}" for j in ids]
    return [str(feature_names_in[j]) for j in ids]


def as_columns(a: Array) -> Array:
    """View a as (n_samples, n_outputs), float64 and row-major."""
    a = np.ascontiguousarray(a, dtype=np.float64)
    return a[:, None] if a.ndim == 1 else a


def dense(matrix: Any) -> Array:
    """Return a small matrix as an ndarray."""
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)


def dense_rows(space: FeatureSpace, ids: Array) -> Array:
    """Return a few columns as the rows of an array."""
    return np.ascontiguousarray(dense(space.columns(ids)).T)


def row_squares(rows: Any) -> Array:
    """Return the sum of squares of each row, in float64."""
    if sp.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))

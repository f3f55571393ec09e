"""A matrix that is somewhere else: on disk, on a cluster, on a GPU; small ones are brought into memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, Columns, ExplicitSpace, Unit, as_columns
from handful.spaces.dense import DenseSpace
from handful.spaces.pairs.search import Best, PairQuery, PairSearch
from handful.spaces.sparse import CSCSpace
from handful.validation.sources import no_pairs, not_in_memory


class Source(ABC):
    """A matrix that estimators take as X though it is no array in the memory of this process.

    Only columns that were asked for, and one number for each column, are ever brought here. A new kind
    is one subclass, and one line in ``handful.spaces.resolve.KINDS`` that knows it by its type.

    Attributes
    ----------
    shape : tuple of two int
    dtype : dtype
        float32 or float64.
    feature_names : ndarray of str, or None
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    feature_names: Array | None = None

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError, in one sentence, when a fit cannot use these numbers (NaN, infinite).

        Called by ``fit``. What is found later, while the data are read, may be raised then.
        """

    def targets(self, y: Any) -> Any:
        """Return targets, or weights, that belong to these rows as something in memory."""
        return y

    @abstractmethod
    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        """Return the space of the columns; see :func:`handful.spaces.resolve_space`.

        ``scores`` are wanted for groups, ``top`` and ``columns`` for everything else; ``dots`` for the
        lasso of several tasks. Override ``fingerprint`` or ``stored`` for checkpoints.
        """

    def pair_search(self) -> PairSearch:
        """Return the search for the best products of two columns."""
        raise no_pairs(self)

    def __getitem__(self, rows: Any) -> Source:
        """Return some of the rows (a mask, a slice or ids), for cross-validation."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] in (Ellipsis, slice(None)):
            rows = rows[0]
        if isinstance(rows, tuple):
            raise TypeError(f"only rows of a {type(self).__name__} can be picked.")
        return ChosenRows(self, np.arange(self.shape[0])[rows])

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, *_: Any, **__: Any) -> Array:
        """Refuse: nothing brings all of it into memory behind the user's back."""
        raise not_in_memory(self)

    @property
    def ndim(self) -> int:
        """Two."""
        return len(self.shape)


class ChosenRows(Source):
    """Some rows of a matrix that stays where it is: the others are given weight zero.

    A row that is picked twice counts twice.
    """

    def __init__(self, whole: Source, rows: Array) -> None:
        self.whole = whole
        self.rows = np.atleast_1d(rows)
        self.shape = (len(self.rows), whole.shape[1])
        self.dtype = whole.dtype
        self.feature_names = whole.feature_names

    def check(self) -> None:
        self.whole.check()

    def __array__(self, *_: Any, **__: Any) -> Array:
        """Refuse, in the name of what the user has."""
        return self.whole.__array__()

    def space(
        self, unit: Unit | None, n_threads: int, sample_weight: Array | None
    ) -> ExplicitSpace:
        weight = np.ones(self.shape[0]) if sample_weight is None else sample_weight
        all_weights = self.among_all_rows(weight)[:, 0] if unit else None
        return _RowsSpace(self, self.whole.space(unit, n_threads, all_weights))

    def pair_search(self) -> PairSearch:
        return _RowsPairs(self, self.whole.pair_search())

    def among_all_rows(self, a: Array) -> Array:
        """Put numbers for the chosen rows where these stand among all, zeros elsewhere."""
        a = as_columns(a)
        everywhere = np.zeros((self.whole.shape[0], a.shape[1]))
        np.add.at(everywhere, self.rows, a)
        return everywhere


class AwaySpace(ExplicitSpace):
    """Columns of a matrix that is somewhere else."""

    def in_memory(self) -> ExplicitSpace:
        """Return the space of the same columns, of the same type and scale, in memory."""
        columns = self.gather(np.arange(self.n_features))
        here: ExplicitSpace
        if sp.issparse(columns):
            here = CSCSpace(sp.csc_array(columns, dtype=self.dtype))
        else:
            here = DenseSpace(np.asarray(columns, dtype=self.dtype))
        here.scale, here.column_unit = self.scale, self.column_unit
        return here


class _RowsSpace(AwaySpace):
    def __init__(self, matrix: ChosenRows, whole: ExplicitSpace) -> None:
        super().__init__(*matrix.shape, matrix.dtype, whole.scale)
        self._matrix = matrix
        self._whole = whole
        self.n_threads = whole.n_threads
        self.column_unit = whole.column_unit

    @property
    def n_entries(self) -> int:
        return self._whole.n_entries * self.n_samples // max(self._whole.n_samples, 1)

    def squared_scores(self, a: Array) -> Array:
        return self._whole.squared_scores(self._matrix.among_all_rows(a))

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        return self._whole.top(self._matrix.among_all_rows(a), k, exclude)

    def dots(self, a: Array) -> Array:
        return self._whole.dots(self._matrix.among_all_rows(a))

    def gather(self, ids: Array) -> Columns:
        return self._whole.gather(ids)[self._matrix.rows]

    def stored(self) -> tuple[Array, ...]:
        whole = np.frombuffer(self._whole.fingerprint().encode(), dtype=np.uint8)
        return whole, self._matrix.rows


class _RowsPairs(PairSearch):
    def __init__(self, matrix: ChosenRows, whole: PairSearch) -> None:
        self._matrix = matrix
        self._whole = whole

    def column_sums(self, a: Array, n_threads: int) -> Array:
        return self._whole.column_sums(self._matrix.among_all_rows(a), n_threads)

    def add_best(self, best: Best, query: PairQuery) -> None:
        self._whole.add_best(best, replace(query, a=self._matrix.among_all_rows(query.a)))

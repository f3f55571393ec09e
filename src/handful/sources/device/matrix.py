"""A matrix on a GPU: torch tensors and CuPy arrays, dense or sparse, are read where they are.

Scores, the search for the best of them and the picking of columns run on the device of X; ids, scores and a few
columns come into memory. Where there are many rows the active columns stay there too
(active.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.sources.device.active import ActiveOnDevice
from handful.sources.device.arrays import (
    SparseParts,
    as_tensor,
    numpy_dtype,
    put,
    room_for,
    take,
    values_of,
)
from handful.sources.device.pairs import DensePairsOnDevice
from handful.sources.device.storage import DenseTensor, SparseTensor
from handful.spaces.base import NO_IDS, Array, Columns, FeatureSpace, Unit, as_columns, best_of
from handful.spaces.pairs.search import PairSearch
from handful.spaces.pairs.sparse import SparsePairs
from handful.spaces.source import AwaySpace, Source
from handful.validation import check_magnitude
from handful.validation.cells import not_finite
from handful.validation.sources import check_same_device, in_memory

# With fewer rows the active columns are brought into memory: starting work on a GPU costs more.
MANY_ROWS = 16_384


class DeviceMatrix(Source):
    """A torch tensor or CuPy array as X.

    Parameters
    ----------
    X : torch.Tensor, cupy.ndarray or cupyx sparse matrix
        Dense, CSR, CSC or COO; float64, float32, bfloat16 or float16.
    """

    def __init__(self, X: Any) -> None:
        self._matrix = as_tensor(X)
        values = values_of(self._matrix)
        self.shape = tuple(int(size) for size in self._matrix.shape)  # type: ignore[assignment]
        self.dtype = numpy_dtype(values)
        self.device = values.device

    def check(self) -> None:
        """Nothing: the first scores show a NaN or infinity, and another pass would cost as much."""

    def targets(self, y: Any) -> Any:
        """Return y in memory; on another GPU it must not be."""
        if hasattr(y, "device") and hasattr(y, "detach"):
            check_same_device(self.device, y.device, "y")
        return in_memory(y)

    def space(self, unit: Unit | None, n_threads: int, sample_weight: Array | None) -> DeviceSpace:
        return DeviceSpace(self._storage(), unit, sample_weight)

    def pair_search(self) -> PairSearch:
        """Return the search; that of a sparse matrix is one of few products and runs in memory."""
        space = self.space(None, 1, None)
        if isinstance(space.storage, SparseTensor):
            return SparsePairs(space.storage.gather(np.arange(space.n_features)))
        return DensePairsOnDevice(space)

    def _storage(self) -> DenseTensor | SparseTensor:
        if isinstance(self._matrix, SparseParts):
            return SparseTensor(self._matrix)
        return DenseTensor(self._matrix)


class DeviceSpace(AwaySpace):
    """Columns of a matrix on a device.

    Parameters
    ----------
    storage : DenseTensor or SparseTensor
    unit : {None, "norm", "std"}
        What is made one of every column, without copying X: its length, or its standard deviation.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in that.
    """

    def __init__(
        self,
        storage: DenseTensor | SparseTensor,
        unit: Unit | None = None,
        sample_weight: Array | None = None,
    ) -> None:
        super().__init__(*storage.shape, numpy_dtype(storage.values), None)
        self.storage = storage
        self.measure_in(unit, sample_weight)
        on_gpu = storage.values.device.type == "cuda"
        if on_gpu and not self.is_sparse and self.n_samples >= MANY_ROWS:
            self.active_kind = ActiveOnDevice

    @property
    def is_sparse(self) -> bool:
        """Whether only some entries are stored."""
        return isinstance(self.storage, SparseTensor)

    @property
    def n_entries(self) -> int:
        return int(self.storage.values.numel())

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        import torch

        k = min(k, self.n_features)
        if k == 0:
            return NO_IDS, np.empty(0)
        scores = self._scores(a)
        if self.scale is not None:
            scores *= self._put(self.scale).square()
        largest = scores.max()  # NaN, or infinite, if any is
        if exclude is not None and len(exclude):
            scores[self._put(np.asarray(exclude, dtype=np.int64))] = 0.0
        least = scores.topk(k).values[-1]
        # All that tie with the last: which of them are taken is a matter of their ids.
        ids = torch.nonzero((scores >= least) & (scores > 0))[:, 0]
        found = take(torch.cat([ids.double(), scores[ids], largest[None]]))
        if not np.isfinite(found[-1]):
            self.refuse(take(self._scores(a)))  # of excluded columns too
        return best_of(found[: len(ids)].astype(np.int64), found[len(ids) : -1], k)

    def sums_and_squares(self, weight: Array) -> Array:
        weights = self._put(weight)
        sums = take(self.storage.dots(weights[:, None], in_float64=True))[:, 0]
        self.refuse(sums)
        return np.column_stack([sums, take(self.storage.squared_norms(weights))])

    def centred_squares(self, weight: Array, *, centred: bool) -> tuple[Array, Array]:
        sums, squares = self.sums_and_squares(weight).T
        factors = np.ones(self.n_features) if self.scale is None else self.scale
        centred_squares = np.maximum(squares - sums**2 / weight.sum(), 0.0) if centred else squares
        return squares * factors**2, centred_squares * factors**2

    def squared_scores(self, a: Array) -> Array:
        scores = take(self._scores(a))
        self.refuse(scores)
        return scores

    def dots(self, a: Array) -> Array:
        dots = take(self._dots(a))
        self.refuse(dots.sum(axis=1))
        return dots

    def gather(self, ids: Array) -> Columns:
        if isinstance(self.storage, SparseTensor):
            return self.storage.gather(ids)
        return take(self._stored_rows(ids)).T

    def rows_of(self, ids: Array) -> Any:
        """Return columns as the rows of a float64 tensor on the device, scaled."""
        rows = self._stored_rows(ids)
        return rows if self.scale is None else rows * self._put(self.scale[ids])[:, None]

    def _stored_rows(self, ids: Array) -> Any:
        with room_for("A few columns of X", 8 * self.n_samples * len(ids), self.storage.values):
            return self.storage.rows_of(ids)

    def stored(self) -> Any:
        raise NotImplementedError  # all of X would have to come into memory

    def fingerprint(self) -> str:
        return FeatureSpace.fingerprint(self)

    def _put(self, array: Array) -> Any:
        return put(array, self.storage.values)

    def _dots(self, a: Array) -> Any:
        needed = 16 * self.n_features * as_columns(a).shape[1]
        with room_for("The scores of all columns", needed, self.storage.values):
            return self.storage.dots(self._put(as_columns(a)))

    def _scores(self, a: Array) -> Any:
        return self._dots(a).square_().sum(dim=1)

    def refuse(self, per_column: Array) -> None:
        """Raise when a column has NaN or infinity in it, or sums beyond the range of floats."""
        wrong = np.flatnonzero(~np.isfinite(per_column))
        for column in wrong[:1]:
            values = self.columns(np.array([column]))
            values = values.toarray() if self.is_sparse else values
            rows = np.flatnonzero(~np.isfinite(values[:, 0]))
            if len(rows):
                raise not_finite(float(values[rows[0], 0]), int(rows[0]), int(column))
            check_magnitude(np.array([np.inf]))

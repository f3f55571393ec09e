"""A dense matrix, row- or column-major, used in place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handful.sizes import slices
from handful.spaces.base import Array, ExplicitSpace, Unit

# float32 data are multiplied in float32 for this many rows at a time and the partial sums are
# added up in float64: the product runs at memory speed and the sum keeps its digits.
ROWS_AT_ONCE = 256
# Beyond two to this power, or its inverse, numbers are brought near one before they become float32, which ends at 2**128.
FAR_FROM_ONE = 60


class DenseSpace(ExplicitSpace):
    """Columns of a 2-D array.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32 or float64
    unit : {None, "norm", "std"}
        What is made one of every column, without copying X: its length, or its standard deviation.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in that: weight two is the row twice.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import DenseSpace
    >>> space = DenseSpace(np.eye(3))
    >>> space.top(np.array([0.0, 2.0, 1.0]), k=2)
    (array([1, 2]), array([4., 1.]))
    """

    def __init__(
        self, X: Array, unit: Unit | None = None, sample_weight: Array | None = None
    ) -> None:
        super().__init__(X.shape[0], X.shape[1], X.dtype, None)
        self.X = X
        self.measure_in(unit, sample_weight)

    def sums_and_squares(self, weight: Array) -> Array:
        sums, squares = np.zeros(self.n_features), np.zeros(self.n_features)
        for rows in slices(self.n_samples, ROWS_AT_ONCE):
            sums += weight[rows] @ self.X[rows].astype(np.float64, copy=False)
            squares += weight[rows] @ np.square(self.X[rows], dtype=np.float64)
        return np.column_stack([sums, squares])

    def squared_scores(self, a: Array) -> Array:
        dots = self.dots(a)
        return np.einsum("jk,jk->j", dots, dots)

    def dots(self, a: Array) -> Array:
        if self.dtype == np.float64:
            return np.asarray(self.X.T @ a)
        dots = np.zeros((self.n_features, a.shape[1]))
        power = int(np.frexp(np.abs(a).max(initial=0.0))[1])
        power = power if abs(power) > FAR_FROM_ONE else 0
        low = np.ldexp(a, -power).astype(self.dtype)
        for rows in slices(self.n_samples, ROWS_AT_ONCE):
            dots += self.X[rows].T @ low[rows]
        return np.ldexp(dots, power)

    def gather(self, ids: Array) -> Array:
        return np.asarray(self.X[:, ids], dtype=np.float64, order="F")

    def stored(self) -> Iterator[Array]:
        # Row by row in either memory order, so that both have the same fingerprint.
        for rows in slices(self.n_samples, ROWS_AT_ONCE):
            yield self.X[rows]

"""The histogram intersection kernel: each column of X is compared by the smaller of two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from handful.kernels import additive as kernels
from handful.spaces.base import Array
from handful.spaces.columnwise.base import ColumnwiseSpace, split_runs
from handful.spaces.sparse import map_ranges
from handful.validation import check_count, check_positive
from handful.validation import spaces as checks

DIGITS = (3, 6, 10, 17)  # of a level in a name: as few as tell the levels apart


@dataclass(frozen=True)
class Levels:
    """The edges of one feature's levels, in |x|^beta, and how to name them."""

    edges: Array
    beta: float
    has_signs: bool

    @property
    def width(self) -> int:
        """One column between every two edges."""
        return len(self.edges) - 1

    def names(self, name: str) -> list[str]:
        """Name each column by what an entry must exceed to show in it."""
        bounds = self.edges[:-1] ** (1.0 / self.beta)
        x = f"|{name}|" if self.has_signs else name
        for digits in DIGITS:
            names = [f"{x}>{bound:.{digits}g}" for bound in bounds]
            if len(set(names)) == len(names):
                break
        return names

    def block(self, rows: Array, values: Array, n_samples: int) -> sp.csc_array:
        """Cut each value at the edges."""
        indptr, indices, data = kernels.level_entries(rows, values, self.edges)
        return sp.csc_array((data, indices, indptr), shape=(n_samples, self.width))


class HistogramIntersection(ColumnwiseSpace):
    r"""The kernel :math:`\sum_j \min(|x_j|^\beta, |z_j|^\beta)`, one feature for each column of X.

    A feature is found by its exact score, in O(nnz) a scan after sorting every column once:

    .. math:: \sum_{h,i} a_h a_i \min(v_h, v_i) = \sum_l (v_l - v_{l-1}) \left(\sum_{i \ge l} a_i\right)^2

    over the sorted values :math:`v = |x_j|^\beta` of column j, without expanding it. A selected
    feature then has a column for every level between edges :math:`0 = e_0 < e_1 < \ldots < e_L`,

    .. math:: \phi_l(v) = \mathrm{clip}(v - e_{l-1}, 0, e_l - e_{l-1}) / \sqrt{e_l - e_{l-1}}.

    The edges are the distinct values of the training column, where there are no more than
    ``n_levels``, and the columns then give the kernel exactly. Otherwise they are ``n_levels`` equal
    steps up to the largest value, and the kernel is missed by at most a quarter of a step. In both
    cases the columns are an orthogonal projection of the kernel's own features, so that their score
    never exceeds the exact one and a bound from exact scores holds for them.

    Signs are ignored: x and -x are the same. Values of new rows above the largest of the training
    rows count as that. Columns of sparse data are sparse, those of dense data dense.

    Memory: one copy of the stored entries, sorted within columns (12 bytes an entry in float64, 8 in
    float32, where row numbers fit 32 bits). Zeros of a dense matrix are not stored.

    Parameters
    ----------
    beta : float
        The exponent, above zero. Below one it brings out small values.
    n_levels : int
        The most columns a feature may have.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import HistogramIntersection
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [3.0, 0.0]])
    >>> space = HistogramIntersection().on(X)
    >>> columns = space.columns(np.array([0]))
    >>> (columns @ columns.T).round(6)
    array([[0., 0., 0.],
           [0., 2., 2.],
           [0., 2., 3.]])
    >>> space.names(np.array([0]))
    ['x0>0', 'x0>2']
    """

    keeps_zeros = True
    ignores_sign = True

    def __init__(self, beta: float = 1.0, n_levels: int = 100) -> None:
        self.beta = beta
        self.n_levels = n_levels

    def check_parameters(self) -> None:
        check_positive("beta", self.beta)
        check_count("n_levels", self.n_levels)

    def prepare(self, X: sp.csc_array, ids: Array) -> sp.csc_array:
        with np.errstate(over="ignore", under="ignore"):
            values = np.abs(X.data) if self.beta == 1 else np.abs(X.data) ** float(self.beta)
        checks.check_powers(values, self.beta)
        return sp.csc_array((values, X.indices, X.indptr), shape=X.shape)

    def learn(self, X: sp.csc_array, stored: sp.csc_array) -> None:
        self._has_signs = bool((X.data < 0).any())
        stored.indices = stored.indices.copy()
        map_ranges(
            lambda start, stop: kernels.sort_columns(
                stored.indptr, stored.indices, stored.data, start, stop
            ),
            stored.indptr,
            self.n_threads,
        )
        self.mean_width = float(min(self.n_levels, max(1.0, stored.nnz / self.n_features)))

    def score(self, a: Array, start: int, stop: int, scores: Array) -> None:
        stored = self._data()
        kernels.intersection_scores(
            stored.indptr, stored.indices, stored.data, a, start, stop, scores
        )

    def make_map(self, feature: int) -> Levels:
        stored = self._data()
        values = stored.data[stored.indptr[feature] : stored.indptr[feature + 1]]
        edges = np.unique(np.append(values, 0.0)).astype(np.float64)
        if len(edges) == 1:  # a column of zeros has a column of zeros
            edges = np.array([0.0, 1.0])
        if len(edges) > self.n_levels + 1:
            edges = np.linspace(0.0, edges[-1], self.n_levels + 1)
        return Levels(edges, self.beta, self._has_signs)

    def pack(self, maps: Sequence[Levels]) -> dict[str, Array]:
        return {
            "edges": np.concatenate([np.empty(0), *(levels.edges for levels in maps)]),
            "n_edges": np.array([len(levels.edges) for levels in maps], dtype=np.int64),
            "has_signs": np.array([levels.has_signs for levels in maps], dtype=bool),
        }

    def unpack(self, arrays: Mapping[str, Array]) -> list[Levels]:
        parts = split_runs(arrays["edges"], arrays["n_edges"])
        for edges in parts:
            rises = len(edges) >= 2 and edges[0] == 0.0 and (np.diff(edges) > 0).all()
            if edges.dtype != np.float64 or not rises or not np.isfinite(edges[-1]):
                raise ValueError("the edges of levels do not rise from zero")
        return [
            Levels(edges, self.beta, bool(has_signs))
            for edges, has_signs in zip(parts, arrays["has_signs"], strict=True)
        ]

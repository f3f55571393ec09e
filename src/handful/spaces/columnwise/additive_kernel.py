"""Additive Gaussian, chi2 and ANOVA kernels: each column of X under a kernel of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from handful.kernels import additive as kernels
from handful.spaces.base import Array, Columns
from handful.spaces.columnwise.base import ColumnwiseSpace, split_runs
from handful.validation import check_choice, check_count, check_positive
from handful.validation import spaces as checks

KINDS = ("gaussian", "chi2", "anova")
PLACING = ("centre", "scale", "gain", "stretch")  # how a column is moved to its nodes
# gamma="scale" is 8 / (hi - lo)^2: this much once the range is moved to [-1, 1].
STRETCH = 2.0
WORK_OF_VALUE = 18.0  # of a kernel, in entries of a dense product
STRETCH_LIMIT = 1e300  # beyond it a node is like itself only, and infinity times zero is no number


@dataclass(frozen=True)
class NodeMap:
    """The map of one column: its kernel with fixed nodes, made orthonormal by a factor R."""

    nodes: Array
    factor: Array
    centre: float
    scale: float
    gain: float
    stretch: float
    is_chi2: bool

    @property
    def width(self) -> int:
        """One column for each orthonormal direction."""
        return int(self.factor.shape[1])

    def names(self, name: str) -> list[str]:
        """Number the columns: they have no meaning one by one."""
        return [f"{name}[{column}]" for column in range(self.width)]

    def block(self, rows: Array, values: Array, n_samples: int) -> Columns:
        """Map the stored values, and zero where nothing is stored."""
        features = self._features(values)
        if self.is_chi2:
            indptr = len(rows) * np.arange(self.width + 1)
            entries = features.T.ravel(), np.tile(rows, self.width), indptr
            return sp.csc_array(entries, shape=(n_samples, self.width))
        columns = np.tile(self._features(np.zeros(1)), (n_samples, 1))
        columns[rows] = features
        return columns

    def _features(self, values: Array) -> Array:
        return kernels.node_features(
            values,
            self.is_chi2,
            self.nodes,
            self.factor,
            self.centre,
            self.scale,
            self.gain,
            self.stretch,
        )


class AdditiveKernel(ColumnwiseSpace):
    r"""A kernel :math:`\sum_j k_j(x_j, z_j)`, one feature for each column of X.

    ============ =============================================== ================================
    kind         :math:`k(x, z)`                                 needs
    ============ =============================================== ================================
    "gaussian"   :math:`\exp(-\gamma (x - z)^2)`
    "anova"      :math:`\exp(-\gamma (x - z)^2)^{degree}`
    "chi2"       :math:`2 x z / (x + z)`, 0 at zero              no negative entries
    ============ =============================================== ================================

    A feature's columns are :math:`k(x, nodes) R` for ``n_components`` nodes in the range of the
    training column, with R such that :math:`R' K(nodes, nodes) R = I` (Nystroem's method).
    Directions that carry less than 1e-10 of the kernel are left out, so a feature may have fewer
    columns. The columns are an orthogonal projection of the kernel's own features: they never
    exceed the kernel, and what they miss is largest at x = z.

    - Gaussian: Chebyshev points. With ``gamma="scale"`` and 11 of them the kernel is missed by at
      most 7e-8; by 4.5e-4 with 7. A narrower kernel needs more: with gamma 4 times as large 9e-3 with
      11 and 3e-8 with 21.
    - chi2: the points :math:`\max \cdot (i/p)^q`, i = 1..p, with :math:`q = 5\sqrt p/3`, which
      serve small values as well as large ones. With 11 of them the kernel is missed by at most
      1.2e-5 of the largest entry. (The sampled spectrum of ``AdditiveChi2Sampler`` misses 1.7e-3
      with as many columns and the best interval for them.) A new value 2.5 times the largest of
      training is still compared to 2.2e-4 of that.

    Scores are those of the same columns, in O(nnz * n_components) a scan without making them.
    Constant columns of X are of no use: their features are zero and never selected. Columns of the
    Gaussian are dense, as it has no zeros; those of chi2 are sparse for sparse data.

    Memory: 32 bytes for each column of X; a CSC matrix is used in place, anything else is turned
    into one (the zeros of a dense matrix are not stored).

    Parameters
    ----------
    kind : {"gaussian", "chi2", "anova"}
    n_components : int
        Nodes for each feature: the most columns it may have.
    gamma : "scale" or float
        Of the Gaussian and ANOVA kernels. "scale" makes the kernel's bandwidth a quarter of each
        column's range, :math:`\gamma = 8 / (hi - lo)^2`.
    degree : float
        Exponent of the ANOVA kernel; the others do not use it.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import AdditiveKernel
    >>> X = np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]])
    >>> space = AdditiveKernel("chi2").on(X)
    >>> columns = space.columns(np.array([0]))
    >>> (columns @ columns.T).round(4)
    array([[0.    , 0.    , 0.    ],
           [0.    , 0.5   , 0.6667],
           [0.    , 0.6667, 1.    ]])
    >>> space.top(np.array([-1.0, 0.0, 1.0]), k=2)[0]  # the second column is constant
    array([0])
    """

    def __init__(
        self,
        kind: str = "gaussian",
        n_components: int = 11,
        gamma: float | str = "scale",
        degree: float = 1,
    ) -> None:
        self.kind = kind
        self.n_components = n_components
        self.gamma = gamma
        self.degree = degree

    @property
    def keeps_zeros(self) -> bool:
        return self.kind == "chi2"

    def check_parameters(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_count("n_components", self.n_components)
        check_positive("gamma", self.gamma, "scale")
        check_positive("degree", self.degree)

    def prepare(self, X: sp.csc_array, ids: Array) -> sp.csc_array:
        if self.kind == "chi2":
            checks.check_entries_not_negative(X, ids, "AdditiveKernel(kind='chi2')")
        return X

    def learn(self, X: sp.csc_array, stored: sp.csc_array) -> None:
        low, high = np.empty(self.n_features), np.empty(self.n_features)
        kernels.column_ranges(stored.indptr, stored.data, self.n_samples, low, high)
        self.mean_width = float(self.n_components)
        self.work_of_entry = WORK_OF_VALUE * self.mean_width
        self._nodes = unit_nodes(self.kind, self.n_components)
        if self.kind == "chi2":
            # k(c x, c z) = c k(x, z): every column is the unit one, scaled.
            self._centre, self._stretch = np.zeros_like(low), np.zeros_like(low)
            self._scale = np.where(high > low, high, 0.0)
            self._gain = self._scale
            return
        power = float(self.degree) if self.kind == "anova" else 1.0
        self._centre = low / 2 + high / 2
        self._scale = high / 2 - low / 2
        self._gain = np.ones_like(low)
        if isinstance(self.gamma, str):
            self._stretch = np.full_like(low, STRETCH * power)
        else:
            with np.errstate(over="ignore"):
                self._stretch = self._scale**2 * (float(self.gamma) * power)
        np.minimum(self._stretch, STRETCH_LIMIT, out=self._stretch)

    def score(self, a: Array, start: int, stop: int, scores: Array) -> None:
        stored = self._data()
        kernels.node_scores(
            stored.indptr,
            stored.indices,
            stored.data,
            a,
            self.kind == "chi2",
            self._nodes,
            self._centre,
            self._scale,
            self._gain,
            self._stretch,
            start,
            stop,
            scores,
        )

    def make_map(self, feature: int) -> NodeMap:
        is_chi2 = self.kind == "chi2"
        stretch, scale = float(self._stretch[feature]), float(self._scale[feature])
        factor = np.empty((self.n_components, self.n_components))
        rank = kernels.node_factor(is_chi2, stretch, self._nodes, factor)
        factor = np.ascontiguousarray(factor[:, :rank])
        if scale == 0.0:  # a constant column of X: one column of zeros
            factor, scale = np.zeros((self.n_components, 1)), 1.0
        return NodeMap(
            nodes=self._nodes,
            factor=factor,
            centre=float(self._centre[feature]),
            scale=scale,
            gain=float(self._gain[feature]),
            stretch=stretch,
            is_chi2=is_chi2,
        )

    def pack(self, maps: Sequence[NodeMap]) -> dict[str, Array]:
        return {
            "nodes": unit_nodes(self.kind, self.n_components),
            "factors": np.concatenate([np.empty(0), *(one.factor.ravel() for one in maps)]),
            "widths": np.array([one.width for one in maps], dtype=np.int64),
            **{key: np.array([getattr(one, key) for one in maps]) for key in PLACING},
        }

    def unpack(self, arrays: Mapping[str, Array]) -> list[NodeMap]:
        nodes, widths = arrays["nodes"], arrays["widths"]
        factors = split_runs(arrays["factors"], self.n_components * widths)
        placing = np.column_stack([arrays[key] for key in PLACING])
        numbers = (nodes, arrays["factors"], placing)
        if nodes.shape != (self.n_components,) or widths.min(initial=1) < 1:
            raise ValueError("the nodes of a kernel are not as many as its components")
        if any(part.dtype != np.float64 or not np.isfinite(part).all() for part in numbers):
            raise ValueError("the map of a kernel does not hold finite numbers")
        if (arrays["scale"] <= 0).any():
            raise ValueError("the range of a kernel's feature is not above zero")
        return [
            NodeMap(
                nodes=nodes,
                factor=factor.reshape(self.n_components, -1),
                is_chi2=self.kind == "chi2",
                **dict(zip(PLACING, row, strict=True)),
            )
            for factor, row in zip(factors, placing.tolist(), strict=True)
        ]


def unit_nodes(kind: str, n_components: int) -> Array:
    """Return the nodes in [-1, 1], or for chi2 in (0, 1] (see AdditiveKernel)."""
    steps = np.arange(1, n_components + 1)
    if kind == "chi2":
        nodes: Array = (steps / n_components) ** (5.0 * np.sqrt(n_components) / 3.0)
        return nodes
    return np.cos((2 * steps - 1) * np.pi / (2 * n_components))

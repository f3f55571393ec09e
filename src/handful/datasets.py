r"""Data made here, whose truly informative features are known.

All sets follow one recipe (Tan, Tsang and Wang, "Towards ultrahigh dimensional feature
selection for big data", section 6.2.1): entries :math:`x_{ij} \sim N(0, 1)`, a weight vector
:math:`w` with few non-zeros, labels :math:`y_i = \operatorname{sign}(x_i^\top w)`.

The random stream: `random_state` seeds a ``numpy.random.SeedSequence`` that is split into five
children, one PCG64 generator each - the truth, where the training rows are filled, the training
values, and the same two for the test rows. Training data therefore do not depend on the number of
test rows, ``float32`` data are the ``float64`` data rounded, and all weightings of one seed share
their rows and informative features. Equal seeds give equal data under one version of NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from handful.validation import check_choice, check_count, check_share, float_dtype

__all__ = [
    "SyntheticData",
    "make_demo",
    "make_sparse_linear",
    "make_x1",
    "make_x2",
    "make_x3",
]

Weighting: TypeAlias = Literal["I", "II", "III"]
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None

_EXPONENTS = {"I": 1.0, "II": 0.3, "III": 3.0}
_BLOCK_CELLS = 1 << 20  # work space of all generators: 8 MB at a time


@dataclass(frozen=True, eq=False)
class SyntheticData:
    """Training rows, test rows and the truth that labelled both.

    Attributes
    ----------
    X_train, X_test : ndarray or scipy.sparse.csr_array, shape (rows, n_features)
        Dense when every entry is filled, sparse otherwise.
    y_train, y_test : ndarray of int64, shape (rows,)
        +1 where ``X @ w > 0``, otherwise -1.
    true_ids : ndarray of int64, shape (n_informative,)
        The informative features, ascending.
    true_weights : ndarray of float64, shape (n_informative,)
        Their weights, in the order of `true_ids`.
    feature_names : tuple of str or None
        One name per feature, for sets that have names.
    """

    X_train: Any
    y_train: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    true_ids: NDArray[np.int64]
    true_weights: NDArray[np.float64]
    feature_names: tuple[str, ...] | None = None


def make_sparse_linear(
    n_samples: int,
    n_features: int,
    n_informative: int = 400,
    *,
    weighting: Weighting = "I",
    density: float = 1.0,
    n_test_samples: int = 4096,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    r"""Draw a two-class problem that a few weighted features decide.

    .. math::

        y_i = \operatorname{sign}\Big(\sum_{j \in S} w_j x_{ij}\Big), \qquad
        x_{ij} \sim N(0, 1), \quad w_j = u_j^{q}, \quad u_j \sim U(0, 1),

    with :math:`q` = 1, 0.3 or 3 for weighting I, II or III: the weights fall evenly, hardly, or
    steeply. With `density` below 1 each entry is filled with that probability, independently,
    and is zero otherwise. A row without an informative entry has :math:`x_i^\top w = 0` and gets
    the label -1, as scikit-learn's linear classifiers decide at zero; at density 0.005 with 400
    informative features these are 13 % of the rows.

    Parameters
    ----------
    n_samples : int
        Training rows.
    n_features : int
        Columns.
    n_informative : int, default=400
        Columns with a weight, placed at random.
    weighting : {"I", "II", "III"}, default="I"
        How unequal the weights are.
    density : float in (0, 1], default=1.0
        Share of filled entries. Below 1 the data are CSR and are never made dense.
    n_test_samples : int, default=4096
        Test rows, labelled by the same truth; 0 for none.
    dtype : {float64, float32}, default=float64
        Type of the entries.
    random_state : int, Generator, RandomState or None, default=None
        Seed, or where to draw one; see the module's note on the random stream.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth.

    Examples
    --------
    >>> from handful.datasets import make_sparse_linear
    >>> data = make_sparse_linear(50, 1000, n_informative=5, n_test_samples=20, random_state=0)
    >>> data.X_train.shape, data.X_test.shape, data.true_ids.shape
    ((50, 1000), (20, 1000), (5,))
    >>> scores = data.X_train[:, data.true_ids] @ data.true_weights
    >>> bool(((scores > 0) == (data.y_train > 0)).all())
    True
    """
    check_choice("weighting", weighting, tuple(_EXPONENTS))
    streams = _streams(random_state)
    true_ids = _draw_ids(n_features, n_informative, streams[0])
    true_weights = streams[0].random(n_informative) ** _EXPONENTS[weighting]
    return _draw_rows(
        streams, n_samples, n_test_samples, n_features, density, dtype, true_ids, true_weights
    )


def make_x1(
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X1: 4096 x 4096, dense, 400 informative features, 4096 test rows.

    Parameters
    ----------
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth; 128 MB each of both matrices in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.datasets import make_x1
    >>> make_x1("III", dtype=np.float32, random_state=0).X_train.shape
    (4096, 4096)
    """
    return make_sparse_linear(
        4096, 4096, weighting=weighting, dtype=dtype, random_state=random_state
    )


def make_x2(
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X2: 4096 x 65536, dense, 400 informative features, 4096 test rows.

    Parameters
    ----------
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`; the paper studies weighting "I" only.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth; 2 GB each of both matrices in float64.

    Examples
    --------
    >>> from handful.datasets import make_x2
    >>> data = make_x2(random_state=0)  # doctest: +SKIP
    """
    return make_sparse_linear(
        4096, 65536, weighting=weighting, dtype=dtype, random_state=random_state
    )


def make_x3(
    density: float = 1.0,
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X3: 8192 x 100000, 400 informative features, 4096 test rows.

    Parameters
    ----------
    density : float in (0, 1], default=1.0
        Share of filled entries; the paper studies 0.005, 0.01, 0.05, 0.1, 0.5 and 1. The data are
        CSR below 1 and dense at 1 (6.6 GB for the training rows, half of it with float32).
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`; the paper studies weighting "I" only.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth.

    Examples
    --------
    >>> from handful.datasets import make_x3
    >>> data = make_x3(density=0.005, random_state=0)
    >>> data.X_train.shape, data.X_train.format
    ((8192, 100000), 'csr')
    """
    return make_sparse_linear(
        8192, 100_000, weighting=weighting, density=density, dtype=dtype, random_state=random_state
    )


def make_demo(
    n_samples: int = 1000,
    n_features: int = 5000,
    n_informative: int = 10,
    *,
    n_test_samples: int = 1000,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = 0,
) -> SyntheticData:
    """Draw the set of ``handful demo``: thousands of named genes, ten of which decide.

    Entries are N(0, 1); the informative weights have size U(0.5, 1.5) and either sign.

    Parameters
    ----------
    n_samples : int, default=1000
        Training rows.
    n_features : int, default=5000
        Columns, named ``gene_0000``, ``gene_0001`` and so on.
    n_informative : int, default=10
        Columns with a weight, placed at random.
    n_test_samples, dtype, random_state
        As in :func:`make_sparse_linear`; the seed is fixed, so that the demo always shows the same.

    Returns
    -------
    SyntheticData
        Training rows, test rows, the truth, and feature names.

    Examples
    --------
    >>> from handful.datasets import make_demo
    >>> data = make_demo()
    >>> data.X_train.shape, data.feature_names[7]
    ((1000, 5000), 'gene_0007')
    """
    streams = _streams(random_state)
    true_ids = _draw_ids(n_features, n_informative, streams[0])
    sizes = streams[0].uniform(0.5, 1.5, n_informative)
    true_weights = sizes * streams[0].choice([-1.0, 1.0], n_informative)
    digits = max(4, len(str(n_features - 1)))
    names = tuple(f"gene_{j:0{digits}d}" for j in range(n_features))
    return _draw_rows(
        streams, n_samples, n_test_samples, n_features, 1.0, dtype, true_ids, true_weights, names
    )


# ------------------------------------------------------------------ drawing


def _streams(random_state: RandomState) -> list[np.random.Generator]:
    """Split one seed into the five streams named at the top of this module."""
    if isinstance(random_state, np.random.Generator):
        entropy: Any = random_state.integers(2**32, size=4).tolist()
    elif isinstance(random_state, np.random.RandomState):
        entropy = random_state.randint(2**32, size=4, dtype=np.uint64).tolist()
    else:
        check_count("random_state", random_state, least=0, optional=True)
        entropy = random_state
    return [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(5)]


def _draw_ids(n_features: int, n_informative: int, rng: np.random.Generator) -> NDArray[np.int64]:
    check_count("n_features", n_features)
    check_count("n_informative", n_informative, most=n_features)
    return np.sort(rng.choice(n_features, n_informative, replace=False)).astype(np.int64)


def _draw_rows(
    streams: list[np.random.Generator],
    n_samples: int,
    n_test_samples: int,
    n_features: int,
    density: float,
    dtype: DTypeLike,
    true_ids: NDArray[np.int64],
    true_weights: NDArray[np.float64],
    feature_names: tuple[str, ...] | None = None,
) -> SyntheticData:
    """Draw training and test rows and label both by the same truth."""
    check_count("n_samples", n_samples)
    check_count("n_test_samples", n_test_samples, least=0)
    check_share("density", density)
    entry_type = float_dtype("dtype", dtype)
    X_train = _draw_matrix(n_samples, n_features, density, entry_type, *streams[1:3])
    X_test = _draw_matrix(n_test_samples, n_features, density, entry_type, *streams[3:5])
    return SyntheticData(
        X_train=X_train,
        y_train=_label(X_train, true_ids, true_weights),
        X_test=X_test,
        y_test=_label(X_test, true_ids, true_weights),
        true_ids=true_ids,
        true_weights=true_weights,
        feature_names=feature_names,
    )


def _draw_matrix(
    n_rows: int,
    n_columns: int,
    density: float,
    dtype: np.dtype[Any],
    filled: np.random.Generator,
    values: np.random.Generator,
) -> Any:
    """Draw N(0, 1) entries: all of them, or the share `density` as CSR."""
    if density == 1.0:
        X = np.empty((n_rows, n_columns), dtype)
        _fill_normal(X.reshape(-1), values)
        return X
    indptr, indices = _draw_pattern(n_rows, n_columns, density, filled)
    data = np.empty(len(indices), dtype)
    _fill_normal(data, values)
    return sparse.csr_array((data, indices, indptr), shape=(n_rows, n_columns))


def _fill_normal(out: NDArray[Any], rng: np.random.Generator) -> None:
    for start, stop in _blocks(len(out), _BLOCK_CELLS):
        out[start:stop] = rng.standard_normal(stop - start)


def _draw_pattern(
    n_rows: int, n_columns: int, density: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw the row pointers and ascending column ids of entries filled independently."""
    counts = np.zeros(n_rows + 1, np.int64)
    columns = [np.empty(0, np.int32)]
    for start, stop in _blocks(n_rows, max(1, _BLOCK_CELLS // n_columns)):
        cells = _draw_cells((stop - start) * n_columns, density, rng)
        row, column = np.divmod(cells, n_columns)
        counts[start + 1 : stop + 1] = np.bincount(row, minlength=stop - start)
        columns.append(column.astype(sparse.get_index_dtype(maxval=n_columns)))
    indptr = np.cumsum(counts)
    index_dtype = sparse.get_index_dtype(maxval=max(int(indptr[-1]), n_columns))
    return indptr.astype(index_dtype), np.concatenate(columns, dtype=index_dtype)


def _draw_cells(n_cells: int, density: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw which of `n_cells` are filled: gaps between independent successes are geometric."""
    batch = int(n_cells * density + 4 * np.sqrt(n_cells * density)) + 16
    parts: list[NDArray[np.int64]] = []
    last = -1
    while last < n_cells:
        # A gap beyond the end is cut short, or the sum of rare huge ones would overflow.
        gaps = np.minimum(rng.geometric(density, batch), n_cells + 1)
        parts.append(last + np.cumsum(gaps))
        last = int(parts[-1][-1])
    cells = np.concatenate(parts)
    return cells[: np.searchsorted(cells, n_cells)]


def _label(
    X: Any, true_ids: NDArray[np.int64], true_weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Label rows by the sign of their score; row blocks, because the product casts to float64."""
    n_rows, n_columns = X.shape
    w = np.zeros(n_columns)
    w[true_ids] = true_weights
    y = np.empty(n_rows, np.int64)
    for start, stop in _blocks(n_rows, max(1, _BLOCK_CELLS // n_columns)):
        y[start:stop] = np.where(X[start:stop] @ w > 0, 1, -1)
    return y


def _blocks(n_items: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, n_items, size):
        yield start, min(start + size, n_items)

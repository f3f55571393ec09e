"""What all generators share: the answer they give, the random streams, rows and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from handful.sizes import slices
from handful.validation import check_count, check_share, float_dtype

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None

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
    groups : ndarray of int64 or None
        The group of each feature, for sets that have groups.
    true_groups : ndarray of int64 or None
        The groups of the informative features, ascending.
    """

    X_train: Any
    y_train: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    true_ids: NDArray[np.int64]
    true_weights: NDArray[np.float64]
    feature_names: tuple[str, ...] | None = None
    groups: NDArray[np.int64] | None = None
    true_groups: NDArray[np.int64] | None = None


def split_seed(random_state: RandomState) -> list[np.random.Generator]:
    """Split one seed into the five streams named at the top of the package."""
    if isinstance(random_state, np.random.Generator):
        entropy: Any = random_state.integers(2**32, size=4).tolist()
    elif isinstance(random_state, np.random.RandomState):
        entropy = random_state.randint(2**32, size=4, dtype=np.uint64).tolist()
    else:
        check_count("random_state", random_state, least=0, optional=True)
        entropy = random_state
    return [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(5)]


def draw_ids(n_features: int, n_informative: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the informative ids, ascending."""
    check_count("n_features", n_features)
    check_count("n_informative", n_informative, most=n_features)
    return np.sort(rng.choice(n_features, n_informative, replace=False)).astype(np.int64)


def draw_rows(
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
    for part in slices(len(out), _BLOCK_CELLS):
        out[part] = rng.standard_normal(part.stop - part.start)


def _draw_pattern(
    n_rows: int, n_columns: int, density: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw the row pointers and ascending column ids of entries filled independently."""
    counts = np.zeros(n_rows + 1, np.int64)
    columns = [np.empty(0, np.int32)]
    for rows in slices(n_rows, max(1, _BLOCK_CELLS // n_columns)):
        n = rows.stop - rows.start
        row, column = np.divmod(_draw_cells(n * n_columns, density, rng), n_columns)
        counts[1:][rows] = np.bincount(row, minlength=n)
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
    for rows in slices(n_rows, max(1, _BLOCK_CELLS // n_columns)):
        y[rows] = np.where(X[rows] @ w > 0, 1, -1)
    return y

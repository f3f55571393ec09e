"""Small matrices in every form of storage, and the products of their columns written down."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

N_SAMPLES, N_COLUMNS = 23, 9
SETTINGS = [
    {"interaction_only": only, "include_linear": linear}
    for only, linear in itertools.product([False, True], repeat=2)
]


def draw(dtype=np.float64, n_columns=N_COLUMNS):
    """A matrix with many zeros, a zero column and columns of different lengths."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, n_columns)) * rng.uniform(0.2, 4.0, n_columns)
    X[rng.random(X.shape) < 0.5] = 0.0
    X[:, 5] = 0.0
    return X.astype(dtype)


def with_int64_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def read_only(X):
    for part in (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,):
        part.flags.writeable = False
    return X


def halved(X, kind):
    """Every entry stored twice, as halves and in falling order."""
    source = kind(X)
    bounds = list(itertools.pairwise(source.indptr))
    indices = [np.tile(source.indices[a:b][::-1], 2) for a, b in bounds]
    data = [np.tile(source.data[a:b][::-1] / 2, 2) for a, b in bounds]
    parts = (np.concatenate(data), np.concatenate(indices), 2 * source.indptr)
    made = kind(parts, shape=X.shape)
    assert not made.has_canonical_format
    return made


def with_stored_zeros(X):
    made = sp.csr_array(np.ones_like(X))
    made.data[:] = X.ravel()
    return made


FORMS = {
    "row-major": np.array,
    "column-major": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "read-only": lambda X: read_only(X.copy()),
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSR matrix": sp.csr_matrix,
    "CSC matrix": sp.csc_matrix,
    "CSR int64": lambda X: with_int64_indices(sp.csr_array(X)),
    "CSC int64": lambda X: with_int64_indices(sp.csc_array(X)),
    "CSC read-only": lambda X: read_only(sp.csc_array(X)),
    "CSR duplicates": lambda X: halved(X, sp.csr_array),
    "CSC duplicates": lambda X: halved(X, sp.csc_array),
    "stored zeros": with_stored_zeros,
}


def expanded(X, space):
    """All features side by side in the documented order, written down from their formulas."""
    X = np.asarray(X, dtype=np.float64)
    columns = []
    if space.include_linear:
        columns += [np.sqrt(2 * space.gamma * space.coef0) * x for x in X.T]
    for i, j in itertools.combinations_with_replacement(range(X.shape[1]), 2):
        if i < j:
            columns.append(np.sqrt(2) * space.gamma * X[:, i] * X[:, j])
        elif not space.interaction_only:
            columns.append(space.gamma * X[:, i] ** 2)
    return np.column_stack(columns)


def brute_force(columns, a, k, exclude=()):
    """The best k by score, the lower id first among scores that differ by rounding only."""
    scores = ((columns.T @ a.reshape(len(a), -1)) ** 2).sum(axis=1)
    rounded = np.round(scores / max(scores.max(), 1e-300), 10)
    ids = np.lexsort((np.arange(len(scores)), -rounded))
    ids = ids[(rounded[ids] > 0) & ~np.isin(ids, exclude)][:k]
    return ids, scores[ids]


def vectors(n_outputs):
    return np.random.default_rng(2).standard_normal((N_SAMPLES, n_outputs))


def as_dense(columns):
    return columns.toarray() if sp.issparse(columns) else columns


def exact_scores(X, a, space):
    """Scores without the roots, which would round."""
    scores = []
    if space.include_linear:
        scores.append(2 * space.gamma * space.coef0 * ((X.T @ a) ** 2).sum(axis=1))
    for i in range(X.shape[1]):
        first = i + 1 if space.interaction_only else i
        sums = (X[:, first:] * X[:, [i]]).T @ a
        factors = np.full(len(sums), 2.0 * space.gamma**2)
        factors[: 1 - int(space.interaction_only)] = space.gamma**2
        scores.append(factors * (sums**2).sum(axis=1))
    return np.concatenate(scores)


every_form = pytest.mark.parametrize("form", FORMS)
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])

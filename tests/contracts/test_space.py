"""What every feature space on a matrix promises, checked against NumPy on the dense matrix."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import check_array

import handful.spaces
from handful.sizes import changed_sizes
from handful.spaces import (
    CSCSpace,
    CSRSpace,
    DenseSpace,
    FeatureSpace,
    GroupedSpace,
    known_spaces,
    resolve_space,
)
from handful.spaces.resolve import USED_IN_PLACE

N_SAMPLES, N_FEATURES = 23, 40
# Spaces that make features from X are in test_made_space.py, and have tests of their own in test_additive.py,
# test_groups.py, test_polynomial.py, test_pair_search.py, bags/test_similarity.py and strings/.
ELSEWHERE = {GroupedSpace, *known_spaces().values()}


def draw(dtype):
    """A sparse matrix with a zero column, equal columns and columns of different lengths."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES)) * rng.uniform(0.1, 4.0, N_FEATURES)
    X[rng.random(X.shape) < 0.6] = 0.0
    X[:, 5] = 0.0
    X[:, 3] *= 20.0
    X[:, 17] = X[:, 3]
    X[:, 30] = -X[:, 3]
    return X.astype(dtype)


def with_int64_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unsorted_with_duplicates(X):
    """A CSR matrix whose rows hold every entry in two halves, in falling order of columns."""
    source = sp.csr_array(X)
    indices = [
        source.indices[a:b][::-1] for a, b in zip(source.indptr, source.indptr[1:], strict=False)
    ]
    data = [
        source.data[a:b][::-1] / 2 for a, b in zip(source.indptr, source.indptr[1:], strict=False)
    ]
    pairs = ([np.tile(part, 2) for part in parts] for parts in (data, indices))
    data, indices = (np.concatenate(list(parts)) for parts in pairs)
    return sp.csr_array((data, indices, 2 * source.indptr), shape=X.shape)


# Every kind of matrix, and the class its space must have when it is certain.
FORMS = {
    "row-major": (np.ascontiguousarray, DenseSpace),
    "column-major": (np.asfortranarray, DenseSpace),
    "strided view": (lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2], DenseSpace),
    "falling rows": (lambda X: X[::-1].copy()[::-1], DenseSpace),
    "read-only": (read_only, DenseSpace),
    "CSR": (sp.csr_array, CSRSpace),
    "CSC": (sp.csc_array, CSCSpace),
    "CSR matrix": (sp.csr_matrix, CSRSpace),
    "CSC matrix": (sp.csc_matrix, CSCSpace),
    "CSR int64": (lambda X: with_int64_indices(sp.csr_array(X)), CSRSpace),
    "CSC int64": (lambda X: with_int64_indices(sp.csc_array(X)), CSCSpace),
    "CSR duplicates": (unsorted_with_duplicates, CSRSpace),
    "CSC duplicates": (lambda X: unsorted_with_duplicates(X.T).T, CSCSpace),
}

every_form = pytest.mark.parametrize("form", FORMS)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_unit = pytest.mark.parametrize("unit", [None, "norm", "std"])


def make(form, dtype, unit=None, n_jobs=1):
    """The matrix in its form, the space on it, and the dense float64 columns it stands for."""
    dense = draw(dtype)
    convert, space_class = FORMS[form]
    X = convert(dense)
    if space_class is DenseSpace or (unit and not X.has_canonical_format):
        space = resolve_space(X, unit=unit, n_jobs=n_jobs)
    else:
        space = space_class(X, unit, n_jobs)
    expected = dense.astype(np.float64)
    factors = np.ones(N_FEATURES)
    if unit:
        sizes = np.linalg.norm(expected, axis=0) if unit == "norm" else expected.std(axis=0)
        varies = sizes > 1e-9 * np.abs(expected).max()
        factors = np.divide(1.0, sizes, out=np.zeros(N_FEATURES), where=varies)
    return X, space, expected * factors, factors


def brute_force(columns, a, k, exclude=()):
    """The best k by score, the lower id first among equals (up to rounding)."""
    scores = ((columns.T @ a.reshape(len(a), -1)) ** 2).sum(axis=1)
    rounded = np.round(scores / scores.max(), 6)
    ids = np.lexsort((np.arange(len(scores)), -rounded))
    ids = ids[(rounded[ids] > 0) & ~np.isin(ids, exclude)][:k]
    return ids, scores[ids]


def vectors(n_outputs):
    return np.random.default_rng(2).standard_normal((N_SAMPLES, n_outputs))


def test_every_space_is_under_this_contract():
    concrete = {
        cls
        for _, cls in inspect.getmembers(handful.spaces, inspect.isclass)
        if issubclass(cls, FeatureSpace) and not inspect.isabstract(cls)
    }
    forms = {space_class for _, space_class in FORMS.values()}
    assert concrete - ELSEWHERE == forms, "X in another storage has its form in FORMS"


@every_form
@every_dtype
def test_what_estimators_are_given_is_used_in_place(form, dtype):
    """A storage that the check of X does not know is turned into another one before it comes here."""
    convert, space_class = FORMS[form]
    X = convert(draw(dtype))
    checked = check_array(X, **USED_IN_PLACE)
    assert checked.dtype == dtype
    assert type(resolve_space(checked)) is space_class


@every_form
@every_dtype
@every_unit
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("k", [1, 7, N_FEATURES, 10 * N_FEATURES])
def test_top_equals_brute_force(form, dtype, unit, n_outputs, k):
    _, space, columns, _ = make(form, dtype, unit)
    a = vectors(n_outputs)
    ids, scores = space.top(a, k)
    expected_ids, expected_scores = brute_force(columns, a, k)
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_allclose(scores, expected_scores, rtol=tolerance)


@every_form
def test_columns_are_measured_in_every_unit(form):
    a, ids = vectors(2), np.arange(N_FEATURES)
    for unit in ("norm", "std"):
        _, space, columns, factors = make(form, np.float64, unit)
        np.testing.assert_allclose(space.column_scale(ids), factors, rtol=1e-6)
        np.testing.assert_array_equal(space.top(a, 7)[0], brute_force(columns, a, 7)[0])


@every_form
@every_unit
def test_one_vector_is_one_output(form, unit):
    _, space, _, _ = make(form, np.float64, unit)
    a = vectors(1)
    for one, two in zip(space.top(a[:, 0], 5), space.top(a, 5), strict=True):
        np.testing.assert_array_equal(one, two)


@every_form
@every_dtype
def test_excluded_features_are_passed_over(form, dtype):
    _, space, columns, _ = make(form, dtype)
    a = vectors(1)
    best, _ = space.top(a, 6)
    exclude = best[[4, 0, 2, 0]]  # in any order, repeated
    ids, _ = space.top(a, N_FEATURES, exclude=exclude)
    np.testing.assert_array_equal(ids, brute_force(columns, a, N_FEATURES, exclude)[0])
    nothing, _ = space.top(a, 5, exclude=np.arange(N_FEATURES))
    assert len(nothing) == 0


@every_form
def test_only_positive_scores_are_named(form):
    _, space, columns, _ = make(form, np.float64)
    ids, scores = space.top(np.zeros(N_SAMPLES), 5)
    assert len(ids) == len(scores) == 0
    a = np.zeros(N_SAMPLES)
    a[4] = 1.0
    ids, _ = space.top(a, N_FEATURES)
    assert set(ids) == set(np.flatnonzero(columns[4]))


@every_form
@every_dtype
def test_equal_columns_come_in_order_of_ids(form, dtype):
    _, space, columns, _ = make(form, dtype)
    ids, scores = space.top(columns[:, 3], 3)
    assert ids.tolist() == [3, 17, 30]
    assert len(set(scores)) == 1


@every_form
@every_dtype
@every_unit
def test_columns_equal_slices(form, dtype, unit):
    _, space, expected, factors = make(form, dtype, unit)
    ids = np.array([30, 2, 5, 39, 0])
    columns = space.columns(ids)
    assert columns.dtype == np.float64
    assert columns.shape == (N_SAMPLES, len(ids))
    if FORMS[form][1] is DenseSpace:
        assert isinstance(columns, np.ndarray)
        assert columns.flags.f_contiguous
    else:
        assert columns.format == "csc"
    dense = columns.toarray() if sp.issparse(columns) else columns
    np.testing.assert_allclose(dense, expected[:, ids], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(space.column_scale(ids), factors[ids], rtol=1e-6)
    assert space.columns(ids[:0]).shape == (N_SAMPLES, 0)


@every_form
@every_dtype
@every_unit
def test_folds_read_the_same_features(form, dtype, unit):
    _, space, expected, factors = make(form, dtype, unit)
    for_folds = space.in_memory()
    ids = np.array([17, 3, 5, 39, 0])
    columns = for_folds.columns(ids)
    dense = columns.toarray() if sp.issparse(columns) else columns
    np.testing.assert_allclose(dense, expected[:, ids], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(for_folds.column_scale(ids), factors[ids], rtol=1e-6)
    a = np.random.default_rng(1).standard_normal((N_SAMPLES, 2))
    for ours, theirs in zip(for_folds.top(a, 9), space.top(a, 9), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert for_folds.column_unit == space.column_unit
    assert not isinstance(for_folds, CSRSpace)  # picking columns of it is a walk over all entries


@every_form
@every_dtype
def test_columns_are_a_copy(form, dtype):
    X, space, expected, _ = make(form, dtype)
    columns = space.columns(np.arange(N_FEATURES))
    (columns.data if sp.issparse(columns) else columns)[:] = 7.0
    dense = X.toarray() if sp.issparse(X) else X
    np.testing.assert_array_equal(dense, expected)


@every_form
@every_dtype
@every_unit
def test_the_matrix_is_not_changed(form, dtype, unit):
    X, space, _, _ = make(form, dtype, unit)
    names = ("data", "indices", "indptr", "row", "col")
    parts = [getattr(X, name) for name in names if hasattr(X, name)] if sp.issparse(X) else [X]
    before = [part.copy() for part in parts]
    a = vectors(2)
    kept = a.copy()
    space.top(a, 5, exclude=np.array([3]))
    space.columns(np.array([1, 4]))
    for part, copy in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, copy)
        assert part.dtype == copy.dtype
    np.testing.assert_array_equal(a, kept)


@every_form
def test_sizes_and_names(form):
    _, space, _, _ = make(form, np.float32)
    assert (space.n_samples, space.n_features, space.dtype) == (N_SAMPLES, N_FEATURES, np.float32)
    ids = np.array([3, 0])
    assert space.names(ids) == ["x3", "x0"]
    assert space.names(ids, [f"gene {j}" for j in range(N_FEATURES)]) == ["gene 3", "gene 0"]


@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
@every_unit
@pytest.mark.parametrize("n_outputs", [1, 2])
@changed_sizes(entries_per_thread=50)
def test_two_threads_find_what_one_finds(convert, unit, n_outputs):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 12))
    X[rng.random(X.shape) < 0.3] = 0.0
    a = rng.standard_normal((300, n_outputs))
    answers = [resolve_space(convert(X), unit=unit, n_jobs=n_jobs).top(a, 12) for n_jobs in (1, 2)]
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    np.testing.assert_allclose(answers[0][1], answers[1][1], rtol=1e-12)
    expected = ((X.T @ a) ** 2).sum(axis=1)
    if unit is None:
        np.testing.assert_allclose(answers[1][1], np.sort(expected)[::-1], rtol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@every_dtype
def test_memory_mapped_file(tmp_path, order, dtype):
    dense = draw(dtype)
    np.save(tmp_path / "X.npy", np.asarray(dense, order=order))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    space = resolve_space(X, unit="norm")
    a = vectors(1)
    in_memory = resolve_space(dense, unit="norm")
    np.testing.assert_array_equal(space.top(a, 9)[0], in_memory.top(a, 9)[0])
    ids = np.array([1, 2])
    np.testing.assert_allclose(space.columns(ids), in_memory.columns(ids), rtol=1e-12)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array])
@every_dtype
def test_read_only_sparse_arrays(convert, dtype):
    X = convert(draw(dtype))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    for unit in (None, "norm", "std"):
        space = resolve_space(X, unit=unit, n_jobs=1)
        assert len(space.top(vectors(1), 4)[0]) == 4
        assert space.columns(np.array([1, 2])).shape == (N_SAMPLES, 2)


@pytest.mark.parametrize("form", ["CSR duplicates", "CSC duplicates"])
def test_duplicate_entries_are_added_up_before_columns_are_measured(form):
    dense = draw(np.float64)
    X = FORMS[form][0](dense)
    entries = X.data.copy()
    space = resolve_space(X, unit="norm")
    ids = np.array([3, 0, 5, 11])
    lengths = np.linalg.norm(space.columns(ids).toarray(), axis=0)
    np.testing.assert_allclose(lengths, [1.0, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(X.data, entries)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array])
def test_stored_zeros_are_zeros(convert):
    dense = draw(np.float64)
    X = convert(dense + 1.0)
    X.data -= 1.0
    assert X.nnz == dense.size
    space = resolve_space(X, unit="norm")
    ids, _ = space.top(vectors(1), N_FEATURES)
    assert 5 not in ids
    np.testing.assert_array_equal(space.columns(np.array([5])).toarray(), 0.0)


@every_dtype
def test_float32_sums_keep_their_digits(dtype):
    """A long column of equal numbers: a sum in float32 would be off by far more than its entries."""
    n_samples = 200_001
    X = np.full((n_samples, 2), 0.1, dtype=dtype)
    a = np.ones(n_samples)
    exact = n_samples * float(dtype(0.1))
    for convert in (np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array):
        _, scores = resolve_space(convert(X)).top(a, 2)
        np.testing.assert_allclose(np.sqrt(scores), exact, rtol=1e-6)

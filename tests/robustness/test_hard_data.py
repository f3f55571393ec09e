"""Data that are awkward but right: a sound result, in any container."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import TRUE_IDS, features, quantities, scores, two_classes

from handful import FGMClassifier, FGMRegressor

K = len(TRUE_IDS)
in_both_modes = pytest.mark.parametrize("k", [None, K], ids=["plain", "exactly k"])
by_any_solver = pytest.mark.parametrize("solver", ["auto", "apg", "ksupport", "mkl"])


def sound(model, k=None):
    """Finite everywhere, a valid certificate, exactly k features where asked for."""
    assert k is None or len(model.support_ids_) == k
    assert len(model.support_ids_) > 0
    for value in (model.weights_, model.intercept_, model.objective_, model.C_):
        assert np.isfinite(value).all()
    assert 0 <= model.dual_gap_ <= model.objective_ * (1 + 1e-9)
    bounds = [record.bound for record in model.history_ if record.phase != "refit"]
    assert bounds == sorted(bounds)
    assert all(r.bound <= r.objective * (1 + 1e-9) for r in model.history_)
    return model


@pytest.fixture(autouse=True)
def _no_warning_goes_unseen():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@in_both_modes
@by_any_solver
def test_separable(k, solver):
    X = features()
    y = (X[:, 3] > 0).astype(int)
    model = sound(FGMClassifier(k, solver=solver, tol=0.05).fit(X, y), k)
    assert 3 in model.support_ids_
    assert model.score(X, y) > 0.97


@in_both_modes
@by_any_solver
@pytest.mark.parametrize("C", [1e-10, 1e10])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_extreme_C(k, solver, C, loss):
    X, y = two_classes(n_samples=60)
    setting = {"C": C, "loss": loss, "solver": solver, "tol": 0.1, "max_rounds": 1}
    model = sound(FGMClassifier(k, budget=3, **setting).fit(X, y), k)
    assert model.C_ == C
    assert set(model.support_ids_) & set(TRUE_IDS)


@in_both_modes
@pytest.mark.parametrize("C", [1e-10, 1e10])
def test_extreme_C_in_regression(k, C):
    X, t = quantities()
    sound(FGMRegressor(k, C=C).fit(X, t), k)


@in_both_modes
@pytest.mark.parametrize("factor", [1e-30, 1e-8, 1e8, 1e30])
@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
def test_units_do_not_matter(k, factor, make):
    """C="auto" follows the scale of X: predictions are the same in any unit."""
    X, y = two_classes() if make is FGMClassifier else quantities()
    one, other = make(k, tol=0.1).fit(X, y), sound(make(k, tol=0.1).fit(factor * X, y), k)
    np.testing.assert_array_equal(other.support_ids_, one.support_ids_)
    np.testing.assert_allclose(factor * other.weights_, one.weights_, rtol=1e-4, atol=1e-6)


@in_both_modes
def test_columns_of_very_different_scale(k):
    X, y = two_classes()
    X[:, 17] *= 1e6
    X[:, 29] *= 1e-6
    sound(FGMClassifier(k, C="fast", max_rounds=1, scale="raw").fit(X, y), k)
    for scale in (None, "norm", "std"):
        model = sound(FGMClassifier(k, scale=scale, C="fast").fit(X, y), k)
        assert {17, 29} <= set(model.support_ids_)


@by_any_solver
def test_one_feature(solver):
    X, y = two_classes()
    for k in (None, 1):
        model = sound(FGMClassifier(k, solver=solver).fit(X[:, [3]], y), 1)
        assert model.support_ids_.tolist() == [0]


@in_both_modes
def test_two_rows(k):
    X = features(n_samples=2)
    sound(FGMClassifier(k, C="fast").fit(X, ["a", "b"]), k)
    sound(FGMRegressor(k, C="fast").fit(X, [0.5, 2.0]), k)


@in_both_modes
def test_far_more_features_than_rows(k):
    X = features(n_samples=20, n_features=20_000)
    y = (X[:, 123] > 0).astype(int)
    model = sound(FGMClassifier(k, C="fast").fit(X, y), k)
    assert model.score(X, y) == 1.0


@in_both_modes
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_two_positives_among_many(k, loss):
    X = features(n_samples=1000)
    y = np.zeros(1000, dtype=int)
    y[np.argsort(-X[:, 3])[:2]] = 1
    for class_weight in (None, "balanced"):
        model = FGMClassifier(k, loss=loss, class_weight=class_weight, tol=0.05, C="fast").fit(X, y)
        sound(model, k)
    assert model.score(X, y, np.where(y == 1, 499.0, 1.0)) > 0.95
    assert 3 in model.support_ids_


@in_both_modes
def test_duplicate_columns(k):
    X, y = two_classes()
    model = sound(FGMClassifier(k, C="fast").fit(np.hstack([X, X, X]), y), k)
    assert set(model.support_ids_ % X.shape[1]) & set(TRUE_IDS)
    assert model.score(np.hstack([X, X, X]), y) > 0.7


@in_both_modes
def test_constant_columns_are_never_chosen(k):
    X, y = two_classes()
    X[:, ::2] = np.linspace(-1e3, 1e3, 30)
    model = sound(FGMClassifier(k, C="fast").fit(X, y), k)
    assert (model.support_ids_ % 2 == 1).all()


def test_a_constant_column_stands_in_for_an_intercept():
    X, t = quantities()
    X[:, 7] = 1.0
    model = sound(FGMRegressor(K + 1, fit_intercept=False, C="fast").fit(X, t + 30.0), K + 1)
    assert 7 in model.support_ids_
    assert model.intercept_ == 0.0


@pytest.mark.parametrize("k", [None, 59, 60])
def test_nearly_all_features(k):
    X, y = two_classes()
    sound(FGMClassifier(k, budget=60, C="fast").fit(X, y), k)


CONTAINERS = {
    "F order": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X: np.lib.stride_tricks.as_strided(X, writeable=False),
    "list": lambda X: X.tolist(),
    "float128": lambda X: X.astype(np.longdouble),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "csr matrix": sp.csr_matrix,
    "coo": sp.coo_array,
    "lil": sp.lil_array,
    "dok": sp.dok_array,
    "bsr": lambda X: sp.bsr_array(X, blocksize=(2, 2)),
}


@pytest.fixture(scope="module")
def grid():
    """Multiples of 1/8 and as many rows of either class, so that sums are exact in any order; a row and a column are empty."""
    X = np.round(8 * features()) / 8
    X[np.abs(X) < 0.8] = 0.0
    X[5], X[:, 9] = 0.0, 0.0
    y = (scores(X) > np.median(scores(X))).astype(int)
    return X, y


def same_result(model, expected):
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6)
    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-9)


@in_both_modes
@pytest.mark.parametrize("scale", [None, "norm"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(grid, k, container, scale):
    X, y = grid
    given = CONTAINERS[container](X)
    setting = {"scale": scale, "loss": "logistic", "max_rounds": 3, "C": "fast"}
    model, expected = FGMClassifier(k, **setting), FGMClassifier(k, **setting)
    same_result(model.fit(given, y), expected.fit(X, y))
    np.testing.assert_allclose(model.decision_function(given), model.decision_function(X))


def unsorted(X):
    messy = sp.csc_array(X)
    for j in range(X.shape[1]):
        part = slice(messy.indptr[j], messy.indptr[j + 1])
        messy.indices[part] = messy.indices[part][::-1].copy()
        messy.data[part] = messy.data[part][::-1].copy()
    messy.has_sorted_indices = False
    return messy


def duplicated(X):
    """Every entry as a sum of two."""
    rows, columns = np.nonzero(X)
    order = np.argsort(np.concatenate([columns, columns]), kind="stable")
    indptr = np.concatenate([[0], np.cumsum(2 * np.count_nonzero(X, axis=0))])
    data = np.concatenate([X[rows, columns] + 1.0, np.full(len(rows), -1.0)])[order]
    return sp.csc_array((data, np.concatenate([rows, rows])[order], indptr), shape=X.shape)


def with_explicit_zeros(X):
    padded = sp.csc_array(np.where(X == 0.0, 1.0, X))
    padded.data[padded.data == 1.0] = 0.0
    return padded


def with_wide_indices(X):
    wide = sp.csc_array(X)
    return sp.csc_array(
        (wide.data, wide.indices.astype(np.int64), wide.indptr.astype(np.int64)), shape=X.shape
    )


MESSES = [unsorted, duplicated, with_explicit_zeros, with_wide_indices]


@in_both_modes
@pytest.mark.parametrize("scale", [None, "norm"])
@pytest.mark.parametrize("by_row", [False, True], ids=["csc", "csr"])
@pytest.mark.parametrize("make", MESSES, ids=[make.__name__ for make in MESSES])
def test_messy_sparse_matrices_are_read_and_left_alone(grid, k, make, by_row, scale):
    X, y = grid
    X = np.where(X == 1.0, 2.0, X)
    given = make(X.T).T if by_row else make(X)
    assert given.format == ("csr" if by_row else "csc")
    before = given.copy()
    setting = {"scale": scale, "loss": "logistic", "max_rounds": 3, "C": "fast"}
    same_result(FGMClassifier(k, **setting).fit(given, y), FGMClassifier(k, **setting).fit(X, y))
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(given, part), getattr(before, part))


@in_both_modes
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool, np.float16])
def test_other_number_types(grid, k, dtype):
    X, y = grid
    X = (8 * np.abs(X)).astype(dtype)
    setting = {"loss": "logistic", "max_rounds": 3, "C": "fast"}
    expected = FGMClassifier(k, **setting).fit(X.astype(float), y)
    for given in (X, *([sp.csr_array(X)] if dtype != np.float16 else [])):
        same_result(FGMClassifier(k, **setting).fit(given, y), expected)


def test_a_memory_map_on_disk(tmp_path):
    X, y = two_classes()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    same_result(FGMClassifier(K, C="fast").fit(mapped, y), FGMClassifier(K, C="fast").fit(X, y))


@pytest.mark.parametrize(
    "convert",
    [np.ascontiguousarray, np.asfortranarray, sp.csc_array, sp.csr_array],
    ids=["C order", "F order", "csc", "csr"],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_X_is_not_copied(convert, dtype):
    """Extra memory is the active columns and a few numbers per row and column."""
    X = features(n_samples=500, n_features=3000)
    y = (scores(X) > 0).astype(int)
    X = convert(X.astype(dtype))
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes
    FGMClassifier(K, C="fast").fit(X, y)  # kernels are compiled here
    tracemalloc.start()
    FGMClassifier(K, C="fast").fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.25 * size

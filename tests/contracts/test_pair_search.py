"""The best products of two columns: against brute force on all of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from pair_matrices import (
    FORMS,
    N_COLUMNS,
    N_SAMPLES,
    SETTINGS,
    brute_force,
    draw,
    every_dtype,
    every_form,
    every_setting,
    exact_scores,
    expanded,
    vectors,
)

from handful.sizes import changed_sizes
from handful.spaces import Polynomial


@pytest.fixture
def small_steps():
    """Small matrices go the ways of large ones: many tiles and blocks, a sample, several rounds."""
    dense = {"tile_columns": 3, "tile_rows": 5, "block_entries": 20}
    with changed_sizes(first_scanned=1, sampled_columns=3, many_samples=1, **dense):
        yield


@every_form
@every_dtype
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("k", [1, 7, 1000])
def test_top_equals_brute_force(form, dtype, n_outputs, k, small_steps):
    space = Polynomial(0.7, 1.3).on(FORMS[form](draw(dtype)))
    columns, a = expanded(draw(dtype), space), vectors(n_outputs)
    ids, scores = space.top(a, k)
    expected_ids, expected_scores = brute_force(columns, a, k)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-10)


def random_case(rng, exact):
    """A small problem; when exact all scores are, so that equal ones are equal to the last digit."""
    n_samples, n_columns, n_outputs = rng.integers(1, 13), rng.integers(2, 13), rng.integers(1, 4)
    X = rng.standard_normal((n_samples, n_columns)) * rng.choice([0.05, 1, 3], n_columns)
    a = rng.standard_normal((n_samples, n_outputs))
    if exact:
        X, a = np.round(2 * X), np.round(a)
    if rng.random() < 0.5:
        X = np.abs(X)
    X[rng.random(X.shape) < rng.choice([0.0, 0.3, 0.7])] = 0.0
    X[:, rng.integers(n_columns)] = 0.0
    if exact:
        X[:, rng.integers(n_columns)] = rng.choice([-1, 1]) * X[:, rng.integers(n_columns)]
        a[rng.random(n_samples) < 0.2] = 0.0
    powers = [0.25, 0.5, 1.0, 2.0]
    space = Polynomial(
        gamma=rng.choice(powers) if exact else rng.uniform(0.1, 3.0),
        coef0=rng.choice([0.0, *powers]) if exact else rng.uniform(0.0, 3.0),
        **SETTINGS[rng.integers(4)],
    )
    return X, a, space


@pytest.mark.parametrize("exact", [True, False], ids=["ties", "no ties"])
@pytest.mark.parametrize("steps", ["small", "large"])
def test_pruning_loses_nothing(exact, steps, request, fewer):
    if steps == "small":
        request.getfixturevalue("small_steps")
    rng = np.random.default_rng(5)
    for _ in range(fewer(1000)):
        X, a, config = random_case(rng, exact)
        scores = exact_scores(X, a, config)
        k = int(rng.integers(1, 12))
        exclude = rng.choice(len(scores), rng.integers(0, min(len(scores), 8)))
        order = np.lexsort((np.arange(len(scores)), -scores))
        order = order[(scores[order] > 0) & ~np.isin(order, exclude)][:k]
        for convert in (np.asarray, sp.csr_array):
            space = config.on(convert(X))
            space.n_threads = int(rng.integers(1, 4))
            ids, found = space.top(a, k, exclude)
            if exact:
                np.testing.assert_array_equal(ids, order)
                np.testing.assert_array_equal(found, scores[order])
            else:
                np.testing.assert_allclose(found, scores[order], rtol=1e-9, atol=1e-25)
                np.testing.assert_allclose(found, scores[ids], rtol=1e-9, atol=1e-25)
                assert len(set(ids.tolist())) == len(ids)
                assert not np.isin(ids, exclude).any()


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@every_setting
@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_larger_matrix_is_searched_to_the_end(convert, setting, nonnegative):
    """As many columns as sampling and tiles are made for, of very different strength."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 1500)) * rng.exponential(1.0, 1500) ** 2
    X[rng.random(X.shape) < 0.9] = 0.0
    X = np.abs(X) if nonnegative else X
    a = rng.standard_normal((60, 2))
    space = Polynomial(**setting).on(convert(X))
    space.n_threads = 2
    ids, scores = space.top(a, 50)
    everything = exact_scores(X, a, space)
    np.testing.assert_array_equal(ids, np.lexsort((np.arange(len(everything)), -everything))[:50])
    np.testing.assert_allclose(scores, everything[ids], rtol=1e-10)


@pytest.mark.parametrize("form", ["row-major", "column-major", "CSR", "CSC"])
def test_equal_products_come_in_order_of_ids(form, small_steps):
    """Twins of irrational entries: sums in another order would differ in the last digit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30))
    X[:, [4, 11, 25]] = 3 * X[:, [4]]
    X[:, 17] = -X[:, 4]
    a = X[:, 4] * X[:, 9]
    space = Polynomial(include_linear=False).on(FORMS[form](X))
    ids, scores = space.top(a, 4)
    assert space.names(ids) == ["x4 x9", "x9 x11", "x9 x17", "x9 x25"]
    assert len(set(scores)) == 1


@pytest.mark.parametrize("form", ["row-major", "CSR", "CSC"])
def test_excluded_features_are_passed_over(form):
    space = Polynomial().on(FORMS[form](draw()))
    columns, a = expanded(draw(), space), vectors(1)
    best, _ = space.top(a, 6)
    exclude = best[[4, 0, 2, 0]]  # in any order, repeated
    ids, _ = space.top(a, 30, exclude=exclude)
    np.testing.assert_array_equal(ids, brute_force(columns, a, 30, exclude)[0])
    assert len(space.top(a, 5, exclude=np.arange(space.n_features))[0]) == 0


@pytest.mark.parametrize("form", ["row-major", "CSR"])
@every_setting
def test_only_positive_scores_are_named(form, setting):
    space = Polynomial(**setting).on(FORMS[form](draw()))
    for k in (0, 5):
        assert [len(part) for part in space.top(np.zeros(N_SAMPLES), k)] == [0, 0]
    a = np.zeros(N_SAMPLES)
    a[4] = 1.0
    assert [len(part) for part in space.top(a, 0)] == [0, 0]
    ids, _ = space.top(a, space.n_features)
    assert set(ids) == set(np.flatnonzero(expanded(draw(), space)[4]))
    without_linear = Polynomial(coef0=0.0).on(FORMS[form](draw()))
    assert (without_linear.top(vectors(1), 1000)[0] >= N_COLUMNS).all()


@pytest.mark.parametrize("form", ["row-major", "CSR"])
def test_one_vector_is_one_output(form):
    space = Polynomial().on(FORMS[form](draw()))
    a = vectors(1)
    for one, two in zip(space.top(a[:, 0], 5), space.top(a, 5), strict=True):
        np.testing.assert_array_equal(one, two)


def test_any_number_of_threads_finds_the_same(small_steps):
    X = sp.random_array((300, 80), density=0.2, rng=np.random.default_rng(0), format="csc")
    a = np.random.default_rng(1).standard_normal((300, 2))
    space = Polynomial().on(X)
    alone = space.top(a, 30)
    for n_threads in (2, 3, 100):
        space.n_threads = n_threads
        for one, many in zip(alone, space.top(a, 30), strict=True):
            np.testing.assert_array_equal(one, many)


@every_form
@every_dtype
def test_nothing_is_changed(form, dtype):
    X, a = FORMS[form](draw(dtype)), vectors(2)
    parts = (X.data, X.indices, X.indptr, a) if sp.issparse(X) else (X, a)
    before = [part.copy() for part in parts]
    space = Polynomial().on(X)
    space.top(a, 5, exclude=np.array([3]))
    space.columns(np.array([1, 14]))
    for part, copied in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, copied)
        assert part.dtype == copied.dtype


def test_ids_beyond_32_bits():
    """Two entries in the last columns of many: their product is found, named and made."""
    m = 3_000_000
    X = sp.csr_array(([2.0, 3.0, 5.0], ([0, 0, 1], [7, m - 1, m - 2])), shape=(2, m))
    space = Polynomial(include_linear=False, interaction_only=True).on(X)
    ids, scores = space.top(np.array([1.0, 1.0]), 10)
    assert space.names(ids) == [f"x7 x{m - 1}"]
    assert ids[0] > 2**24
    np.testing.assert_allclose(scores, [72.0])
    np.testing.assert_allclose(space.columns(ids).toarray(), [[6 * np.sqrt(2)], [0.0]])
    assert space.n_features == m * (m - 1) // 2
    last = np.array([space.n_features - 1])
    assert space.names(last) == [f"x{m - 2} x{m - 1}"]


@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_array])
@every_dtype
def test_float32_sums_keep_their_digits(convert, dtype):
    X = np.full((200_001, 2), 0.1, dtype=dtype)
    space = Polynomial(include_linear=False).on(convert(X))
    _, scores = space.top(np.ones(len(X)), 3)
    exact = len(X) * float(dtype(0.1)) ** 2
    np.testing.assert_allclose(np.sqrt(scores), exact * np.array([np.sqrt(2), 1, 1]), rtol=1e-9)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_very_large_and_small_numbers(convert, factor):
    a = vectors(2)
    ids, scores = Polynomial(include_linear=False).on(convert(draw())).top(a, 10)
    far, far_scores = Polynomial(include_linear=False).on(convert(draw() * factor)).top(a, 10)
    np.testing.assert_array_equal(far, ids)
    np.testing.assert_allclose(far_scores, scores * factor**4, rtol=1e-9)

"""Products of two columns: against the expanded matrix, the kernel, and counting."""

import copy
import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from handful.spaces import Polynomial, pairs_dense, pairs_sparse
from handful.spaces.pair_numbering import ALONE, PairNumbering

N_SAMPLES, N_COLUMNS = 23, 9
SETTINGS = [
    {"interaction_only": only, "include_linear": linear}
    for only, linear in itertools.product([False, True], repeat=2)
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


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
every_form = pytest.mark.parametrize("form", FORMS)


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


@pytest.fixture
def small_steps(monkeypatch):
    """Small matrices go the ways of large ones: many tiles and blocks, a sample, several rounds."""
    monkeypatch.setattr(pairs_dense, "TILE", 3)
    monkeypatch.setattr(pairs_dense, "ROWS_AT_ONCE", 5)
    monkeypatch.setattr(pairs_dense, "BLOCK_ENTRIES", 20)
    monkeypatch.setattr(pairs_sparse, "FIRST_COLUMNS", 1)
    monkeypatch.setattr(pairs_sparse, "SAMPLE", 3)
    monkeypatch.setattr(pairs_sparse, "FEW", 1)


# --- numbering -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_columns", [1, 2, 3, 7])
@pytest.mark.parametrize("apart", [0, 1])
@pytest.mark.parametrize("linear", [False, True])
def test_ids_count_linear_features_then_the_upper_triangle_by_rows(n_columns, apart, linear):
    numbering = PairNumbering(n_columns, apart, n_columns if linear else 0)
    features = [(i, ALONE) for i in range(n_columns)] if linear else []
    features += [(i, j) for i in range(n_columns) for j in range(i + apart, n_columns)]
    assert numbering.n_features == len(features)
    left, right = numbering.decode(np.arange(len(features)))
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == features
    paired = right != ALONE
    np.testing.assert_array_equal(
        numbering.encode(left[paired], right[paired]), np.flatnonzero(paired)
    )


@pytest.mark.parametrize("n_columns", [2**32 - 1, 2**31 + 5, 1_604_981, 94_906_267])
@pytest.mark.parametrize("apart", [0, 1])
def test_numbers_are_exact_up_to_the_largest_id(n_columns, apart):
    numbering = PairNumbering(n_columns, apart, 0)
    assert numbering.n_features <= 2**63 - 1
    rng = np.random.default_rng(0)
    left = np.concatenate(
        [
            rng.integers(0, n_columns - apart, 1000),
            np.arange(100),
            n_columns - apart - 1 - np.arange(100),
        ]
    )
    for right in (
        left + apart,
        np.full_like(left, n_columns - 1),
        rng.integers(left + apart, n_columns),
    ):
        ids = numbering.encode(left, right)
        # Whole numbers of any size: where row i starts, and how far into it j is.
        rows = n_columns - apart
        expected = [
            i * rows - i * (i - 1) // 2 + j - i - apart
            for i, j in zip(left.tolist(), right.tolist(), strict=True)
        ]
        assert ids.tolist() == expected
        for found, wanted in zip(numbering.decode(ids), (left, right), strict=True):
            np.testing.assert_array_equal(found, wanted)
    last = np.array([numbering.n_features - 1])
    assert [int(part[0]) for part in numbering.decode(last)] == [
        n_columns - 1 - apart,
        n_columns - 1,
    ]


def test_names():
    space = Polynomial().on(np.ones((2, 3)))
    plain = ["x0", "x1", "x2", "x0^2", "x0 x1", "x0 x2", "x1^2", "x1 x2", "x2^2"]
    assert space.names(np.arange(9)) == plain
    assert space.names(np.array([8, 4, 1]), ["age", "size", "cost"]) == [
        "cost^2",
        "age size",
        "size",
    ]
    assert space.names(np.array([], dtype=np.int64)) == []
    interactions = Polynomial(interaction_only=True, include_linear=False).on(np.ones((2, 3)))
    assert interactions.names(np.arange(3)) == ["x0 x1", "x0 x2", "x1 x2"]


# --- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 1.0), (0.3, 2.0), (2.5, 0.0)])
@pytest.mark.parametrize("form", ["row-major", "CSR"])
def test_the_features_and_a_constant_make_the_kernel(gamma, coef0, form):
    X = draw()
    space = Polynomial(gamma, coef0).on(FORMS[form](X))
    phi = as_dense(space.columns(np.arange(space.n_features)))
    kernel = (gamma * X @ X.T + coef0) ** 2
    np.testing.assert_allclose(phi @ phi.T + coef0**2, kernel, rtol=1e-12, atol=1e-12)


@every_form
@every_dtype
@every_setting
def test_columns_equal_the_expansion(form, dtype, setting):
    X = FORMS[form](draw(dtype))
    space = Polynomial(0.7, 1.3, **setting).on(X)
    expected = expanded(draw(dtype), space)
    assert space.n_features == expected.shape[1]
    assert (space.n_samples, space.dtype) == (N_SAMPLES, dtype)
    ids = np.random.default_rng(1).permutation(space.n_features)
    for some in (ids, ids[:4], ids[:1], ids[[0, 2, 0]], ids[:0]):
        columns = space.columns(some)
        assert columns.dtype == np.float64
        assert columns.shape == (N_SAMPLES, len(some))
        if sp.issparse(X):
            assert columns.format == "csc"
            assert columns.has_canonical_format
        else:
            assert columns.flags.f_contiguous
        np.testing.assert_allclose(as_dense(columns), expected[:, some], rtol=1e-13, atol=1e-300)
    np.testing.assert_array_equal(space.widths(ids), 1)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.csc_array])
def test_new_rows_get_the_same_features(convert):
    X = draw()
    config = Polynomial(0.5)
    bound = config.on(convert(X[:15]))
    ids = np.array([3, 20, 40, 11])
    there = config.remembering(bound, ids).on(convert(X[15:]))
    np.testing.assert_allclose(as_dense(there.columns(ids)), expanded(X[15:], config)[:, ids])


def test_columns_are_a_copy():
    X = draw()
    space = Polynomial(0.5, 1.0).on(X)  # the factor of linear features is one
    space.columns(np.arange(N_COLUMNS))[:] = 7.0
    np.testing.assert_array_equal(X, draw())


# --- the best ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("exact", [True, False], ids=["ties", "no ties"])
@pytest.mark.parametrize("steps", ["small", "large"])
def test_pruning_loses_nothing(exact, steps, request):
    if steps == "small":
        request.getfixturevalue("small_steps")
    rng = np.random.default_rng(5)
    for _ in range(1000):
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


# --- the object ----------------------------------------------------------------------------------


def test_a_configuration_is_plain():
    config = Polynomial(0.5, coef0=0, interaction_only=True)
    text = "Polynomial(gamma=0.5, coef0=0, interaction_only=True, include_linear=True, degree=2)"
    for twin in (config, copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert repr(twin) == text
    bound = config.on(draw())
    assert bound is not config
    assert vars(config) == vars(Polynomial(0.5, coef0=0, interaction_only=True))


def test_fingerprints_tell_features_apart():
    X = draw()
    changed = X.copy()
    changed[-1, -1] += 1e-9
    spaces = [
        Polynomial().on(X),
        Polynomial().on(changed),
        Polynomial().on(X[:, :-1]),
        Polynomial(gamma=2.0).on(X),
        Polynomial(coef0=2.0).on(X),
        Polynomial(interaction_only=True).on(X),
        Polynomial(include_linear=False).on(X),
        Polynomial().on(X.astype(np.float32)),
    ]
    prints = [space.fingerprint() for space in spaces]
    assert len(set(prints)) == len(prints)
    assert Polynomial().on(np.asfortranarray(X)).fingerprint() == prints[0]


# --- what bad input gets -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"degree": 3}, "degree must be 2, because .*; got 3."),
        ({"degree": 2.0}, "degree must be 2, because .*; got 2.0."),
        ({"degree": True}, "degree must be 2, because .*; got True."),
        ({"gamma": 0}, "gamma must be a number above 0; got 0."),
        ({"gamma": -1.0}, "gamma must be a number above 0; got -1.0."),
        ({"gamma": float("nan")}, "gamma must be a number above 0; got nan."),
        ({"gamma": float("inf")}, "gamma must lie between .*; got inf."),
        ({"gamma": "1"}, "gamma must be a number above 0; got '1'."),
        ({"coef0": -0.5}, "coef0 must be a number from 0 to 1e.75; got -0.5."),
        ({"coef0": float("nan")}, "coef0 must be a number from 0 to 1e.75; got nan."),
        ({"coef0": float("inf")}, "coef0 must be a number from 0 to 1e.75; got inf."),
        ({"coef0": None}, "coef0 must be a number from 0 to 1e.75; got None."),
        ({"include_linear": 1}, "include_linear must be True or False; got 1."),
        ({"interaction_only": "no"}, "interaction_only must be True or False; got 'no'."),
    ],
)
def test_wrong_parameters_are_named_when_data_comes(parameters, sentence):
    config = Polynomial(**parameters)
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        config.on(draw())


def test_data_without_pairs_or_with_too_many():
    one = np.ones((3, 1))
    with pytest.raises(
        ValueError, match=r"^X has one column, which makes no pair with another; set"
    ):
        Polynomial(interaction_only=True, include_linear=False).on(one)
    assert Polynomial(interaction_only=True).on(one).n_features == 1
    assert Polynomial(interaction_only=True).on(one).top(np.ones(3), 5)[0].tolist() == [0]
    too_many = sp.csr_array((1, 5_000_000_000))
    with pytest.raises(
        ValueError, match=r"^X has 5000000000 columns, whose pairs are more than 64-bit"
    ):
        Polynomial().on(too_many)


@pytest.mark.parametrize(
    "ask",
    [
        lambda space: space.top(np.ones(3), 1),
        lambda space: space.columns(np.array([0])),
        lambda space: space.names(np.array([0])),
        lambda space: space.fingerprint(),
    ],
)
def test_a_space_without_data_says_so(ask):
    with pytest.raises(TypeError, match=r"has no data yet; use what its on\(X\) returns"):
        ask(Polynomial())

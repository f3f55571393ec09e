"""Spaces with one kernel for each column of X: against the kernels themselves, summed pair by pair."""

import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import handful.spaces
from handful import FGMClassifier
from handful.sizes import changed_sizes
from handful.spaces import AdditiveKernel, HistogramIntersection
from handful.spaces.base import sum_runs
from handful.spaces.columnwise.base import ColumnwiseSpace

N_SAMPLES, N_FEATURES = 47, 12
ZERO, CONSTANT, FULL, BINARY = 4, 5, 6, 7  # columns of a special kind
TWINS = (2, 9)
IDS = np.arange(N_FEATURES)

# What a space may miss of its kernel, in units of the kernel's largest value.
SPACES = {
    "intersection": (HistogramIntersection(), 1e-12),
    "intersection, root": (HistogramIntersection(beta=0.5), 1e-12),
    "intersection, square": (HistogramIntersection(beta=2, n_levels=64), 1e-12),
    "intersection, 8 levels": (HistogramIntersection(n_levels=8), 1 / 32),
    "gaussian": (AdditiveKernel(), 1e-7),
    "gaussian, fixed": (AdditiveKernel(gamma=0.05, n_components=15), 1e-7),
    "anova": (AdditiveKernel("anova", degree=2, n_components=21), 1e-8),
    "chi2": (AdditiveKernel("chi2"), 1.3e-5),
    "chi2, 21 nodes": (AdditiveKernel("chi2", n_components=21), 2e-7),
}
every_space = pytest.mark.parametrize("name", SPACES)
EXACT = ["intersection", "intersection, root", "intersection, square"]


def with_int64_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def halves(X, form):
    """Every entry in two halves, those of a row or column in falling order."""
    coo = sp.coo_array(X)
    data, rows, columns = (
        np.tile(part[::-1], 2) for part in (coo.data / 2, coo.row.copy(), coo.col.copy())
    )
    major, minor = (rows, columns) if form == "csr" else (columns, rows)
    order = np.argsort(major, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=X.shape[form == "csc"]))])
    made = getattr(sp, f"{form}_array")((data[order], minor[order], indptr), shape=X.shape)
    assert not made.has_canonical_format
    return made


def stored_zeros(X):
    full = sp.csc_array(np.ones_like(X))
    full.data[:] = X.T.ravel()
    return full


def read_only(X):
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


FORMS = {
    "row-major": np.ascontiguousarray,
    "column-major": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSC matrix": sp.csc_matrix,
    "CSC int64": lambda X: with_int64_indices(sp.csc_array(X)),
    "CSR duplicates": lambda X: halves(X, "csr"),
    "CSC duplicates": lambda X: halves(X, "csc"),
    "CSC stored zeros": stored_zeros,
    "read-only": lambda X: read_only(sp.csc_array(X)),
}


def draw(name, dtype=np.float64, n_samples=N_SAMPLES):
    """Sparse columns of different sizes; without negative entries for chi2."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, N_FEATURES)) * rng.uniform(0.1, 4.0, N_FEATURES)
    X[rng.random(X.shape) < 0.5] = 0.0
    X[:, ZERO] = 0.0
    X[:, CONSTANT] = 1.5
    X[:, FULL] = rng.uniform(-3.0, -1.0, n_samples)
    X[:, BINARY] = rng.random(n_samples) < 0.3
    X[:, TWINS[1]] = X[:, TWINS[0]]
    return (np.abs(X) if "chi2" in name else X).astype(dtype)


def vectors(n_outputs=1, n_samples=N_SAMPLES):
    return np.random.default_rng(1).standard_normal((n_samples, n_outputs))


def kernel(space, x, z, low, high):
    """The kernel of one column between two vectors of entries, from its definition."""
    x, z = x.astype(np.float64)[:, None], z.astype(np.float64)[None, :]
    if isinstance(space, HistogramIntersection):
        return np.minimum(np.abs(x) ** space.beta, np.abs(z) ** space.beta)
    if low == high:
        return np.zeros((x.size, z.size))  # constants are of no use, by rule
    if space.kind == "chi2":
        return np.divide(2 * x * z, x + z, out=np.zeros((x.size, z.size)), where=x + z > 0)
    gamma = 8 / (high - low) ** 2 if space.gamma == "scale" else space.gamma
    return np.exp(-gamma * (x - z) ** 2) ** (space.degree if space.kind == "anova" else 1)


def kernels_of(space, X, Z=None):
    Z = X if Z is None else Z
    return [kernel(space, x, z, x.min(), x.max()) for x, z in zip(X.T, Z.T, strict=True)]


def double_sums(space, X, a):
    """The scores of all features by the definition: sum over pairs of a_h a_i k(x_h, x_i)."""
    return np.array([np.einsum("hk,hi,ik->", a, K, a) for K in kernels_of(space, X)])


def dense(columns):
    return columns.toarray() if sp.issparse(columns) else columns


def blocks(bound, ids=IDS):
    """The columns of each feature."""
    return np.split(dense(bound.columns(ids)), np.cumsum(bound.widths(ids))[:-1], axis=1)


def scores_of_columns(bound, a):
    dots = dense(bound.columns(IDS)).T @ a
    return sum_runs((dots**2).sum(axis=1), bound.widths(IDS))


def all_scores(bound, a):
    scores = np.zeros(N_FEATURES)
    ids, best = bound.top(a, N_FEATURES)
    scores[ids] = best
    return scores


def test_every_additive_space_is_under_this_contract():
    found = {
        cls
        for _, cls in inspect.getmembers(handful.spaces, inspect.isclass)
        if issubclass(cls, ColumnwiseSpace) and not inspect.isabstract(cls)
    }
    assert found == {type(space) for space, _ in SPACES.values()}


@every_space
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_scores_equal_the_double_sum_of_the_kernel(name, n_outputs):
    space, error = SPACES[name]
    X, a = draw(name), vectors(n_outputs)
    expected = double_sums(space, X, a)
    found = all_scores(space.on(X), a)
    if isinstance(space, HistogramIntersection):  # exact for any number of levels
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        return
    sizes = np.array([K.max() for K in kernels_of(space, X)])
    room = error * sizes * (np.abs(a).sum(axis=0) ** 2).sum()
    assert (found <= expected + 1e-9).all()
    assert (found >= expected - room - 1e-9).all()
    assert ((found > 0) == (sizes > 0)).all()


@every_space
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_scores_of_columns_never_exceed_those_of_the_space(name, n_outputs):
    """And equal them where the columns are the whole map: a bound from the scores holds."""
    space, _ = SPACES[name]
    bound, a = space.on(draw(name)), vectors(n_outputs)
    scores, of_columns = all_scores(bound, a), scores_of_columns(bound, a)
    if name == "intersection, 8 levels":
        assert (of_columns <= scores * (1 + 1e-12)).all()
        assert (of_columns < scores * (1 - 1e-4)).any()
    else:
        np.testing.assert_allclose(of_columns, scores, rtol=1e-8, atol=1e-12)


@every_space
def test_columns_give_the_kernel_to_the_stated_error(name):
    space, error = SPACES[name]
    X = draw(name)
    for block, K in zip(blocks(space.on(X)), kernels_of(space, X), strict=True):
        missed = K - block @ block.T
        assert np.abs(missed).max() <= error * max(K.max(), 1e-300)
        # A projection: what is missed is a kernel itself, largest where x = z.
        assert np.linalg.eigvalsh(missed).min() >= -1e-9 * max(K.max(), 1.0)


def test_intersection_misses_no_more_than_a_quarter_of_a_step():
    X = np.linspace(0.0, 3.0, 1001)[:, None]
    bound = HistogramIntersection(n_levels=7).on(X)
    (block,) = blocks(bound, np.array([0]))
    missed = np.minimum(X, X.T) - block @ block.T
    step = 3.0 / 7
    assert missed.min() >= -1e-12
    assert 0.9 * step / 4 <= missed.max() <= step / 4 + 1e-12


def test_levels_are_the_distinct_values_up_to_the_limit():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [-3.0, 3.0], [3.0, 4.0], [7.0, -4.5]])
    bound = HistogramIntersection(n_levels=3).on(X)
    assert bound.widths(np.array([0, 1])).tolist() == [3, 3]
    assert bound.names(np.array([0, 1])) == [
        *("|x0|>0", "|x0|>1", "|x0|>3"),  # the values 1, 3 and 7
        *("|x1|>0", "|x1|>1.5", "|x1|>3"),  # five values: three steps up to 4.5
    ]


def test_chi2_misses_less_than_the_sampled_spectrum():
    """AdditiveChi2Sampler, as many columns, the best of its intervals."""
    from sklearn.kernel_approximation import AdditiveChi2Sampler

    x = np.unique(np.concatenate([np.linspace(0, 1, 301), np.geomspace(1e-9, 1, 200)]))[:, None]
    K = np.divide(2 * x * x.T, x + x.T, out=np.zeros((len(x), len(x))), where=x + x.T > 0)
    (block,) = blocks(AdditiveKernel("chi2", n_components=11).on(x), np.array([0]))
    assert block.shape[1] == 11
    ours = np.abs(K - block @ block.T).max()
    theirs = []
    for interval in np.arange(0.2, 1.0, 0.05):
        sampler = AdditiveChi2Sampler(sample_steps=6, sample_interval=interval)
        sampled = sampler.fit_transform(x)
        assert sampled.shape[1] == 11
        theirs.append(np.abs(K - sampled @ sampled.T).max())
    assert ours < 1.3e-5
    assert ours < min(theirs) / 100


@pytest.mark.parametrize(
    ("gamma", "n_components", "error"), [("scale", 7, 4.5e-4), (2.0, 11, 7e-8), (8.0, 21, 3e-8)]
)
def test_gaussian_misses_what_is_stated(gamma, n_components, error):
    x = np.linspace(-1.0, 1.0, 501)[:, None]
    space = AdditiveKernel(gamma=gamma, n_components=n_components)
    (block,) = blocks(space.on(x), np.array([0]))
    K = kernel(space, x[:, 0], x[:, 0], -1.0, 1.0)
    assert error / 10 < np.abs(K - block @ block.T).max() <= error


def test_directions_that_carry_nothing_are_left_out():
    x = np.linspace(-1.0, 1.0, 50)[:, None]
    space = AdditiveKernel(n_components=60)
    (block,) = blocks(space.on(x), np.array([0]))
    assert 12 <= block.shape[1] <= 20
    assert np.abs(kernel(space, x[:, 0], x[:, 0], -1.0, 1.0) - block @ block.T).max() < 1e-9


@every_space
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_form_gives_the_same(name, form, dtype):
    space, _ = SPACES[name]
    tolerance = 1e-4 if dtype == np.float32 else 1e-9
    X, a = draw(name, dtype), vectors(2)
    made = FORMS[form](X)
    bound, plain = space.on(made), space.on(draw(name))
    assert (bound.n_samples, bound.n_features, bound.dtype) == (*X.shape, dtype)
    np.testing.assert_allclose(all_scores(bound, a), all_scores(plain, a), rtol=tolerance)
    columns = bound.columns(IDS)
    assert columns.dtype == np.float64
    keeps_zeros = not ("gaussian" in name or "anova" in name)
    assert sp.issparse(columns) == (sp.issparse(made) and keeps_zeros)
    assert columns.has_canonical_format if sp.issparse(columns) else columns.flags.f_contiguous
    for ours, theirs in zip(blocks(bound), blocks(plain), strict=True):
        K = theirs @ theirs.T
        np.testing.assert_allclose(ours @ ours.T, K, atol=tolerance * max(K.max(), 1.0))
    assert bound.columns(IDS[:0]).shape == (N_SAMPLES, 0)


@every_space
@pytest.mark.parametrize("form", ["row-major", "CSC", "CSR duplicates", "CSC duplicates"])
def test_the_matrix_is_not_changed(name, form):
    X = FORMS[form](draw(name))
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    before = [part.copy() for part in parts]
    a = vectors(2)
    bound = SPACES[name][0].on(X)
    bound.top(a, 5, exclude=np.array([3]))
    columns = bound.columns(IDS)
    (columns.data if sp.issparse(columns) else columns)[:] = 7.0
    for part, copy in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, copy)
    np.testing.assert_array_equal(a, vectors(2))


@every_space
def test_order_exclusion_and_ties(name):
    bound, a = SPACES[name][0].on(draw(name)), vectors(1)
    ids, scores = bound.top(a, N_FEATURES)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    assert (scores > 0).all()
    assert (np.diff(scores) <= 0).all()
    assert ZERO not in ids
    places = [ids.tolist().index(twin) for twin in TWINS]
    assert places[1] == places[0] + 1
    assert scores[places[0]] == scores[places[1]]
    np.testing.assert_array_equal(bound.top(a, 3)[0], ids[:3])
    np.testing.assert_array_equal(bound.top(a[:, 0], 3)[1], scores[:3])
    exclude = ids[[2, 0, 2]]
    rest = ids[~np.isin(ids, exclude)]
    np.testing.assert_array_equal(bound.top(a, N_FEATURES, exclude=exclude)[0], rest)
    assert len(bound.top(a, 3, exclude=IDS)[0]) == 0
    assert len(bound.top(np.zeros(N_SAMPLES), 3)[0]) == 0


@every_space
def test_zero_and_constant_columns(name):
    space, _ = SPACES[name]
    bound = space.on(draw(name))
    ids, _ = bound.top(vectors(1), N_FEATURES)
    is_intersection = isinstance(space, HistogramIntersection)
    assert (CONSTANT in ids) == is_intersection
    np.testing.assert_array_equal(bound.widths(np.array([ZERO, CONSTANT])), [1, 1])
    columns = dense(bound.columns(np.array([ZERO, CONSTANT])))
    np.testing.assert_array_equal(columns[:, 0], 0.0)
    expected = np.sqrt(1.5**space.beta) if is_intersection else 0.0
    np.testing.assert_allclose(columns[:, 1], expected)


def test_signs_count_for_the_gaussian_and_not_for_the_intersection():
    x = np.array([[-2.0], [2.0], [0.0], [1.0]])
    same, other = HistogramIntersection().on(x), AdditiveKernel().on(x)
    assert len(same.top(np.array([1.0, -1.0, 0.0, 0.0]), 1)[0]) == 0
    assert len(other.top(np.array([1.0, -1.0, 0.0, 0.0]), 1)[0]) == 1
    assert same.names(np.array([0])) == ["|x0|>0", "|x0|>1"]
    assert same.ignores_sign
    assert not other.ignores_sign


@every_space
@pytest.mark.parametrize("form", ["row-major", "CSR", "CSC duplicates"])
def test_what_is_remembered_makes_the_same_columns(name, form):
    space, _ = SPACES[name]
    X = draw(name)
    bound = space.on(FORMS[form](X))
    ids = np.array([8, 2, FULL, ZERO])
    memory = pickle.loads(pickle.dumps(space.remembering(bound, ids)))
    assert repr(memory) == repr(space)
    again = memory.on(FORMS[form](X[10:30]))
    np.testing.assert_array_equal(dense(again.columns(ids)), dense(bound.columns(ids))[10:30])
    np.testing.assert_array_equal(again.widths(ids), bound.widths(ids))
    assert again.names(ids) == bound.names(ids)
    assert set(again.top(vectors(1, 20), N_FEATURES)[0]) <= set(ids)
    with pytest.raises(ValueError, match=r"remembers nothing of feature 3; .*\.$"):
        again.columns(np.array([3]))


@every_space
def test_new_values_are_compared_with_those_of_training_by_the_kernel(name):
    """Between rows of training and others in their range, the kernel to the stated error."""
    space, error = SPACES[name]
    X = draw(name)
    low, high = X.min(axis=0), X.max(axis=0)
    new = low + np.random.default_rng(5).random((30, N_FEATURES)) * (high - low)
    bound = space.on(X)
    applied = space.remembering(bound, IDS).on(new)
    for old, other, K, own in zip(
        blocks(bound), blocks(applied), kernels_of(space, X, new), kernels_of(space, X), strict=True
    ):
        assert np.abs(K - old @ other.T).max() <= 1.1 * error * max(own.max(), 1e-300)


def test_values_beyond_the_training_range():
    x = np.array([[0.0], [1.0], [2.0]])
    new = np.array([[5.0]])
    ids = np.array([0])
    cases = (
        (HistogramIntersection(), [0, 1, 2], 1e-12),  # as for the largest of training
        (AdditiveKernel("chi2"), [0, 10 / 6, 20 / 7], 5e-4),
    )
    for space, expected, error in cases:
        bound = space.on(x)
        (old,), (other,) = blocks(bound, ids), blocks(space.remembering(bound, ids).on(new), ids)
        np.testing.assert_allclose((old @ other.T).ravel(), expected, atol=error)


def test_names_tell_levels_apart():
    x = np.array([[0.0], [0.25], [0.25 + 1e-9], [4.0]])
    names = HistogramIntersection(beta=0.5).on(x).names(np.array([0]), ["age"])
    assert names == ["age>0", "age>0.25", "age>0.250000001"]
    assert AdditiveKernel(n_components=2).on(x).names(np.array([0])) == ["x0[0]", "x0[1]"]
    assert HistogramIntersection().on(0 * x).names(np.array([0])) == ["x0>0"]


@every_space
@pytest.mark.parametrize("n_outputs", [1, 2])
@changed_sizes(entries_per_thread=20)
def test_two_threads_find_what_one_finds(name, n_outputs):
    X, a = draw(name), vectors(n_outputs)
    one, two = SPACES[name][0].on(X), SPACES[name][0].on(X)
    two.n_threads = 2
    for ours, theirs in zip(one.top(a, 9), two.top(a, 9), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@every_space
def test_configuration_is_plain(name):
    space, _ = SPACES[name]
    assert repr(clone(space, safe=False)) == repr(space)
    assert repr(eval(repr(space))) == repr(space)
    before = dict(vars(space))
    bound = space.on(draw(name))
    space.remembering(bound, IDS)
    assert vars(space) == before
    again = pickle.loads(pickle.dumps(bound))
    np.testing.assert_array_equal(again.top(vectors(1), 4)[1], bound.top(vectors(1), 4)[1])
    with pytest.raises(TypeError, match=r"has no data yet; use what its on\(X\) returns\.$"):
        space.columns(IDS)
    with pytest.raises(TypeError, match="has no data yet"):
        space.top(vectors(1), 3)


@every_space
def test_fingerprint_is_of_data_and_parameters(name):
    space, _ = SPACES[name]
    X = draw(name)
    prints = {space.on(X).fingerprint(), space.on(sp.csr_array(X)).fingerprint()}
    assert len(prints) == 1
    for other in (HistogramIntersection(beta=3), AdditiveKernel("chi2", n_components=4)):
        prints.add(other.on(np.abs(X)).fingerprint())
    X[3, 8] += 0.5
    prints.add(space.on(X).fingerprint())
    assert len(prints) == 4


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (HistogramIntersection(beta=0), "beta must be a number above 0; got 0."),
        (HistogramIntersection(beta=-1.0), "beta must be a number above 0; got -1.0."),
        (
            HistogramIntersection(n_levels=0),
            "n_levels must be a whole number of at least 1; got 0.",
        ),
        (
            AdditiveKernel("cosine"),
            "kind must be one of 'gaussian', 'chi2', 'anova'; got 'cosine'.",
        ),
        (
            AdditiveKernel(n_components=0),
            "n_components must be a whole number of at least 1; got 0.",
        ),
        (
            AdditiveKernel(gamma=-2.0),
            "gamma must be a number above 0 or 'scale'; got -2.0.",
        ),
        (
            AdditiveKernel(gamma="auto"),
            "gamma must be a number above 0 or 'scale'; got 'auto'.",
        ),
        (AdditiveKernel("anova", degree=0), "degree must be a number above 0; got 0."),
    ],
)
def test_parameters_without_meaning_are_named(space, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        space.on(np.ones((2, 2)))
    assert str(caught.value) == message


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array])
def test_negative_entries_are_named_to_chi2(convert):
    X = draw("chi2")
    space = AdditiveKernel("chi2")
    memory = space.remembering(space.on(X), np.array([2, 8]))
    X[31, 8] = -0.5
    expected = (
        "AdditiveKernel(kind='chi2') takes no negative entries, but row 31, column 8 of X has "
        "-0.5; scale the columns to [0, 1] or use kind='gaussian'."
    )
    for one in (space, memory):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
            one.on(convert(X))
        assert str(caught.value) == expected


def test_powers_beyond_floats_are_named():
    with pytest.raises(ValueError, match=r"^An entry of X is too large .* beta=2; rescale X .*\.$"):
        HistogramIntersection(beta=2).on(np.array([[1e30], [1.0]], dtype=np.float32))


@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e40, 1e307])
def test_entries_of_any_size(size):
    X, a = np.abs(draw("chi2")) / 10 * size, vectors(1)
    for space in (HistogramIntersection(n_levels=5), AdditiveKernel(), AdditiveKernel("chi2")):
        ids, scores = space.on(X).top(a, N_FEATURES)
        assert np.isfinite(scores).all()
        np.testing.assert_array_equal(ids, space.on(X / size).top(a, N_FEATURES)[0])
        assert np.isfinite(space.on(X).columns(IDS)).all()
    for gamma in (1e-70, 1.0, 1e70):
        bound = AdditiveKernel(gamma=gamma).on(X)
        assert np.isfinite(bound.top(a, 5)[1]).all()
        assert np.isfinite(bound.columns(IDS)).all()


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "space",
    [HistogramIntersection(n_levels=20), AdditiveKernel(), AdditiveKernel("chi2")],
    ids=["intersection", "gaussian", "chi2"],
)
def test_a_fit_finds_curved_features_and_predicts_with_their_columns(space, convert):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (400, 30))
    y = np.abs(X[:, 3] - 0.5) + np.abs(X[:, 11] - 0.5) > 0.5  # nothing for a line to find
    model = FGMClassifier(2, space=space, C="fast").fit(convert(X[:300]), y[:300])
    assert model.support_ids_.tolist() == [3, 11]
    assert model.score(convert(X[300:]), y[300:]) > 0.85
    columns = dense(model.transform(convert(X[300:])))
    z = columns @ model.weights_[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(convert(X[300:])), z)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(convert(X)), model.predict(convert(X)))
    assert len(model.get_feature_names_out()) == columns.shape[1]

"""Spaces of dask arrays against those of the same numbers in memory."""

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from dask_arrays import CUTS, KINDS, as_dask

from handful.sizes import changed_sizes
from handful.spaces import Polynomial, resolve_space
from handful.spaces.resolve import source_of

every_kind = pytest.mark.parametrize("kind", KINDS)
every_cut = pytest.mark.parametrize("cut", CUTS)


@pytest.fixture(autouse=True)
def _serial():
    with dask.config.set(scheduler="synchronous"):
        yield


def draw(dtype=np.float64, shape=(53, 31)):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * rng.uniform(0.1, 4.0, shape[1])
    X[rng.random(X.shape) < 0.6] = 0.0
    X[:, 5] = 0.0
    return X.astype(dtype), rng.standard_normal((shape[0], 3)), rng.uniform(0.0, 2.0, shape[0])


def dense(columns):
    return columns.toarray() if sp.issparse(columns) else columns


@every_kind
@every_cut
@pytest.mark.parametrize("unit", [None, "norm", "std"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_and_scores(kind, cut, unit, dtype):
    X, a, weight = draw(dtype)
    space = source_of(as_dask(X, kind, cut)).space(unit, 1, weight)
    expected = resolve_space(X.astype(np.float64), unit=unit, sample_weight=weight)
    close = {"rtol": 1e-5 if dtype == np.float32 else 1e-12, "atol": 1e-5}
    exclude = np.array([2, 17, 30])
    for vector in (a, a[:, 0]):
        ids, scores = space.top(vector, 6, exclude)
        known_ids, known_scores = expected.top(vector, 6, exclude)
        np.testing.assert_array_equal(ids, known_ids)
        np.testing.assert_allclose(scores, known_scores, rtol=close["rtol"])
    np.testing.assert_allclose(space.scores(a), expected.scores(a), **close)
    np.testing.assert_allclose(space.dots(a), expected.dots(a), **close)
    np.testing.assert_allclose(
        space.sums_and_squares(weight), expected.sums_and_squares(weight), **close
    )
    wanted = np.array([30, 2, 15, 2])
    found = space.columns(wanted)
    assert sp.issparse(found) == (kind != "dense")
    assert found.dtype == np.float64
    np.testing.assert_allclose(dense(found), expected.columns(wanted), rtol=1e-6)
    assert space.columns(wanted[:0]).shape == (53, 0)


def test_all_columns_can_be_asked_for_and_zero_columns_are_not_given():
    X, a, _ = draw()
    space = resolve_space(source_of(as_dask(X, "CSR", "grid")))
    ids, _ = space.top(a, 1000)
    assert set(ids) == set(range(31)) - {5}
    assert len(space.top(a, 0)[0]) == 0


@every_kind
@every_cut
@pytest.mark.parametrize("interaction_only", [False, True])
def test_pairs(kind, cut, interaction_only):
    X, a, _ = draw()
    pairs = Polynomial(interaction_only=interaction_only)
    space, expected = pairs.on(source_of(as_dask(X, kind, cut))), pairs.on(X)
    exclude = expected.top(a, 3)[0][1:]
    for vector in (a, a[:, 0]):
        ids, scores = space.top(vector, 20, exclude)
        known_ids, known_scores = expected.top(vector, 20, exclude)
        np.testing.assert_array_equal(ids, known_ids)
        np.testing.assert_allclose(scores, known_scores)
    np.testing.assert_allclose(dense(space.columns(ids)), expected.columns(ids))


@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_pairs_of_more_columns_than_one_strip(kind):
    X, a, _ = draw()
    with changed_sizes(strip_columns=4, block_entries=70):
        ids, scores = Polynomial().on(source_of(as_dask(X, kind, "rows"))).top(a, 40)
    known_ids, known_scores = Polynomial().on(X).top(a, 40)
    np.testing.assert_array_equal(ids, known_ids)
    np.testing.assert_allclose(scores, known_scores)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_chunks_without_rows_or_columns_are_passed_over(scheduler):
    X, a, _ = draw()
    empty_rows, empty_columns = X[:0], X[:, :0]
    array = da.concatenate([as_dask(empty_rows), as_dask(X), as_dask(empty_rows)])
    array = da.concatenate([array, da.from_array(empty_columns, chunks=(53, 1))], axis=1)
    with dask.config.set(scheduler=scheduler):
        ids, _ = resolve_space(source_of(array)).top(a, 4)
    np.testing.assert_array_equal(ids, resolve_space(X).top(a, 4)[0])


def test_masked_chunks_have_no_value_where_they_are_masked():
    X, _, _ = draw()
    masked = as_dask(X).map_blocks(np.ma.masked_greater, 3.0, dtype=X.dtype)
    with pytest.raises(ValueError, match="NaN"):
        source_of(masked).check()


def test_fingerprint_tells_other_numbers():
    X, _, _ = draw()
    first = resolve_space(source_of(as_dask(X, "CSR", "grid"))).fingerprint()
    assert first == resolve_space(source_of(as_dask(X, "CSR", "grid"))).fingerprint()
    X[40, 20] += 1.0
    assert first != resolve_space(source_of(as_dask(X, "CSR", "grid"))).fingerprint()

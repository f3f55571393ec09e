"""Dask arrays that cannot be used, and clusters that lose workers."""

import functools
import os
import signal

import children
import dask
import dask.array as da
import distributed
import numpy as np
import pytest
import scipy.sparse as sp
from dask_arrays import as_dask
from distributed import Client, LocalCluster
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from handful import FGMClassifier
from handful.spaces import AdditiveKernel, Polynomial


def draw(n_samples=400, n_features=40):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    X[rng.random(X.shape) < 0.4] = 0.0
    return X, (X[:, [3, 7, 12]].sum(axis=1) > 0).astype(int)


X, y = draw()
WITH_NAN = X.copy()
WITH_NAN[399, 39] = np.nan


def unknown_sizes():
    array = as_dask(X)
    return array[array[:, 0] > -9]


def mixed_chunks():
    def some_sparse(block, block_info=None):
        return sp.csr_array(block) if block_info[0]["chunk-location"][0] == 1 else block

    return as_dask(X).map_blocks(some_sparse, dtype=X.dtype)


BAD = {
    "one dimension": (lambda: as_dask(X)[:, 0], "Expected 2D array"),
    "three dimensions": (lambda: as_dask(X)[:, :, None], "Expected 2D array"),
    "objects": (lambda: as_dask(X).astype(object), "must hold numbers; got object"),
    "words": (lambda: as_dask(X).astype(str), "must hold numbers"),
    "unknown sizes": (unknown_sizes, "compute_chunk_sizes"),
    "NaN": (lambda: as_dask(WITH_NAN, "dense", "grid"), r"NaN \(row 399, column 39\)"),
    "NaN, sparse": (lambda: as_dask(WITH_NAN, "CSR", "grid"), r"NaN \(row 399, column 39\)"),
    "infinite": (lambda: as_dask(np.where(np.isnan(WITH_NAN), np.inf, X)), "infinity"),
    "mixed": (mixed_chunks, "1 of the 4 chunks of X are sparse and the others dense"),
    "other shape": (
        lambda: as_dask(X).map_blocks(lambda block: block[:-1], dtype=X.dtype),
        "has shape .99, 40. where the array says .100, 40.",
    ),
    "y of another length": (lambda: as_dask(X[:390]), "390"),
    "no rows": (lambda: as_dask(X)[:0], "sample"),
    "no columns": (lambda: as_dask(X)[:, :0], "feature"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_array(case):
    make, sentence = BAD[case]
    model = FGMClassifier(3, C="fast")
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(ValueError, match=sentence) as error,
    ):
        model.fit(make(), y)
    assert "\n" not in str(error.value)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


def test_data_frame_is_told_how_to_become_an_array():
    frame = pytest.importorskip("dask.dataframe", reason="dask.dataframe needs pandas")
    pd = pytest.importorskip("pandas")
    table = frame.from_pandas(pd.DataFrame(X), npartitions=2)
    with pytest.raises(TypeError, match=r"to_dask_array\(lengths=True\)"):
        FGMClassifier(3, C="fast").fit(table, y)
    with dask.config.set(scheduler="synchronous"):
        model = FGMClassifier(3, C="fast").fit(table.to_dask_array(lengths=True), y)
    assert model.support_ids_.tolist() == [3, 7, 12]


def test_features_that_need_a_sorted_copy_are_refused():
    with dask.config.set(scheduler="synchronous"), pytest.raises(TypeError, match="in memory"):
        FGMClassifier(3, space=AdditiveKernel("gaussian"), C="fast").fit(as_dask(X), y)


def test_other_columns_than_in_the_fit_are_refused():
    with dask.config.set(scheduler="synchronous"):
        model = FGMClassifier(3, C="fast").fit(as_dask(X), y)
        with pytest.raises(ValueError, match="39 features, but FGMClassifier is expecting 40"):
            model.predict(as_dask(X[:, 1:]))
        WITH_NAN[0, 3] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            model.predict(as_dask(WITH_NAN))


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes with one thread each, that have nothing to import when they start."""
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    start = {"distributed.worker.multiprocessing-method": children.context.get_start_method()}
    children.serve()
    with (
        dask.config.set(start),
        LocalCluster(**workers, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


ON_A_CLUSTER = {
    "plain": {"C": "fast"},
    "norm": {"scale": "norm", "C": "fast"},
    "pairs": {"space": Polynomial(), "C": "fast"},
    "C of held-out rows": {},
}


@functools.cache
def in_memory(options):
    return FGMClassifier(3, **ON_A_CLUSTER[options]).fit(X, y)


@pytest.fixture
def mortal_client(client):
    """The same with both workers alive: one that was killed is started again."""
    client.wait_for_workers(2, timeout=60)
    return client


@pytest.mark.parametrize("cut", ["rows", "columns", "grid"])
@pytest.mark.parametrize("kind", ["dense", "CSR"])
def test_cluster_gives_the_model_of_memory(client, kind, cut):
    for options in ("plain", "norm", "pairs"):
        assert_same_on_cluster(as_dask(X, kind, cut), options)


def test_cluster_chooses_the_C_of_memory(client):
    assert_same_on_cluster(as_dask(X, "CSR", "grid"), "C of held-out rows")


def assert_same_on_cluster(Z, options):
    model = FGMClassifier(3, **ON_A_CLUSTER[options]).fit(Z, da.from_array(y, chunks=90))
    expected = in_memory(options)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(Z), expected.predict(X))
    assert pytest.approx(expected.C_) == model.C_


def test_nan_on_a_worker_is_said_here(client):
    with pytest.raises(ValueError, match=r"NaN \(row \d+, column \d+\)"):
        FGMClassifier(3, C="fast").fit(as_dask(WITH_NAN, "CSR", "grid"), y)


@pytest.mark.parametrize(
    ("when", "space"),
    [(1, None), (3, None), (5, Polynomial())],
    ids=["while loading", "columns", "pairs"],
)
def test_worker_killed_amid_a_round(mortal_client, monkeypatch, when, space):
    """The tasks of the round are under way when a worker and all its chunks are gone."""
    waits, wait = 0, distributed.wait

    def kill_and_wait(*args, **options):
        nonlocal waits
        waits += 1
        if waits == when:
            victim = min(mortal_client.run(os.getpid).values())
            os.kill(victim, signal.SIGKILL)
        return wait(*args, **options)

    monkeypatch.setattr(distributed, "wait", kill_and_wait)
    model = FGMClassifier(3, space=space, C="fast").fit(as_dask(X, "CSR", "grid"), y)
    assert waits > when
    expected = FGMClassifier(3, space=space, C="fast").fit(X, y)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6, atol=1e-9)


def test_chunks_that_kill_every_worker_end_in_a_sentence(client):
    def deadly(block):
        os.kill(os.getpid(), signal.SIGKILL)
        return block

    scheduler = client.cluster.scheduler
    allowed, scheduler.allowed_failures = scheduler.allowed_failures, 0
    try:
        with pytest.raises(RuntimeError, match=r"lost chunks of X.*KilledWorker"):
            FGMClassifier(3, C="fast").fit(
                as_dask(X).map_blocks(deadly, dtype=X.dtype, meta=X[:0]), y
            )
    finally:
        scheduler.allowed_failures = allowed


@pytest.fixture
def small_cluster():
    """One worker in this process."""
    with (
        dask.config.set({"handful.worker-timeout": "1s"}),
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_workers_lost_for_good_leave_the_model_of_before(small_cluster):
    Z = as_dask(X)
    model = FGMClassifier(3, C="fast").fit(Z, y)
    before = model.weights_.copy()

    def lose_workers(record):
        if record.number == 1:
            small_cluster.cluster.scale(0)
            small_cluster.retire_workers()

    model.set_params(n_features_to_select=5, verbose=lose_workers)
    with pytest.raises(RuntimeError, match="has had no worker for 1 seconds"):
        model.fit(Z, y)
    np.testing.assert_array_equal(model.weights_, before)
    fresh = FGMClassifier(3, C="fast")
    with pytest.raises(RuntimeError, match="has had no worker"):
        fresh.fit(Z, y)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)


def test_scheduler_lost_ends_in_a_sentence(small_cluster):
    def lose_scheduler(record):
        if record.number == 1:
            small_cluster.cluster.close()

    with pytest.raises(RuntimeError, match="lost chunks of X, or its scheduler"):
        FGMClassifier(3, verbose=lose_scheduler, C="fast").fit(as_dask(X), y)

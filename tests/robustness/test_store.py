"""Stores that were cut, altered or half made, and disks that fill: one sentence, nothing wrong returned."""

import os
import shutil
import signal
import zlib

import children
import numpy as np
import pytest
import stores

from handful import FGMClassifier, GreedyRLSClassifier, open_store
from handful.spaces import Polynomial
from handful.validation.store import StoreError

posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and RLIMIT_FSIZE are POSIX's")


@pytest.fixture(params=[True, False], ids=["sparse", "dense"])
def store(request, tmp_path):
    """The folder of a store with names and a target, to be spoilt."""
    X, y = stores.small(request.param)
    names = [f"gene {j}" for j in range(60)]
    whole = stores.stored(X, y, names)
    return shutil.copytree(whole.path, tmp_path / "spoilt.store")


def files_of(folder):
    return sorted(path.name for path in folder.iterdir())


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)


def use(folder):
    store = open_store(folder)
    return FGMClassifier(4, C="fast").fit(store, store.y)


def test_a_flipped_byte_is_never_computed_with(store):
    assert len(use(store).support_ids_) == 4
    for name in files_of(store):
        size = (store / name).stat().st_size
        for place in (0, 7, 140 % size, size // 2, size - 1):
            if name == "store.json" and place == size - 1:
                continue  # the line break behind the text says nothing
            flip(store / name, place)
            with pytest.raises(StoreError) as caught:
                open_store(store, verify=True)
            assert name in str(caught.value) or name == "store.json"
            with pytest.raises(StoreError):
                use(store)
            assert "\n" not in str(caught.value)
            flip(store / name, place)
    assert open_store(store, verify=True).shape == (80, 60)


@pytest.mark.parametrize(
    "estimator",
    [
        FGMClassifier(3, scale="norm", C="fast"),
        FGMClassifier(3, groups=np.arange(60) // 2, C="fast"),
        FGMClassifier(3, space=Polynomial(), C="fast"),
        GreedyRLSClassifier(3),
    ],
    ids=str,
)
def test_every_way_of_reading_looks_at_the_checksums(store, estimator):
    large = "dense.npy" if (store / "dense.npy").exists() else "data.npy"
    flip(store / large, -9)
    opened = open_store(store)  # sizes are right
    with pytest.raises(StoreError, match=rf"{large} was altered: the checksum of the columns \d+"):
        estimator.fit(opened, opened.y)


def test_predict_reads_the_blocks_of_its_columns_only(store):
    model = use(store)
    large = "dense.npy" if (store / "dense.npy").exists() else "data.npy"
    opened = open_store(store)
    used = np.searchsorted(opened.starts, model.support_ids_, side="right") - 1
    unused = np.setdiff1d(np.arange(len(opened.starts) - 1), used)[0]
    entries = opened._matrix.entries(opened.starts[unused], opened.starts[unused + 1])
    before = model.decision_function(opened)
    flip(store / large, 128 + 8 * (sum(entries) // 2))
    np.testing.assert_array_equal(model.decision_function(open_store(store)), before)
    entries = opened._matrix.entries(opened.starts[used[0]], opened.starts[used[0] + 1])
    flip(store / large, 128 + 8 * (sum(entries) // 2))
    with pytest.raises(StoreError, match="was altered"):
        model.predict(open_store(store))


def test_missing_cut_and_longer_files(store):
    for name in files_of(store):
        content = (store / name).read_bytes()
        (store / name).unlink()
        missing = "it has no store.json" if name == "store.json" else f"{name} is missing"
        with pytest.raises(StoreError, match=missing):
            open_store(store)
        if name == "store.json":
            (store / name).write_bytes(content[:-30])
            with pytest.raises(StoreError, match=r"store.json is damaged"):
                open_store(store)
        else:
            (store / name).write_bytes(content[:-1])
            with pytest.raises(StoreError, match=f"{name} is cut short: {len(content) - 1} bytes"):
                open_store(store)
            (store / name).write_bytes(content + b"x")
            with pytest.raises(StoreError, match=f"{name} is too long"):
                open_store(store)
        (store / name).write_bytes(content)
    use(store)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, r"store.json has the version 2 of the format and this handful reads 1"),
        ({"format": "a zoo"}, "is not a store"),
        ({"dtype": "int8"}, "its dtype is not one of 'float32', 'float64'"),
        ({"dtype": "float32"}, "holds float64 numbers .* and should hold float32"),
        ({"storage": "heap"}, "its storage is not one of 'sparse', 'dense'"),
        ({"shape": [81, 60]}, "should hold|not that of its shape"),
        ({"shape": [80, -1]}, "its shape is not a list of 2, each a count"),
        ({"shape": [0, 60]}, "its shape is no shape"),
        ({"shape": "large"}, "damaged"),
        ({"block_starts": [0, 7]}, "its blocks do not cover the columns"),
        ({"files": {}}, "does not list the files"),
        ({"surprise": 1}, "damaged"),
    ],
    ids=str,
)
def test_a_manifest_that_lies(store, changes, message):
    stores.rewrite(store, **changes)
    with pytest.raises(StoreError, match=message) as caught:
        open_store(store)
    assert "\n" not in str(caught.value)


def test_a_stranger_cannot_have_memory_read_out_of_range(tmp_path):
    """Checksums fit and the rows do not: compiled loops never see them."""
    X, y = stores.small(True)
    place = shutil.copytree(stores.stored(X, y).path, tmp_path / "a.store")
    original, end = np.load(place / "indices.npy"), X.indptr[1] - 1
    for entry, value, message in (
        (end, 10**6, "out of range"),
        (0, -5, "out of range"),
        (1, 10**6, "do not rise"),
        (1, -5, "do not rise"),
        (1, original[0], "do not rise"),
    ):
        indices = original.copy()
        indices[entry] = value
        header = (place / "indices.npy").read_bytes()[:128]
        (place / "indices.npy").write_bytes(header + indices.tobytes())
        about = open_store(place).about
        first, last = (open_store(place)._matrix.csc.indptr[j] for j in about.block_starts[:2])
        sums = dict(about.checksums)
        sums["indices.npy"] = [zlib.crc32(indices[first:last]), *sums["indices.npy"][1:]]
        stores.rewrite(place, checksums=sums)
        with pytest.raises(StoreError, match=message):
            use(place)


def test_targets_of_another_length(store):
    opened = open_store(store)
    with pytest.raises(ValueError, match="one entry for each of the 80 rows of X; got 79"):
        FGMClassifier(4, C="fast").fit(opened, opened.y[:-1])


def test_what_is_no_store(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(StoreError, match=r"is not a store: it has no store\.json"):
            open_store(path)


@posix
def test_killed_while_fitting(tmp_path):
    X, y = stores.small(True)
    store = stores.stored(X, y)
    expected = FGMClassifier(4, C="fast").fit(store, y)
    for number in (1, expected.n_iter_ // 2, expected.n_iter_):
        path = tmp_path / f"fit-{number}"
        killed = children.in_child(stores.fit_store_and_die, store.path, path, number)
        assert killed == -signal.SIGKILL
        seen = []
        model = FGMClassifier(4, checkpoint=path, verbose=seen.append, C="fast").fit(store, y)
        np.testing.assert_array_equal(model.weights_, expected.weights_)
        # The refit is not saved, and made again.
        assert [record.number for record in seen] == list(range(number + 1, expected.n_iter_ + 2))
    with pytest.raises(ValueError, match="other data"):
        FGMClassifier(4, checkpoint=path, C="fast").fit(stores.stored(2 * X, y), y)

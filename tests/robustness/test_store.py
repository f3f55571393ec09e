"""Stores that were cut, altered or half made, and disks that fill: one sentence, nothing wrong returned."""

import json
import os
import shutil
import signal
import subprocess
import zlib

import children
import numpy as np
import pytest
import scipy.sparse as sp
import stores

from handful import FGMClassifier, GreedyRLSClassifier, open_store
from handful.files import OutputError
from handful.io import InputError, read_table
from handful.spaces import Polynomial
from handful.validation.store import StoreError

posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and RLIMIT_FSIZE are POSIX's")


def draw(is_sparse):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 60))
    X[rng.random(X.shape) < 0.6] = 0.0
    y = np.where(X[:, 3] + X[:, 20] - X[:, 50] > 0, "yes", "no")
    return (sp.csc_array(X) if is_sparse else X), y


@pytest.fixture(params=[True, False], ids=["sparse", "dense"])
def store(request, tmp_path):
    """The folder of a store with names and a target, to be spoilt."""
    X, y = draw(request.param)
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
    return FGMClassifier(4).fit(store, store.y)


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
        FGMClassifier(3, scale="norm"),
        FGMClassifier(3, groups=np.arange(60) // 2),
        FGMClassifier(3, space=Polynomial()),
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
        ({"dtype": "int8"}, "neither float32 nor float64"),
        ({"dtype": "float32"}, "holds float64 numbers .* and should hold float32"),
        ({"storage": "heap"}, "neither sparse nor dense"),
        ({"shape": [81, 60]}, "should hold"),
        ({"shape": [80, -1]}, "its shape is no shape"),
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
    X, y = draw(True)
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
        FGMClassifier(4).fit(opened, opened.y[:-1])


def test_what_is_no_store(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(StoreError, match=r"is not a store: it has no store\.json"):
            open_store(path)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def write_data(folder, kind):
    X, y = draw(kind != "a.csv")
    path = folder / kind
    if kind == "a.npz":
        stores.save_npz(path, X, y)
    else:
        lines = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
        path.write_text(",".join([*(f"c{j}" for j in range(60)), "y"]) + "\n" + "\n".join(lines))
    return path, {"memory": 60_000} | ({"target": "y"} if kind == "a.csv" else {})


@posix
@pytest.mark.parametrize("kind", ["a.npz", "a.csv"])
def test_killed_while_converting(kind, tmp_path):
    """Wherever it is killed there is no store, and the same call goes on to the same bytes."""
    data, options = write_data(tmp_path, kind)
    expected = contents(stores.convert_file(data, tmp_path / "whole.store", **options).path)
    number, killed = 1, -signal.SIGKILL
    while killed == -signal.SIGKILL:
        place = tmp_path / f"{number}.store"
        killed = children.in_child(stores.convert_and_die, data, place, number, options)
        if killed == -signal.SIGKILL:
            assert not place.exists()
            with pytest.raises(StoreError, match="interrupted; run the same handful convert again"):
                open_store(place)
            with pytest.raises(InputError, match="interrupted"):
                read_table(place)
            stores.convert_file(data, place, **options)
        assert contents(place) == expected
        shutil.rmtree(place)
        number += 11
    assert killed == 0
    assert number > 40


@posix
def test_killed_again_and_again(tmp_path):
    """Every process does a few steps more; what is finished is not done again."""
    data, options = write_data(tmp_path, "a.npz")
    expected = contents(stores.convert_file(data, tmp_path / "whole.store", **options).path)
    place, n_runs = tmp_path / "a.store", []
    for _ in range(20):
        killed = children.in_child(stores.convert_and_die, data, place, 25, options)
        if killed != -signal.SIGKILL:
            break
        journal = tmp_path / "a.store.part" / "journal.json"
        if journal.exists():
            n_runs.append(len(json.loads(journal.read_text())["runs"]))
    assert contents(place) == expected
    assert n_runs == sorted(n_runs)
    assert len(n_runs) > 1


def test_another_conversion_does_not_go_on(tmp_path):
    data, options = write_data(tmp_path, "a.npz")
    place = tmp_path / "a.store"

    def interrupt(record):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stores.convert_file(data, place, show=interrupt, **options)
    with pytest.raises(OutputError, match="unfinished conversion of other data or with other opt"):
        stores.convert_file(data, place, dtype="float32", **options)
    stores.convert_file(data, place, memory=10**6)  # that changes nothing but the way
    assert open_store(place, verify=True).shape == (80, 60)


@posix
def test_no_room_left(tmp_path):
    """RLIMIT_FSIZE stands for a disk that fills: a sentence, and then it goes on."""
    data, _ = write_data(tmp_path, "a.npz")
    place = tmp_path / "a.store"
    assert children.in_child(stores.convert_into_little_room, data, place, 6000) == 3
    assert not place.exists()
    stores.convert_file(data, place)
    assert open_store(place, verify=True).shape == (80, 60)


def test_a_full_file_system(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
    if (
        not hasattr(os, "geteuid")
        or os.geteuid()
        or subprocess.run(mounted, check=False).returncode
    ):
        pytest.skip("needs the right to mount a small tmpfs")
    try:
        data, _ = write_data(tmp_path, "a.npz")
        with pytest.raises(
            OutputError, match="no space left on device; make room and run the same"
        ):
            stores.convert_file(data, disk / "a.store")
        assert not (disk / "a.store").exists()
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        assert stores.convert_file(data, disk / "a.store").shape == (80, 60)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@posix
def test_killed_while_fitting(tmp_path):
    X, y = draw(True)
    store = stores.stored(X, y)
    expected = FGMClassifier(4).fit(store, y)
    for number in (1, expected.n_iter_ // 2, expected.n_iter_):
        path = tmp_path / f"fit-{number}"
        killed = children.in_child(stores.fit_store_and_die, store.path, path, number)
        assert killed == -signal.SIGKILL
        seen = []
        model = FGMClassifier(4, checkpoint=path, verbose=seen.append).fit(store, y)
        np.testing.assert_array_equal(model.weights_, expected.weights_)
        assert [record.number for record in seen] == list(range(number + 1, expected.n_iter_ + 1))
    with pytest.raises(ValueError, match="other data"):
        FGMClassifier(4, checkpoint=path).fit(stores.stored(2 * X, y), y)

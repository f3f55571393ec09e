"""Stores that a stranger made: sizes and checksums fit, and what they hold does not."""

import io
import json
import os
import shutil
import threading

import numpy as np
import pytest
import stores
from attack.runner import run_case

from handful import FGMClassifier, open_store
from handful.cli import main
from handful.sources.store import manifest
from handful.validation.store import StoreError

JUNK = [None, True, -1, 1.5, "x", [], {}, [1], [[]], {"a": 1}, 10**30, [None], ["y"], 2**62]


@pytest.fixture(params=[True, False], ids=["sparse", "dense"])
def store(request, tmp_path):
    X, y = stores.small(request.param)
    whole = stores.stored(X, y, [f"gene {j}" for j in range(60)])
    return shutil.copytree(whole.path, tmp_path / "crafted.store")


def refused(folder, words=""):
    with pytest.raises(StoreError) as caught:
        open_store(folder, verify=True)
    message = str(caught.value)
    assert str(folder) in message
    assert "\n" not in message
    assert words in message


def test_every_field_of_the_manifest(store):
    """Each is named when it is missing or of another kind; nothing ends in a traceback."""
    original, sentences = (store / "store.json").read_text(), []
    for name in manifest.SCHEMA:
        for junk in JUNK:
            (store / "store.json").write_text(original)
            stores.rewrite(store, **{name: junk})
            try:
                open_store(store, verify=True)
            except StoreError as error:
                sentences.append(str(error))
            else:  # another name for the target, say
                assert manifest.SCHEMA[name].is_right(junk)
        if not manifest.SCHEMA[name].optional:
            content = {key: value for key, value in json.loads(original).items() if key != name}
            (store / "store.json").write_text(json.dumps(content))
            stores.rewrite(store)
            refused(store, f"it has no {name}")
    assert len(sentences) > 0.8 * len(JUNK) * len(manifest.SCHEMA)
    assert all("\n" not in sentence for sentence in sentences)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "", "nul", '"x"', "[]", "\xff"])
def test_what_is_no_manifest(store, text):
    (store / "store.json").write_bytes(text.encode("latin-1"))
    refused(store, "it is not a JSON object")


def test_a_manifest_has_a_bound(store):
    os.truncate(
        store / "store.json", manifest.MOST_BYTES + 1
    )  # a hole, that takes no room on the disk
    refused(store, f"it has more than {manifest.MOST_BYTES} bytes")


@pytest.mark.parametrize("names", [{}, "abc", [1] * 60, [[]] * 60, ["a"] * 59, 3, None])
def test_what_are_no_names(store, names):
    stores.replace_small(store, "feature_names.json", json.dumps(names).encode())
    refused(store, "should hold a list of 60 names")


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "y",
    [
        *(np.zeros(79, int), np.zeros((80, 1), int), np.full(80, 2), np.full(80, -1), np.zeros(80)),
        *(np.array(["a"] * 80), np.array(0), np.array([None] * 80, dtype=object)),
    ],
    ids=lambda y: f"{y.dtype}{y.shape}",
)
def test_what_are_no_targets(store, y):
    """Two classes: anything but 80 numbers of 0 and 1 is refused."""
    stores.replace_small(store, "y.npy", npy(y))
    refused(store, "y.npy holds")


def test_an_array_that_announces_anything(store):
    head = npy(np.zeros(80, int)).replace(b"(80,), ", b"(2**40,)"[:7])
    stores.replace_small(store, "y.npy", head)
    refused(store, "y.npy holds no array")


def wrapped(store):
    """Pointers whose differences are all positive, modulo 2^64."""
    content = bytearray((store / "indptr.npy").read_bytes())
    pointers = np.frombuffer(content, dtype=np.int64, offset=128).copy()
    pointers[5:7] = 2**62 + 2**61, -(2**62)
    assert (np.diff(pointers)[[5]] > 0).all()
    return bytes(content[:128]) + pointers.tobytes()


@pytest.mark.skipif(os.name != "posix", reason="a crash must not end the tests")
def test_pointers_that_wrap_around(tmp_path):
    X, y = stores.small(True)
    store = shutil.copytree(stores.stored(X, y).path, tmp_path / "a.store")
    stores.replace_small(store, "indptr.npy", wrapped(store))

    def use(seed, folder):
        refused(store, "its numbers do not rise")
        assert main(["convert", str(store), "--check"]) == 2
        assert main(["select", str(store), "-k", "2"]) == 2

    assert run_case("folders", use, 0) is None


def in_time(action):
    """What an action returns, in a list that is empty if it fails or does not end."""
    told = []
    thread = threading.Thread(target=lambda: told.append(action()), daemon=True)
    thread.start()
    thread.join(20)
    return told


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_devices_and_folders_are_no_files(store):
    """Opening a pipe waited for a writer, forever."""
    for name in sorted(os.listdir(store)):
        content = (store / name).read_bytes()
        for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)):
            (store / name).unlink()
            make(store / name)
            told = in_time(lambda: refused(store, "not a regular file"))
            assert told == [None], name
            os.rmdir(store / name) if make is os.mkdir else (store / name).unlink()
            (store / name).write_bytes(content)
    assert (
        FGMClassifier(2, C="fast").fit(open_store(store), open_store(store).y).n_features_in_ == 60
    )

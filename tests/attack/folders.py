"""Stores of a stranger: checksums fit, and anything else may be wrong."""

import functools
import io
import itertools
import json
import os
import shutil
import zlib

import numpy as np
import stores

from attack.junk import spoil, spoilt_bytes
from attack.verdict import FellError, only, shell
from handful import FGMClassifier, GreedyRLSClassifier, open_store
from handful.spaces import Polynomial
from handful.validation.store import StoreError


@functools.cache
def whole(is_sparse):
    """A store of 80 x 60 with names and a target, in several blocks."""
    X, y = stores.small(is_sparse)
    return stores.stored(X, y, [f"gene {j}" for j in range(60)]).path


def prepare():
    """Make the stores, and go through them once."""
    for is_sparse in (True, False):
        for number in range(3):
            fit(whole(is_sparse), number)


def attack(seed, folder):
    """Spoil a store, then open, verify, fit and select."""
    rng = np.random.default_rng(seed)
    place = folder / "a.store"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole(bool(rng.integers(2))), place)
    kinds = (spoil_manifest, spoil_array, spoil_bytes, spoil_names, spoil_kind)
    for _ in range(rng.integers(1, 3)):
        kinds[rng.integers(len(kinds))](place, rng)
    number = int(rng.integers(3))
    for use in (lambda: open_store(place, verify=True), lambda: fit(place, number)):
        with only(StoreError, ValueError):
            use()
    shell("select", place, "-k", 2)
    shell("convert", place, "--check")


def fit(place, number):
    """Go through the numbers; those that are out of range must have been refused."""
    store = open_store(place)
    kinds = [FGMClassifier(2), FGMClassifier(2, space=Polynomial()), GreedyRLSClassifier(2)]
    y = np.arange(store.shape[0]) % 2 if store.y is None or store.y.ndim > 1 else store.y
    model = kinds[number].fit(store, y)
    if not np.isfinite(model.weights_).all():
        raise FellError("weights that are not finite")


def load(place):
    if not (place / "store.json").is_file():
        raise ValueError("there is none any more")
    return json.loads((place / "store.json").read_text())


def spoil_manifest(place, rng):
    """One field of the manifest, whose checksum fits again."""
    try:
        content = spoil(load(place), rng)
    except (ValueError, OSError):
        return
    if isinstance(content, dict):
        content.pop("checksum", None)
        content["checksum"] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
    (place / "store.json").write_text(json.dumps(content))


def spoil_array(place, rng):
    """One number of an array, with sizes and checksums brought up to date."""
    names = [name for name in sorted(os.listdir(place)) if name.endswith(".npy")]
    if not names:
        return
    name = names[rng.integers(len(names))]
    try:
        content = (place / name).read_bytes()
        array = np.load(io.BytesIO(content))
    except (ValueError, OSError):
        return
    odd = [-1, 10**6, 2**31 - 1, 80, 60]
    odd += [2**62, -(2**62)] if array.dtype.itemsize == 8 else []
    odd += [np.nan, np.inf] if array.dtype.kind == "f" else []
    flat = array.ravel("K")
    start = int(rng.integers(array.size))
    for at in range(start, min(start + int(rng.integers(1, 3)), array.size)):
        flat[at] = odd[rng.integers(len(odd))]
    (place / name).write_bytes(content[:128] + flat.tobytes())
    refit(place)


def spoil_bytes(place, rng):
    """Some bytes of any file, with or without new sizes and checksums."""
    names = sorted(os.listdir(place))
    path = place / names[rng.integers(len(names))]
    if path.is_file():
        path.write_bytes(spoilt_bytes(path.read_bytes(), rng))
    if rng.random() < 0.7:
        refit(place)


def spoil_names(place, rng):
    """Other names, or something that is no list of names."""
    path = place / "feature_names.json"
    if path.is_file():
        try:
            path.write_text(json.dumps(spoil(json.loads(path.read_text()), rng)))
        except ValueError:
            return
        refit(place)


def spoil_kind(place, rng):
    """A pipe, a folder, a link or nothing where a file should be."""
    names = sorted(os.listdir(place))
    path = place / names[rng.integers(len(names))]
    if not path.is_file():
        return
    path.unlink()
    match rng.integers(5):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.symlink_to("/dev/zero")


def refit(place):
    """Make sizes and checksums those of the files as they are now."""
    try:
        content = load(place)
        sizes = {name: (place / name).stat().st_size for name in content["files"]}
        sums = dict(content["checksums"])
        starts = content["block_starts"]
        pointers = np.load(place / "indptr.npy") if "indptr.npy" in sizes else None
        for name in sizes:
            raw = (place / name).read_bytes() if (place / name).is_file() else b""
            if not isinstance(sums[name], list):
                sums[name] = zlib.crc32(raw)
                continue
            item = (len(raw) - 128) // max(1, content["n_entries"])
            edges = [
                int(pointers[s]) if pointers is not None else s * content["shape"][0]
                for s in starts
            ]
            sums[name] = [
                zlib.crc32(raw[128 + item * a : 128 + item * b])
                for a, b in itertools.pairwise(edges)
            ]
        stores.rewrite(place, files=sizes, checksums=sums)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OSError):
        return

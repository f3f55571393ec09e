"""Checkpoints of a stranger who knows the data: the key is right, and anything else may be wrong."""

import contextlib
import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

import handful
from attack.junk import spoil, spoilt_bytes
from attack.verdict import only

RNG = np.random.default_rng(1)
X = RNG.standard_normal((50, 30))
Y = np.where(X[:, 3] - X[:, 8] > 0, 1, 0)
THREE = np.digitize(X[:, 3] - X[:, 8], [-1.0, 1.0])
SPARSE = sparse.csc_array(np.where(np.abs(X) > 0.7, X, 0.0))
FAST = {"C": "fast"}
FITS = {
    "exactly k": (handful.FGMClassifier, {"n_features_to_select": 3, **FAST}, X),
    "sparse": (handful.FGMClassifier, {"n_features_to_select": 3, **FAST}, SPARSE),
    "plain": (handful.FGMClassifier, {"budget": 2, "max_rounds": 4}, SPARSE),
    "apg": (handful.FGMClassifier, {"budget": 2, "max_rounds": 3, "solver": "apg"}, X),
    "f1": (handful.FGMClassifier, {"n_features_to_select": 2, "loss": "f1", **FAST}, SPARSE),
    "groups": (
        handful.FGMClassifier,
        {"n_features_to_select": 2, "groups": np.arange(30) // 3, **FAST},
        X,
    ),
    "greedy": (handful.GreedyRLSClassifier, {"n_features_to_select": 3}, SPARSE),
    "direct": (handful.DirectSparsityClassifier, {"n_features_to_select": 3}, SPARSE),
    "projected": (handful.DirectSparsityClassifier, {"margin": "projected"}, X[:, :8]),
    "dictionary": (
        handful.DictionaryMILClassifier,
        {"n_atoms": 2, "n_init": 2, "random_state": 0},
        X,
    ),
    "lasso": (handful.MultiTaskLassoInf, {"n_features_to_select": 3}, X),
    "RFS": (handful.RFSClassifier, {"alpha": [1.0, 3.0]}, X),
    # A cut that no labeling gives may lead nowhere for as many steps as there may be.
    "all columns": (handful.SVMPerfClassifier, {"fit_intercept": True, "max_iter": 100}, X),
    "all columns, sparse": (
        handful.SVMPerfClassifier,
        {"loss": "roc_auc", "max_iter": 100},
        SPARSE,
    ),
    "all columns, classes": (handful.SVMPerfClassifier, {"max_iter": 1}, X),
}
OTHER_TARGETS = {"all columns, classes": THREE}


class Stopped(Exception):  # noqa: N818 - no error
    """The fit has saved as many rounds as it should."""


def prepare():
    """Fit all of them once, so that the processes of cases inherit what is compiled."""
    for name in FITS:
        fit(name)


def fit(name, **more):
    """Make one of the fits, with other parameters beside its own."""
    kind, parameters, features = FITS[name]
    return kind(**parameters, **more).fit(features, OTHER_TARGETS.get(name, Y))


@functools.cache
def saved(name, rounds):
    """The bytes of a checkpoint after some rounds."""

    def stop(record):
        if record.number >= rounds:
            raise Stopped

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.npz"
        with contextlib.suppress(Stopped):
            fit(name, checkpoint=path, verbose=stop)
        return path.read_bytes()


def attack(seed, folder):
    """Spoil a checkpoint, and fit on."""
    rng = np.random.default_rng(seed)
    name = list(FITS)[rng.integers(len(FITS))]
    content = saved(name, int(rng.integers(1, 4)))
    path = folder / "c.npz"
    if rng.random() < 0.2:
        path.write_bytes(spoilt_bytes(content, rng))
    else:
        with np.load(io.BytesIO(content)) as file:
            arrays = dict(file)
        write(path, spoilt(arrays, rng), rng)
    with only(ValueError, np.linalg.LinAlgError):
        fit(name, checkpoint=path)


def spoilt(arrays, rng):
    """Other numbers, shapes or types in one array, or another header."""
    arrays = dict(arrays)
    name = list(arrays)[rng.integers(len(arrays))]
    array = arrays[name]
    if name == "header":
        header = spoil(json.loads(bytes(array)), rng)
        if rng.random() < 0.5:
            header = json.loads(bytes(array))
            header["history"] = json.dumps(spoil(json.loads(header["history"]), rng))
        return arrays | {name: np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    match rng.integers(6):
        case 0:
            del arrays[name]
            return arrays
        case 1 if array.dtype.kind != "U":
            array = array.astype(rng.choice(["f4", "i4", "i8", "u8", "?", "f8"]))
        case 2:
            array = np.resize(array, array.size + int(rng.integers(1, 4)))
        case 3:
            array = array[None]
        case _ if array.size and array.dtype.kind != "U":
            odd = [10**6, -1, 2**40, -(2**62), 29, 30]
            array = array.copy()
            array.flat[rng.integers(array.size)] = np.array(odd).astype(array.dtype)[
                rng.integers(len(odd))
            ]
    return arrays | {name: array}


def write(path, arrays, rng):
    """As np.savez does, with the header's list of names brought up to date, mostly."""
    try:
        header = json.loads(bytes(arrays["header"]))
        if isinstance(header, dict) and rng.random() < 0.9:
            header["members"] = sorted(set(arrays) - {"header"})
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    except (KeyError, ValueError):
        pass
    method = zipfile.ZIP_DEFLATED if rng.random() < 0.05 else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"{name}.npy", buffer.getvalue())

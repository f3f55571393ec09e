"""Model files of a stranger: checksums fit, and anything else may be wrong."""

import functools
import hashlib
import io
import json
import zipfile

import numpy as np

import handful
from attack.junk import spoil, spoilt_bytes
from attack.verdict import only, shell
from handful.io import InputError, load_model, save_model
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 9))
SCORE = X[:, 2] - X[:, 5]
TWO, THREE = (SCORE > 0).astype(int), np.digitize(SCORE, [-0.7, 0.7])
MODELS = {
    "two classes": (handful.FGMClassifier(2), X, np.where(TWO, "yes", "no")),
    "three classes": (handful.FGMClassifier(2), X, THREE),
    "regression": (handful.FGMRegressor(2), X, SCORE),
    "f1": (handful.FGMClassifier(2, loss="f1"), X, THREE),
    "groups": (handful.FGMClassifier(2, groups=np.arange(9) // 3), X, TWO),
    "lists": (handful.FGMClassifier(2, groups=[[0, 2], [2, 5]]), X, TWO),
    "pairs": (handful.FGMClassifier(2, space=Polynomial()), X, TWO),
    "intersection": (handful.FGMClassifier(2, space=HistogramIntersection()), X, TWO),
    "gaussian": (handful.FGMClassifier(2, space=AdditiveKernel()), X, TWO),
    "greedy": (handful.GreedyRLSClassifier(3), X, np.column_stack([TWO, X[:, 0] > 0])),
    "greedy groups": (handful.GreedyRLSRegressor(2, groups=np.arange(9) // 3), X, SCORE),
    "lasso": (handful.MultiTaskLassoInf(0.1), X, SCORE),
    "direct": (handful.DirectSparsityClassifier(2, p=[0.5, 1.0]), X, THREE),
    "rfs": (handful.RFSClassifier(2), X, THREE),
    "svm": (handful.SVMPerfClassifier(), X, TWO),
    "instances": (handful.MILESClassifier(2), X, TWO),
    "dictionary": (handful.DictionaryMILClassifier(3, max_iter=3), X, TWO),
}


@functools.cache
def fitted(name):
    """A model, fitted once."""
    estimator, features, target = MODELS[name]
    return estimator.fit(features, target)


def prepare():
    """Fit all of them once."""
    for name in MODELS:
        fitted(name).predict(X)


def parts_of(path):
    """The manifest without its members, and the members."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(contents.pop("manifest.json"))
    del contents["manifest.sha256"], manifest["members"]
    return manifest, contents


def write(path, manifest, members, replaced=("", "")):
    """A file whose sizes and checksums are right, whatever they are of; a word may be replaced by any text."""
    listing = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in members.items()
    }
    if isinstance(manifest, dict):
        manifest = manifest | {"members": manifest.get("members", listing)}
    text = (
        json.dumps(manifest).replace(*replaced).encode()
        if replaced[0]
        else json.dumps(manifest).encode()
    )
    digest = hashlib.sha256(text).hexdigest().encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {"manifest.json": text, "manifest.sha256": digest, **members}.items():
            archive.writestr(name, content)


def attack(seed, folder):
    """Spoil a model file, then load, inspect and predict."""
    rng = np.random.default_rng(seed)
    name = list(MODELS)[rng.integers(len(MODELS))]
    path = folder / "m.handful"
    save_model(fitted(name), path, about={"target": "y", "first_index": 0, "n_samples": 40})
    if rng.random() < 0.15:
        path.write_bytes(spoilt_bytes(path.read_bytes(), rng))
    else:
        manifest, members = parts_of(path)
        for _ in range(rng.integers(1, 3)):
            if rng.random() < 0.6:
                manifest = spoil(manifest, rng)
            else:
                members = spoilt_members(members, rng)
        write(path, manifest, members)
    use(path, folder)


def spoilt_members(members, rng):
    """Other numbers, of another type or shape, in one member."""
    if not members:
        return members
    name = list(members)[rng.integers(len(members))]
    if name.endswith(".json"):
        return members | {name: json.dumps(spoil(json.loads(members[name]), rng)).encode()}
    array = np.load(io.BytesIO(members[name]))
    match rng.integers(6):
        case 0:
            array = array.astype(rng.choice(["f4", "f8", "i8", "i4", "u8", "?", "U3"]))
        case 1:
            array = array[..., None] if rng.random() < 0.5 else array.ravel()
        case 2:
            array = np.resize(array, array.size + int(rng.integers(1, 4)))
        case 3:
            array = array[:0]
        case 4 if array.dtype.kind in "iuf" and array.size:
            array = array.copy()
            odd = [2**40, -1, 2**31, -(2**63), 99]
            array.flat[rng.integers(array.size)] = odd[rng.integers(len(odd))]
        case _ if array.dtype.kind == "f" and array.size:
            array = array.copy()
            array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, 1e308])
    buffer = io.BytesIO()
    np.save(buffer, array)
    return members | {name: buffer.getvalue()}


def use(path, folder):
    """Whatever is in the file: a model that works, or one sentence."""
    with only(InputError):
        model = load_model(path)
        with only(ValueError, AttributeError):
            model.predict(X)
        with only(ValueError, AttributeError):
            model.transform(X)
            model.get_feature_names_out()
        with only(ValueError, AttributeError):
            model.truncate(1)
    np.savez(folder / "new.npz", X=X, y=TWO)
    shell("inspect", path)
    shell("inspect", path, "--json")
    shell("predict", path, folder / "new.npz")

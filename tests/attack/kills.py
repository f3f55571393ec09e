"""Processes that are killed, or meet each other: what is left goes on to the same bytes, or to none."""

import functools
import os
import shutil
import signal

import numpy as np
import stores

from attack.verdict import FellError
from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    MultiTaskLassoInf,
    open_store,
)

FITS = {
    "exactly k": (FGMClassifier, {"n_features_to_select": 4}),
    "plain": (FGMRegressor, {"budget": 3, "max_rounds": 5}),
    "greedy": (GreedyRLSClassifier, {"n_features_to_select": 4}),
    "direct": (DirectSparsityClassifier, {"n_features_to_select": 4}),
    "lasso": (MultiTaskLassoInf, {"n_features_to_select": 4}),
}
WORKED, REFUSED = 0, 3


def attack(seed, folder):
    """Kill or race conversions, kill fits; then go on."""
    rng = np.random.default_rng(seed)
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    (kill_conversion, race_conversions, kill_fit)[rng.integers(3)](folder, rng)


def prepare():
    """Fit all of them once."""
    for name in FITS:
        unbroken(name)


def in_child(function, *arguments):
    """Run in a process of its own; return how it ended."""
    return ended(start(function, *arguments))


def start(function, *arguments):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            function(*arguments)
            code = WORKED
        finally:
            os._exit(code)
    return pid


def ended(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def contents(store):
    return {path.name: path.read_bytes() for path in sorted(store.iterdir())}


def sources(folder, rng):
    """Two files of other numbers, and how to convert them."""
    kind = rng.choice(["npz", "csv"])
    paths = []
    for name, sign in (("a", 1.0), ("b", -1.0)):
        X, y = stores.small(kind == "npz")
        path = folder / f"{name}.{kind}"
        if kind == "npz":
            stores.save_npz(path, sign * X, y)
        else:
            rows = [
                ",".join(map(str, [*row, label])) for row, label in zip(sign * X, y, strict=True)
            ]
            head = ",".join([*(f"c{j}" for j in range(60)), "y"])
            path.write_text("\n".join([head, *rows]) + "\n")
        paths.append(path)
    options = {"memory": int(rng.integers(20_000, 200_000))}
    return paths, options | ({"target": "y"} if kind == "csv" else {})


def kill_conversion(folder, rng):
    """Killed at some step, again and again, it ends with the bytes of one that was not."""
    (data, other), options = sources(folder, rng)
    expected = contents(stores.convert_file(data, folder / "whole.store", **options).path)
    place = folder / "a.store"
    for _ in range(rng.integers(1, 6)):
        code = in_child(stores.convert_and_die, data, place, int(rng.integers(1, 80)), options)
        if code not in (WORKED, -signal.SIGKILL):
            if place.exists():  # it was complete before
                break
            raise FellError(f"a conversion that went on ended with {code}")
    if not place.exists() and rng.random() < 0.5:
        unfinished = (folder / "a.store.part" / "journal.json").exists()
        if unfinished and in_child(stores.convert_or_say_no, other, place, options) == WORKED:
            raise FellError("another source went on with the conversion")
    if in_child(stores.convert_or_say_no, data, place, options) not in (WORKED, REFUSED):
        raise FellError("the same conversion did not go on")
    found = contents(place)
    if {name: found.get(name) for name in expected} != expected:
        raise FellError("a conversion that was killed ended with other bytes")


def race_conversions(folder, rng):
    """Two sources, one store: it is one of the two."""
    paths, options = sources(folder, rng)
    expected = [
        contents(stores.convert_file(path, folder / f"{path.stem}.whole", **options).path)
        for path in paths
    ]
    place = folder / "q.store"
    both = [
        start(stores.convert_or_say_no, path, place, options) for path in rng.permutation(paths)
    ]
    codes = sorted(ended(pid) for pid in both)
    if codes != [WORKED, REFUSED]:
        raise FellError(f"two conversions to one store ended with {codes}")
    if contents(place) not in expected:
        raise FellError("the store is neither of its two sources")
    open_store(place, verify=True)


@functools.cache
def unbroken(name):
    """The fit that nothing interrupts."""
    X, y = fit_data(name)
    kind, parameters = FITS[name]
    return kind(**parameters).fit(X, y)


def fit_data(name):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 40))
    score = X[:, 3] - X[:, 9] + 0.3 * rng.standard_normal(60)
    return X, score if name == "plain" else (score > 0).astype(int)


def kill_fit(folder, rng):
    """Killed after some round, a fit goes on to the same bits."""
    name = list(FITS)[rng.integers(len(FITS))]
    expected = unbroken(name)
    path = folder / "c.npz"
    for _ in range(rng.integers(1, 4)):
        in_child(fit_and_die, name, path, int(rng.integers(1, expected.n_iter_ + 2)))
    X, y = fit_data(name)
    kind, parameters = FITS[name]
    model = kind(**parameters, checkpoint=path).fit(X, y)
    if not np.array_equal(model.weights_, expected.weights_):
        raise FellError(f"{name}: a fit that was killed ended with other weights")


def fit_and_die(name, path, number):
    """Be killed when the round of this number has been saved."""

    def tell(record):
        if record.number >= number:
            os.kill(os.getpid(), signal.SIGKILL)

    X, y = fit_data(name)
    kind, parameters = FITS[name]
    kind(**parameters, checkpoint=path, verbose=tell).fit(X, y)

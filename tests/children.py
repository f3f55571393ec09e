"""Fits in other processes, for the tests that interrupt and kill them.

Children are forked from a server that has imported this file, so each starts in milliseconds.
"""

import functools
import multiprocessing
import os
import signal
from multiprocessing import forkserver

import numpy as np
import pytest
import scipy.sparse as sp
from problems import more_classes, quantities, two_classes

from handful import FGMClassifier, FGMRegressor

SERVER = "HANDFUL_TEST_SERVER"
WAIT = 120  # seconds for a child that is expected to end at once


def sparse_classes():
    X, y = two_classes()
    return sp.csr_array(np.where(np.abs(X) > 0.8, X, 0.0)), y


#: name -> (estimator, data, parameters): every phase and every solver.
FITS = {
    "plain": (FGMClassifier, two_classes, {"budget": 3, "max_rounds": 5, "tol": 1e-9}),
    "plain apg": (
        FGMRegressor,
        quantities,
        {"budget": 3, "max_rounds": 5, "solver": "apg", "tol": 1e-3},
    ),
    "plain mkl": (
        FGMClassifier,
        two_classes,
        {"budget": 3, "max_rounds": 5, "solver": "mkl", "tol": 1e-3, "C": 1.0},
    ),
    "exactly k": (FGMClassifier, two_classes, {"n_features_to_select": 5, "C": "fast"}),
    "exactly k sparse": (FGMClassifier, sparse_classes, {"n_features_to_select": 5, "C": "fast"}),
    "exactly k apg": (
        FGMClassifier,
        lambda: more_classes(3),
        {"n_features_to_select": 5, "solver": "apg", "max_rounds": 3},
    ),
    "exactly k ksupport": (
        FGMRegressor,
        quantities,
        {"n_features_to_select": 5, "solver": "ksupport", "scale": "norm", "tol": 1e-3},
    ),
    "exactly k mkl": (
        FGMClassifier,
        two_classes,
        {"n_features_to_select": 5, "solver": "mkl", "max_rounds": 3, "C": 1.0},
    ),
    "must keep": (
        FGMClassifier,
        two_classes,
        {
            "n_features_to_select": 5,
            "include": [50],
            "exclude": [3],
            "loss": "logistic",
            "C": "fast",
        },
    ),
}


def make(name, **more):
    """The estimator and the data of a named fit."""
    estimator, draw, parameters = FITS[name]
    return estimator(**parameters | more), draw()


def in_child(function, *arguments):
    """Run a function of this file in a new process; return its exit code."""
    process = start(function, *arguments)
    process.join(WAIT)
    return process.exitcode


def start(function, *arguments):
    """Start a function of this file in a new process."""
    serve()
    process = context.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def fit_and_die_after(name, path, number):
    """Fit, and be killed as soon as the round with this number is saved."""
    estimator, data = make(name, checkpoint=path)
    estimator.verbose = lambda record: die() if record.number >= number else None
    estimator.fit(*data)


def fit_and_die_while_saving(name, path, number, step):
    """Fit, and be killed at one step of writing the n-th file."""
    count = {"saves": 0, "arrays": 0}
    fsync, replace, write_array = os.fsync, os.replace, np.lib.format.write_array

    def on_array(*arguments, **options):
        count["arrays"] += 1
        count["saves"] += arguments[1].dtype == np.uint8  # the header comes first
        if step == "writing" and count["saves"] == number and count["arrays"] % 3 == 0:
            arguments[0].write(b"half of an array")
            die()
        return write_array(*arguments, **options)

    def on_fsync(handle):
        if step == "flushing" and count["saves"] == number:
            die()
        return fsync(handle)

    def on_replace(source, target):
        if step == "renaming" and count["saves"] == number:
            die()
        return replace(source, target)

    np.lib.format.write_array, os.fsync, os.replace = on_array, on_fsync, on_replace
    estimator, data = make(name, checkpoint=path)
    estimator.fit(*data)


def fit_slowly(name, path, pipe):
    """Tell each round and wait for an answer; at the end tell how it went."""

    def tell(record):
        pipe.send(record.number)
        pipe.recv()

    estimator, data = make(name, checkpoint=path, verbose=tell)
    before = signal.getsignal(signal.SIGINT)
    try:
        estimator.fit(*data)
        ended = "fitted"
    except KeyboardInterrupt:
        ended = "KeyboardInterrupt"
    restored = signal.getsignal(signal.SIGINT) is before is signal.default_int_handler
    estimator.verbose = False
    pipe.send((ended, restored, estimator))


@functools.cache
def serve():
    """Start the server, able to import this file; others who fork from it find the library loaded."""
    context.set_forkserver_preload([__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.path.dirname(__file__), prepend=os.pathsep)
        patch.setenv(SERVER, "1")
        forkserver.ensure_running()


context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
if os.environ.pop(SERVER, ""):
    import stores  # noqa: F401 - children that convert need not import it again

    for known in ("exactly k", "exactly k sparse"):  # children inherit the compiled kernels
        fitted, problem = make(known)
        fitted.fit(*problem)

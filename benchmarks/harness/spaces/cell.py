"""One cell of a table of spaces, in a process of its own: ``python -m harness.spaces.cell``.

As ``harness/cell.py``, for methods that prepare before they are timed and that may bring a model.
"""

from __future__ import annotations

import argparse
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from harness.cell import WARM_UP_K, answer_parent, run_child, tiny
from harness.measure import measure
from harness.peers import Selection
from harness.problem import read_matrix, read_train

from .group_methods import GROUP_METHODS
from .methods import ADDITIVE_METHODS, MNIST_METHODS, PAIR_METHODS, Method

FAMILIES: dict[str, dict[str, Method]] = {
    "pairs": PAIR_METHODS,
    "mnist": MNIST_METHODS,
    "groups": GROUP_METHODS,
    "additive": ADDITIVE_METHODS,
}


def run_space_cell(
    folder: Path, family: str, method: str, k: int, *, repeat: int, timeout: float
) -> dict[str, Any]:
    """Answer of the child, or a dictionary whose ``status`` says why there is none."""
    arguments = [str(folder), family, method, str(k), str(repeat), str(timeout)]
    return run_child("harness.spaces.cell", arguments, timeout)


def _test_accuracy(folder: Path, found: Selection) -> float | None:
    model = getattr(found, "model", None)
    if model is None:
        return None
    y_test = np.load(folder / "y_test.npy")
    return float(model.score(read_matrix(folder, "X_test"), y_test)) if len(y_test) else None


def _child(given: argparse.Namespace) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    method = FAMILIES[given.family][given.method]
    X, y = read_train(given.folder)
    method(*tiny(X, y), WARM_UP_K)()
    call = method(X, y, given.k)

    def timed() -> Selection:
        signal.setitimer(signal.ITIMER_REAL, given.timeout)
        return call()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = measure(timed, given.repeat)
    signal.setitimer(signal.ITIMER_REAL, 0)
    found = result.value
    return {
        "status": "ok",
        "seconds": result.seconds,
        "all_seconds": result.all_seconds,
        "extra_bytes": result.extra_bytes,
        "ids": found.ids.tolist(),
        "fits": found.fits,
        "rounds": found.rounds,
        "accuracy": _test_accuracy(given.folder, found),
        "warnings": sorted({w.category.__name__ for w in caught}),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("family")
    parser.add_argument("method")
    parser.add_argument("k", type=int)
    parser.add_argument("repeat", type=int)
    parser.add_argument("timeout", type=float)
    answer_parent(parser, _child)


if __name__ == "__main__":
    main()

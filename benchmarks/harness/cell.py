"""One cell of a table: one selector, one data set, one k, in a process of its own.

The parent calls ``run_cell``; the child is ``python -m harness.cell`` and answers with a JSON file.
The time limit is an alarm set in the child just before the fit, so that neither loading nor the
warm-up counts, and its default action ends the process even inside compiled code.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import scipy.sparse as sp
from numpy.typing import NDArray

from .measure import measure
from .peers import CLAIM_SELECTORS, SELECTORS
from .problem import Matrix, read_train

WARM_UP_ROWS, WARM_UP_COLUMNS, WARM_UP_K = 400, 100, 5


def tiny(X: Matrix, y: NDArray[Any]) -> tuple[Matrix, NDArray[Any]]:
    """Cut a corner of the data, of the same type and with every class, to warm up compilers."""
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:WARM_UP_ROWS])
    for label in np.unique(y):  # a rare class may have been missed
        rows = np.union1d(rows, np.flatnonzero(y == label)[:10])
    if not sp.issparse(X):
        return np.ascontiguousarray(X[:, :WARM_UP_COLUMNS][rows]), y[rows]
    part = X[rows]
    counts = np.bincount(part.indices, minlength=X.shape[1])
    return part[:, np.sort(np.argsort(-counts)[:WARM_UP_COLUMNS])], y[rows]


def _child(given: argparse.Namespace) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    select = {**SELECTORS, **CLAIM_SELECTORS}[given.method]
    X, y = read_train(given.folder)
    select(*tiny(X, y), WARM_UP_K)

    def timed() -> Any:
        signal.setitimer(signal.ITIMER_REAL, given.timeout)
        return select(X, y, given.k)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = measure(timed, given.repeat)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "status": "ok",
        "seconds": result.seconds,
        "all_seconds": result.all_seconds,
        "extra_bytes": result.extra_bytes,
        "ids": result.value.ids.tolist(),
        "fits": result.value.fits,
        "rounds": result.value.rounds,
        "active": result.value.active,
        "objective": result.value.objective,
        "warnings": sorted({w.category.__name__ for w in caught}),
    }


def run_cell(folder: Path, method: str, k: int, *, repeat: int, timeout: float) -> dict[str, Any]:
    """Answer of the child, or a dictionary whose ``status`` says why there is none."""
    arguments = [str(folder), method, str(k), str(repeat), str(timeout)]
    return run_child("harness.cell", arguments, timeout)


def run_child(module: str, arguments: list[str], timeout: float) -> dict[str, Any]:
    """Run a module that writes its answer to the file named last, and read that or say why not."""
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "answer.json"
        done = start_child(module, [*arguments, str(written)])
        if written.exists():
            return dict(json.loads(written.read_text()))
    return {"status": why_it_ended(done, timeout), "error": done.stderr[-2000:]}


def start_child(
    module: str, arguments: list[str], environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module of the harness in a process of its own, to its end.

    ``environment`` is added to that of this process; a PYTHONPATH in it comes before what is there.
    """
    here = Path(__file__).resolve().parents[1]
    added = dict(environment or {})
    paths = [str(here), added.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **added, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )


def why_it_ended(done: subprocess.CompletedProcess[str], timeout: float) -> str:
    """Say in a few words why a child ended without its answer."""
    if done.returncode in (-signal.SIGALRM, -signal.SIGPROF):
        return f"> {timeout:g} s"
    if "ModuleNotFoundError" in done.stderr or "ImportError" in done.stderr:
        return "not installed"
    if "MemoryError" in done.stderr or "bad_alloc" in done.stderr:
        return "out of memory"
    if done.returncode < 0:
        return f"died, signal {-done.returncode}"
    last = done.stderr.strip().splitlines()[-1:] or ["no answer"]
    return f"failed: {last[0][:120]}"


def limit_memory() -> None:
    """Make a rival that needs more than the machine has fail alone, not take others with it."""
    limit = int(0.85 * psutil.virtual_memory().available)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def answer_parent(
    parser: argparse.ArgumentParser, work: Callable[[argparse.Namespace], dict[str, Any]]
) -> None:
    """Be the child of ``run_child``: read the arguments, work, write the answer where it is wanted."""
    parser.add_argument("answer", type=Path)
    given = parser.parse_args()
    limit_memory()
    given.answer.write_text(json.dumps(work(given)))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, kind in (
        ("folder", Path),
        ("method", str),
        ("k", int),
        ("repeat", int),
        ("timeout", float),
    ):
        parser.add_argument(name, type=kind)
    answer_parent(parser, _child)


if __name__ == "__main__":
    main()

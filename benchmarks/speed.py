"""Whether fits have become slower: each as a multiple of one pass over its data, against stored multiples.

    python3 dev.py speed                 compare with benchmarks/speed.json; exit 1 where a fit is 1.5 times slower
    python3 dev.py speed --store         write what is measured there
    python3 dev.py speed --only "RFS;greedy RLS"

A pass is one product X'a (of bags: of all instances), timed between the fits, so that a slower machine makes
both slower. Times are those of the processor, with one thread, and of several runs the best counts; what
still looks slower is measured again at the end, when other work may be over. Threads, disks and devices are
not looked at: that is what ``scale.py`` is for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import handful
from handful.datasets import make_bags
from handful.spaces import Polynomial

STORED = Path(__file__).with_suffix(".json")
SLOWER = 1.5
RUNS, SECONDS_OF_A_CASE = 8, 3.0  # so many runs, or at least two if they are longer than that
RUNS_OF_A_PASS, LEAST_SECONDS = 3, 2e-3  # after each fit; short passes are repeated to be timed


# ------------------------------------------------------------------- the data


def dense(n_rows: int, n_columns: int, n_classes: int = 2) -> tuple[Any, Any]:
    """Normal columns of which thirty tell the classes apart."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    z = X[:, :30] @ rng.standard_normal((30, n_classes)) + rng.standard_normal((n_rows, n_classes))
    return X, z.argmax(axis=1)


def words(n_rows: int, n_columns: int, per_row: int, share: float = 0.5) -> tuple[Any, Any]:
    """Sparse rows of length one, frequencies falling as 1/rank, and a class of this share of them."""
    rng = np.random.default_rng(0)
    drawn = (n_columns ** rng.random(n_rows * per_row)).astype(np.int64) - 1
    place = np.repeat(np.arange(n_rows), per_row)
    X = sp.csr_matrix((rng.random(len(drawn)) + 0.5, (place, drawn)), shape=(n_rows, n_columns))
    X = sp.csr_matrix(sp.diags(1 / np.sqrt(X.multiply(X).sum(axis=1).A1)) @ X)
    z = X[:, 10:200] @ rng.standard_normal(190) + 0.02 * rng.standard_normal(n_rows)
    return X, (z > np.quantile(z, 1 - share)).astype(np.int64)


def noisy(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Normal columns, ten of which decide half of what makes three rows in ten positive."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    z = X[:, :10].sum(axis=1) + 3.0 * rng.standard_normal(n_rows)
    return X, (z > np.quantile(z, 0.7)).astype(np.int64)


def labels(n_rows: int, n_columns: int, n_labels: int) -> tuple[Any, Any]:
    """Normal columns, and signs that thirty of them make."""
    X, _ = dense(n_rows, n_columns)
    rng = np.random.default_rng(1)
    z = X[:, :30] @ rng.standard_normal((30, n_labels)) + rng.standard_normal((n_rows, n_labels))
    return X, np.where(z > 0, 1.0, -1.0)


def numbers(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Normal columns, and a quantity that thirty of them make."""
    X, _ = dense(n_rows, n_columns)
    rng = np.random.default_rng(1)
    return X, X[:, :30] @ rng.standard_normal(30) + rng.standard_normal(n_rows)


def bags(n_bags: int, mean_size: int, width: int) -> tuple[Any, Any]:
    """Bags of instances with known truth."""
    made = make_bags(n_bags, mean_size, width, n_test_bags=0, random_state=0)
    return made.bags, made.y


# ------------------------------------------------------------------ the cases


@dataclass(frozen=True)
class Case:
    """What is fitted to what; ``small`` makes data of the same kind that is quick to compile on."""

    data: Callable[..., tuple[Any, Any]]
    sizes: tuple[Any, ...]
    small: tuple[Any, ...]
    model: Callable[[int], Any]  # of the number of columns


def _fgm(*given: Any, **options: Any) -> Callable[[int], Any]:
    return lambda n_columns: handful.FGMClassifier(*given, n_jobs=1, **options)


def _groups(n_columns: int) -> Any:
    return handful.FGMClassifier(20, groups=np.arange(n_columns) // 10, C="fast", n_jobs=1)


DENSE, SMALL = (3000, 8000), (200, 400)
WORDS, FEW_WORDS = (10_000, 40_000, 50), (300, 600, 20)
CASES = {
    "FGM, dense, plain": Case(dense, DENSE, SMALL, _fgm(budget=10, max_rounds=15, tol=1e-6)),
    "FGM, dense, k = 50": Case(dense, DENSE, SMALL, _fgm(50, C="fast")),
    "FGM, dense, C chosen": Case(dense, (500, 2000), SMALL, _fgm(20)),
    "FGM, dense, 5 classes": Case(dense, (2000, 5000, 5), (200, 400, 5), _fgm(20, C="fast")),
    "FGM, sparse, plain": Case(words, WORDS, FEW_WORDS, _fgm(budget=10, max_rounds=15, tol=1e-6)),
    "FGM, sparse, k = 50": Case(words, WORDS, FEW_WORDS, _fgm(50, C="fast")),
    "FGM, logistic": Case(dense, DENSE, SMALL, _fgm(30, loss="logistic", C="fast")),
    "FGM, f1": Case(
        words, (5000, 20_000, 50, 0.05), (*FEW_WORDS, 0.1), _fgm(30, loss="f1", C="fast")
    ),
    "SVMperf, f1": Case(noisy, (2000, 200), SMALL, lambda n: handful.SVMPerfClassifier()),
    "FGM, pairs": Case(dense, (2000, 600), (200, 40), _fgm(20, space=Polynomial(), C="fast")),
    "FGM, groups": Case(dense, DENSE, SMALL, _groups),
    "FGM, squared": Case(
        numbers, DENSE, SMALL, lambda n: handful.FGMRegressor(50, C="fast", n_jobs=1)
    ),
    "greedy RLS": Case(
        labels, (1500, 3000, 10), (200, 100, 3), lambda n: handful.GreedyRLSClassifier(40, n_jobs=1)
    ),
    "direct sparsity": Case(
        dense, (200, 5000, 5), (100, 200, 5), lambda n: handful.DirectSparsityClassifier(50)
    ),
    "RFS": Case(dense, (200, 3000, 5), (100, 200, 5), lambda n: handful.RFSClassifier(50)),
    "lasso_inf": Case(
        labels, (3000, 3000, 20), (200, 60, 3), lambda n: handful.MultiTaskLassoInf(30)
    ),
    "MILES": Case(bags, (200, 20, 20), (40, 5, 20), lambda n: handful.MILESClassifier(20)),
    "dictionary": Case(
        bags,
        (300, 20, 20),
        (40, 5, 20),
        lambda n: handful.DictionaryMILClassifier(random_state=0, max_iter=10, tol=1e-12),
    ),
}


# -------------------------------------------------------------- measured, compared


def _seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _columns(X: Any) -> int:
    return int(X.instances.shape[1] if isinstance(X, handful.Bags) else X.shape[1])


def _pass_seconds(X: Any) -> float:
    """Seconds of one product with all of X, the best of some."""
    matrix = X.instances if isinstance(X, handful.Bags) else X
    a = np.linspace(-1.0, 1.0, matrix.shape[0])
    times = 1 + int(LEAST_SECONDS / max(_seconds(lambda: matrix.T @ a), 1e-6))
    found = (_seconds(lambda: [matrix.T @ a for _ in range(times)]) for _ in range(RUNS_OF_A_PASS))
    return min(found) / times


@dataclass
class Timing:
    """Best seconds of one fit and of one pass over its data."""

    fit: float = np.inf
    one_pass: float = np.inf

    @property
    def multiple(self) -> float:
        """How many passes a fit takes."""
        return self.fit / self.one_pass


def measure(case: Case, known: Timing | None = None) -> Timing:
    """Fit several times, with passes between; a timing from before takes part."""
    X, y = case.data(*case.small)
    case.model(_columns(X)).fit(X, y)  # compiles
    X, y = case.data(*case.sizes)
    found, spent, runs = known or Timing(), 0.0, 0
    while runs < 2 or (runs < RUNS and spent < SECONDS_OF_A_CASE):
        model = case.model(_columns(X))
        taken = _seconds(lambda: model.fit(X, y))  # noqa: B023 - called at once
        found.fit = min(found.fit, taken)
        found.one_pass = min(found.one_pass, _pass_seconds(X))
        spent, runs = spent + taken, runs + 1
    return found


def slower(multiples: dict[str, float], stored: dict[str, float]) -> list[str]:
    """Return the cases whose multiple is more than :data:`SLOWER` times the stored one."""
    return [
        name
        for name, value in multiples.items()
        if name in stored and value > SLOWER * stored[name]
    ]


def read_stored(path: Path = STORED) -> dict[str, float]:
    """Return the multiples in the repository; empty where there is no file."""
    return dict(json.loads(path.read_text())["multiples"]) if path.exists() else {}


def _line(name: str, timing: Timing, stored: dict[str, float]) -> str:
    text = f"{name:24s}{timing.fit:9.3f}{1e3 * timing.one_pass:10.3f}{timing.multiple:10.1f}"
    if name not in stored:
        return f"{text}       new"
    return f"{text}{stored[name]:10.1f}{timing.multiple / stored[name]:9.2f}"


def report(
    timings: dict[str, Timing],
    stored: dict[str, float],
    given: argparse.Namespace,
    path: Path = STORED,
) -> int:
    """Write the multiples down, or say which are too large; returns the exit code."""
    multiples = {name: round(timing.multiple, 2) for name, timing in timings.items()}
    if given.store:
        about = "fits of speed.py as multiples of one pass over their data; python3 dev.py speed --store"
        content = {"about": about, "multiples": {**stored, **multiples}}
        path.write_text(json.dumps(content, indent=1) + "\n")
        print(f"stored {len(multiples)} multiples in {path.name}")
        return 0
    found = slower(multiples, stored)
    for name in found:
        ratio = multiples[name] / stored[name]
        print(f"REGRESSION {name}: {ratio:.2f} times the stored multiple (allowed: {SLOWER})")
    print(f"compared {len(multiples)} fits with {path.name}: {len(found)} slower than allowed")
    return 1 if found else 0


def main() -> int:
    """Measure the cases asked for and compare or store them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", action="store_true", help="keep what is measured")
    parser.add_argument("--only", help=f"cases, separated by semicolons: {'; '.join(CASES)}")
    given = parser.parse_args()
    names = given.only.split(";") if given.only else list(CASES)
    for name in names:
        if name not in CASES:
            parser.error(f"unknown case {name!r}; known: {'; '.join(CASES)}")
    warnings.simplefilter("ignore")
    stored, timings = read_stored(), {}
    print(
        "processor seconds of one fit, ms of one pass over its data, their ratio, the stored ratio,"
    )
    print(f"and how many times the stored one it is (more than {SLOWER} is a regression)")
    print(f"{'':24s}{'fit, s':>9s}{'pass, ms':>10s}{'passes':>10s}{'stored':>10s}{'times':>9s}")
    for name in names:
        timings[name] = measure(CASES[name])
        print(_line(name, timings[name], stored), flush=True)
    again = slower({name: timing.multiple for name, timing in timings.items()}, stored)
    for name in [] if given.store else again:
        print(f"{name} looks slower and is measured again")
        timings[name] = measure(CASES[name], timings[name])
        print(_line(name, timings[name], stored), flush=True)
    return report(timings, stored, given)


if __name__ == "__main__":
    sys.exit(main())

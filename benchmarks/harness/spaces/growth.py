"""How the cost of one scan grows with rows, columns and the number of features asked for.

Each size is doubled while the others stay, and a line is fitted to log(seconds) over log(size).
Sparse rows have a fixed number of words whose frequencies fall as 1/rank, as in text. The
vector to score against is random signs: nothing stands out, so least can be left unscanned.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table

from harness.cell import limit_memory, run_child

WORDS = 50  # stored values of a sparse row
REPEAT = 5
SIZES = ("n", "m", "B")
Sizes = dict[str, int]


@dataclass(frozen=True)
class Growth:
    """Seconds of one kind of scan as one size grows, and the exponent fitted to them."""

    scan: str
    size: str
    sizes: list[int]
    seconds: list[float]
    exponent: float


def _text(n: int, m: int) -> sp.csr_matrix:
    rng = np.random.default_rng(0)
    # Inverse of the distribution of a word whose frequency falls as 1/rank.
    words = np.minimum((m ** rng.random(n * WORDS)).astype(np.int64), m - 1)
    parts = (rng.random(n * WORDS) + 0.5, (np.repeat(np.arange(n), WORDS), words))
    return sp.csr_matrix(parts, shape=(n, m))


def _dense(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, m))


def sparse_pairs(n: int, m: int) -> Any:
    from handful.spaces import Polynomial

    return Polynomial().on(_text(n, m))


def dense_pairs(n: int, m: int) -> Any:
    from handful.spaces import Polynomial

    return Polynomial().on(_dense(n, m))


def groups(n: int, m: int) -> Any:
    from handful.spaces import GroupedSpace, make_groups, resolve_space

    labels = np.arange(m) // 10
    return GroupedSpace(resolve_space(_dense(n, m)), make_groups(labels, None, m))


def intersection(n: int, m: int) -> Any:
    from handful.spaces import HistogramIntersection

    return HistogramIntersection().on(_text(n, m))


SCANS: dict[str, tuple[Callable[[int, int], Any], Sizes]] = {
    "sparse pairs": (sparse_pairs, {"n": 8000, "m": 40_000, "B": 20}),
    "dense pairs": (dense_pairs, {"n": 2000, "m": 400, "B": 20}),
    "groups of 10": (groups, {"n": 2000, "m": 10_000, "B": 20}),
    "intersection": (intersection, {"n": 40_000, "m": 40_000, "B": 20}),
}


def _scan_seconds(make: Callable[[int, int], Any], sizes: Sizes) -> float:
    from joblib import cpu_count

    space = make(sizes["n"], sizes["m"])
    space.n_threads = cpu_count()
    signs = np.random.default_rng(1).choice([-1.0, 1.0], sizes["n"])
    seconds = []
    space.top(signs, sizes["B"])  # prepares
    for _ in range(REPEAT):
        started = time.perf_counter()
        space.top(signs, sizes["B"])
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _measure(scan: str, size: str, doublings: int, shrink: int) -> Growth:
    make, base = SCANS[scan]
    base = {name: value // shrink if name != "B" else value for name, value in base.items()}
    sizes = [base[size] * 2**i for i in range(doublings + 1)]
    seconds = [_scan_seconds(make, {**base, size: value}) for value in sizes]
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return Growth(scan, size, sizes, seconds, exponent)


def run_growth(console: Console, *, quick: bool, timeout: float) -> list[Growth]:
    """Measure every scan and size, each in a process of its own, and print the exponents."""
    doublings, shrink = (2, 4) if quick else (3, 1)
    found: list[Growth] = []
    table = Table(title="one scan: seconds ~ size ^ exponent", title_justify="left")
    for heading in ("scan", "size", "from", "to", "seconds", "exponent"):
        table.add_column(heading, justify="left" if heading in ("scan", "size") else "right")
    for scan in SCANS:
        for size in SIZES:
            arguments = [scan, size, str(doublings), str(shrink), str(timeout)]
            answer = run_child("harness.spaces.growth", arguments, timeout)
            if answer["status"] != "ok":
                table.add_row(scan, size, "", "", "", answer["status"])
                continue
            one = Growth(**answer["growth"])
            found.append(one)
            if not console.is_terminal:
                console.print(f"growth, {scan}, {size}: exponent {one.exponent:.2f}")
            seconds = ", ".join(f"{s:.4f}" for s in one.seconds)
            ends = (f"{one.sizes[0]:,}", f"{one.sizes[-1]:,}")
            table.add_row(scan, size, *ends, seconds, f"{one.exponent:.2f}")
    console.print(table)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scan")
    parser.add_argument("size")
    parser.add_argument("doublings", type=int)
    parser.add_argument("shrink", type=int)
    parser.add_argument("timeout", type=float)
    parser.add_argument("answer", type=Path)
    given = parser.parse_args()
    limit_memory()
    signal.setitimer(signal.ITIMER_REAL, given.timeout)
    growth = _measure(given.scan, given.size, given.doublings, given.shrink)
    given.answer.write_text(json.dumps({"status": "ok", "growth": asdict(growth)}))


if __name__ == "__main__":
    main()

"""How the cost of one scan grows, and the published example of an interaction hidden among 10^9 pairs.

Rows, columns or the number of features asked for are doubled while the others stay, and a line is fitted to
log(seconds) over log(size). Sparse rows have a fixed number of words whose frequencies fall as 1/rank, as in text. The
vector to score against is random signs: nothing stands out, so least can be left unscanned.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import cpu_count

from handful.spaces import (
    GroupedSpace,
    HistogramIntersection,
    Polynomial,
    make_groups,
    resolve_space,
)

from .child import Answer, ask, limited
from .data import ROOT
from .growth import GROWTH_HEADINGS, exponent, growth_texts
from .study import Run, Target

WORDS = 50  # stored values of a sparse row
REPEAT = 5
SIZES = ("n", "m", "B")
Sizes = dict[str, int]


def _text(n: int, m: int) -> sp.csr_matrix:
    rng = np.random.default_rng(0)
    # Inverse of the distribution of a word whose frequency falls as 1/rank.
    words = np.minimum((m ** rng.random(n * WORDS)).astype(np.int64), m - 1)
    parts = (rng.random(n * WORDS) + 0.5, (np.repeat(np.arange(n), WORDS), words))
    return sp.csr_matrix(parts, shape=(n, m))


def _dense(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, m))


def _groups(n: int, m: int) -> Any:
    labels = np.arange(m) // 10
    return GroupedSpace(resolve_space(_dense(n, m)), make_groups(labels, None, m))


SCANS: dict[str, tuple[Callable[[int, int], Any], Sizes]] = {
    "sparse pairs": (lambda n, m: Polynomial().on(_text(n, m)), {"n": 8000, "m": 40_000, "B": 20}),
    "dense pairs": (lambda n, m: Polynomial().on(_dense(n, m)), {"n": 2000, "m": 400, "B": 20}),
    "groups of 10": (_groups, {"n": 2000, "m": 10_000, "B": 20}),
    "intersection": (
        lambda n, m: HistogramIntersection().on(_text(n, m)),
        {"n": 40_000, "m": 40_000, "B": 20},
    ),
}


def _scan_seconds(make: Callable[[int, int], Any], sizes: Sizes) -> float:
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


def cell(scan: str, size: str, quick: bool, timeout: float) -> Answer:
    """Time one kind of scan as one size grows."""
    doublings, shrink = (2, 4) if quick else (3, 1)
    make, base = SCANS[scan]
    base = {name: value // shrink if name != "B" else value for name, value in base.items()}
    sizes = [base[size] * 2**i for i in range(doublings + 1)]
    with limited(timeout):
        seconds = [_scan_seconds(make, {**base, size: value}) for value in sizes]
    found = {"sizes": sizes, "seconds": seconds, "exponent": exponent(sizes, seconds)}
    return {"status": "ok", "growth": {"scan": scan, "size": size, **found}}


def run_growth(run: Run) -> None:
    """Measure every scan and size, each in a process of its own, and print the exponents."""
    found, texts = [], []
    for scan in SCANS:
        for size in SIZES:
            answer = ask(cell, run.given.timeout, scan=scan, size=size, quick=run.given.quick)
            if answer["status"] != "ok":
                texts.append((scan, size, "", "", "", answer["status"]))
                continue
            one = answer["growth"]
            found.append(one)
            run.log(f"growth, {scan}, {size}: exponent {one['exponent']:.2f}")
            texts.append((scan, size, *growth_texts(one["sizes"], one["seconds"], ".4f")))
    headings = ("scan", "size", *GROWTH_HEADINGS)
    run.show("one scan: seconds ~ size ^ exponent", headings, texts, left=2)
    run.report.add(growth=found)


# ----------------------------------------------------------- the published example

EXAMPLE = ROOT / "examples" / "hidden_interaction.py"
HIDDEN_SECONDS = 10.0


@dataclass(frozen=True)
class Hidden:
    """What the example printed, and its seconds from start to end with all imports."""

    seconds: float
    output: str
    found: bool
    fit_seconds: float | None


def run_hidden(run: Run) -> None:
    """Run the example as a user would; it says itself whether it found what it had hidden."""
    started, timeout = time.perf_counter(), run.given.timeout
    command = [sys.executable, str(EXAMPLE)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
        output = done.stdout if done.returncode == 0 else done.stderr[-2000:]
    except subprocess.TimeoutExpired:
        output = f"> {timeout:g} s"
    seconds = time.perf_counter() - started
    facts = dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)
    fit, chosen, hidden = facts.get("seconds"), facts.get("chosen"), facts.get("hidden")
    result = Hidden(seconds, output, chosen is not None and chosen == hidden, fit and float(fit))
    run.console.print(f"hidden interaction, {EXAMPLE.name}: {seconds:.1f} s with all imports")
    run.console.print(output, markup=False, highlight=False)
    run.report.add(hidden=asdict(result))
    text = f"the interaction hidden among 10^9 pairs is found in under {HIDDEN_SECONDS:g} s"
    told = f", the fit {result.fit_seconds:.2f} s" if result.fit_seconds else ""
    figure = f"{'found' if result.found else 'not found'}, {seconds:.1f} s in all{told}"
    run.targets.append(Target(text, figure, result.found and seconds < HIDDEN_SECONDS))

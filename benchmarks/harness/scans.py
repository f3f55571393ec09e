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
from .growth import GROWTH_HEADINGS, doubled, growth_texts
from .measure import timed
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


def scan_seconds(
    make: Callable[[int, int], Any],
    sizes: Sizes,
    n_threads: int,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds of one scan, the least of some."""
    space = make(sizes["n"], sizes["m"])
    space.n_threads = n_threads
    signs = np.random.default_rng(1).choice([-1.0, 1.0], sizes["n"])
    space.top(signs, sizes["B"])  # prepares
    return min(timed(lambda: space.top(signs, sizes["B"]), clock)[1] for _ in range(REPEAT))


def cell(scan: str, size: str, quick: bool, timeout: float) -> Answer:
    """Time one kind of scan as one size grows."""
    doublings, shrink = (2, 4) if quick else (3, 1)
    make, base = SCANS[scan]
    base = {name: value // shrink if name != "B" else value for name, value in base.items()}
    with limited(timeout):
        found = doubled(base, size, doublings, lambda sizes: scan_seconds(make, sizes, cpu_count()))
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
            texts.append((scan, size, *growth_texts(one, ".4f")))
    headings = ("scan", "size", *GROWTH_HEADINGS)
    run.show("one scan: seconds ~ size ^ exponent", headings, texts, left=2)
    run.report.add(growth=found)


# ----------------------------------------------------------- the published example

EXAMPLE = ROOT / "examples" / "hidden_interaction.py"
HIDDEN_SECONDS = 10.0


def run_hidden(run: Run) -> None:
    """Run the example as a user would; it says itself whether it found what it had hidden."""
    timeout, command = run.given.timeout, [sys.executable, str(EXAMPLE)]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": timeout}
    started = time.perf_counter()
    try:
        done = subprocess.run(command, check=False, **options)
        output = done.stdout if done.returncode == 0 else done.stderr[-2000:]
    except subprocess.TimeoutExpired:
        output = f"> {timeout:g} s"
    seconds = time.perf_counter() - started
    facts = dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)
    found = facts.get("chosen") is not None and facts["chosen"] == facts.get("hidden")
    fit_seconds = float(facts["seconds"]) if "seconds" in facts else None
    run.console.print(f"hidden interaction, {EXAMPLE.name}: {seconds:.1f} s with all imports")
    run.console.print(output, markup=False, highlight=False)
    about = {"seconds": seconds, "output": output, "found": found, "fit_seconds": fit_seconds}
    run.report.add(hidden=about)
    text = f"the interaction hidden among 10^9 pairs is found in under {HIDDEN_SECONDS:g} s"
    told = f", the fit {fit_seconds:.2f} s" if fit_seconds else ""
    figure = f"{'found' if found else 'not found'}, {seconds:.1f} s in all{told}"
    run.targets.append(Target(text, figure, found and seconds < HIDDEN_SECONDS))

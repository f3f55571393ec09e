"""How the seconds of a fit grow with rows, columns and B, on disk and in memory.

Each size is doubled while the others stay, and a line is fitted to log(seconds) over log(size). A
hundredth of the entries is there, so twice the rows are twice the entries of each column. The rounds are
the same in all fits.
"""

from __future__ import annotations

import gc
import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np

from handful import FGMClassifier, open_store
from handful.spaces import resolve_space
from harness.growth import GROWTH_HEADINGS, exponent, growth_texts
from harness.scale.wide import in_memory, write_wide
from harness.study import Run

BASE = {"rows": 50_000, "columns": 20_000, "B": 5}
DENSITY = 0.01
DOUBLINGS = 3
ROUNDS = 5
REPEAT = 2


def _seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    found = []
    for _ in range(REPEAT):
        model = FGMClassifier(budget=budget, max_rounds=ROUNDS, tol=1e-9, refit=False)
        started = time.perf_counter()
        model.fit(X, y)
        found.append(time.perf_counter() - started)
    return min(found), model.n_iter_


def _scan_seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    """Seconds of one scan, the best of five: what grows with the columns."""
    space, found = resolve_space(X), []
    signs = np.where(y > 0, 1.0, -1.0)
    for _ in range(5):
        started = time.perf_counter()
        space.top(signs, budget)
        found.append(time.perf_counter() - started)
    return min(found), ROUNDS


def _data(place: str, folder: Path, sizes: dict[str, int]) -> tuple[Any, np.ndarray]:
    per_column = int(DENSITY * sizes["rows"])
    path = write_wide(folder, sizes["rows"], sizes["columns"], per_column)
    if place == "in memory":
        return in_memory(path)
    store = open_store(path, verify=True)
    return store, store.y


MEASURED = {"fit": _seconds, "scan": _scan_seconds}


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Double each size in turn, and fit an exponent."""
    shrink = 10 if run.given.quick else 1
    base = {name: size // (shrink if name != "B" else 1) for name, size in BASE.items()}
    figures: dict[str, Any] = {"base": base}
    texts = []
    for what, place in itertools.product(MEASURED, ("in memory", "store")):
        timed = MEASURED[what]
        timed(*_data(place, folder, base), base["B"])  # compiles
        for size, first in base.items():
            sizes = [first * 2**i for i in range(DOUBLINGS + 1)]
            seconds = []
            for value in sizes:
                given = {**base, size: value}
                one, rounds = timed(*_data(place, folder, given), given["B"])
                gc.collect()
                if rounds != ROUNDS:
                    run.console.print(f"{place}, {size} {value}: {rounds} rounds and not {ROUNDS}")
                seconds.append(one)
            found = {"sizes": sizes, "seconds": seconds, "exponent": exponent(sizes, seconds)}
            figures[f"{what}, {place}, {size}"] = found
            texts.append((what, place, size, *growth_texts(sizes, seconds, ".3g")))
    title = f"fits of {ROUNDS} rounds: seconds ~ size ^ exponent"
    run.show(title, ("what", "data", "size", *GROWTH_HEADINGS), texts, left=3)
    return figures

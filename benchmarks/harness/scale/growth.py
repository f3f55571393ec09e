"""How the seconds of a fit grow with rows, columns and B, on disk and in memory.

Each size is doubled while the others stay, and a line is fitted to log(seconds) over log(size). A
hundredth of the entries is there, so twice the rows are twice the entries of each column. The rounds are
the same in all fits.
"""

from __future__ import annotations

import gc
import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handful import FGMClassifier, open_store
from handful.spaces import resolve_space
from harness.growth import GROWTH_HEADINGS, doubled, growth_texts
from harness.measure import timed
from harness.scale.wide import in_memory, write_wide
from harness.study import Run

BASE = {"rows": 50_000, "columns": 20_000, "B": 5}
DENSITY = 0.01
DOUBLINGS = 3
ROUNDS = 5
REPEAT = 2


def _fit_seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    model = FGMClassifier(budget=budget, max_rounds=ROUNDS, tol=1e-9, refit=False)
    return min(timed(lambda: model.fit(X, y))[1] for _ in range(REPEAT)), model.n_iter_


def _scan_seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    """Seconds of one scan, the best of five: what grows with the columns."""
    space, signs = resolve_space(X), np.where(y > 0, 1.0, -1.0)
    return min(timed(lambda: space.top(signs, budget))[1] for _ in range(5)), ROUNDS


def _data(place: str, folder: Path, sizes: dict[str, int]) -> tuple[Any, np.ndarray]:
    per_column = int(DENSITY * sizes["rows"])
    path = write_wide(folder, sizes["rows"], sizes["columns"], per_column)
    if place == "in memory":
        return in_memory(path)
    store = open_store(path, verify=True)
    return store, store.y


MEASURED = {"fit": _fit_seconds, "scan": _scan_seconds}


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Double each size in turn, and fit an exponent."""
    shrink = 10 if run.given.quick else 1
    base = {name: size // (shrink if name != "B" else 1) for name, size in BASE.items()}
    figures: dict[str, Any] = {"base": base}
    texts = []

    def seconds(what: str, place: str, sizes: dict[str, int]) -> float:
        one, rounds = MEASURED[what](*_data(place, folder, sizes), sizes["B"])
        gc.collect()
        if rounds != ROUNDS:
            run.console.print(f"{place}, {sizes}: {rounds} rounds and not {ROUNDS}")
        return one

    for what, place in itertools.product(MEASURED, ("in memory", "store")):
        MEASURED[what](*_data(place, folder, base), base["B"])  # compiles
        for size in base:
            found = doubled(base, size, DOUBLINGS, partial(seconds, what, place))
            figures[f"{what}, {place}, {size}"] = found
            texts.append((what, place, size, *growth_texts(found, ".3g")))
    title = f"fits of {ROUNDS} rounds: seconds ~ size ^ exponent"
    run.show(title, ("what", "data", "size", *GROWTH_HEADINGS), texts, left=3)
    return figures

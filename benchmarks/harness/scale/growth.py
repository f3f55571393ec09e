"""How the seconds of a fit grow with rows, columns and B, on disk and in memory.

Each size is doubled while the others stay, and a line is fitted to log(seconds) over log(size). A
hundredth of the entries is there, so twice the rows are twice the entries of each column. The rounds are
the same in all fits.
"""

from __future__ import annotations

import gc
import itertools
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from harness.scale import Outcome, Settings
from harness.scale.wide import in_memory, write_wide

BASE = {"rows": 50_000, "columns": 20_000, "B": 5}
DENSITY = 0.01
DOUBLINGS = 3
ROUNDS = 5
REPEAT = 2


def _seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    from handful import FGMClassifier

    found = []
    for _ in range(REPEAT):
        model = FGMClassifier(budget=budget, max_rounds=ROUNDS, tol=1e-9, refit=False)
        started = time.perf_counter()
        model.fit(X, y)
        found.append(time.perf_counter() - started)
    return min(found), model.n_iter_


def _scan_seconds(X: Any, y: np.ndarray, budget: int) -> tuple[float, int]:
    """Seconds of one scan, the best of five: what grows with the columns."""
    from handful.spaces import resolve_space

    space, found = resolve_space(X), []
    signs = np.where(y > 0, 1.0, -1.0)
    for _ in range(5):
        started = time.perf_counter()
        space.top(signs, budget)
        found.append(time.perf_counter() - started)
    return min(found), ROUNDS


def _data(place: str, settings: Settings, sizes: dict[str, int]) -> tuple[Any, np.ndarray]:
    from handful import open_store

    per_column = int(DENSITY * sizes["rows"])
    path = write_wide(settings.folder, sizes["rows"], sizes["columns"], per_column)
    if place == "in memory":
        return in_memory(path)
    store = open_store(path, verify=True)
    return store, store.y


MEASURED = {"fit": _seconds, "scan": _scan_seconds}


def run(console: Console, settings: Settings) -> Outcome:
    """Double each size in turn, and fit an exponent."""
    shrink = 10 if settings.quick else 1
    base = {name: size // (shrink if name != "B" else 1) for name, size in BASE.items()}
    table = Table(title=f"fits of {ROUNDS} rounds: seconds ~ size ^ exponent", title_justify="left")
    for heading in ("what", "data", "size", "from", "to", "seconds", "exponent"):
        is_text = heading in ("what", "data", "size")
        table.add_column(heading, justify="left" if is_text else "right")
    figures: dict[str, Any] = {"base": base}
    for what, place in itertools.product(MEASURED, ("in memory", "store")):
        measure = MEASURED[what]
        measure(*_data(place, settings, base), base["B"])  # compiles
        for size, first in base.items():
            sizes = [first * 2**i for i in range(DOUBLINGS + 1)]
            seconds = []
            for value in sizes:
                given = {**base, size: value}
                one, rounds = measure(*_data(place, settings, given), given["B"])
                gc.collect()
                if rounds != ROUNDS:
                    console.print(f"{place}, {size} {value}: {rounds} rounds and not {ROUNDS}")
                seconds.append(one)
            exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
            figures[f"{what}, {place}, {size}"] = {
                "sizes": sizes,
                "seconds": seconds,
                "exponent": exponent,
            }
            shown = ", ".join(f"{one:.3g}" for one in seconds)
            ends = (f"{sizes[0]:,}", f"{sizes[-1]:,}")
            table.add_row(what, place, size, *ends, shown, f"{exponent:.2f}")
    console.print(table)
    return Outcome(figures)

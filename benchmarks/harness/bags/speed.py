"""Seconds of one fit, and how they grow with the number of instances."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from handful import DictionaryMILClassifier
from handful.datasets import make_bags

from .data import BagSet

SIZES = (11_000, 35_000, 110_000, 350_000)
MEAN_SIZE, WIDTH, STEPS = 40, 13, 10  # as the spoken digits have them


@dataclass(frozen=True)
class Timing:
    """One fit of POD with its defaults, and what was fitted."""

    data: str
    n_bags: int
    n_instances: int
    steps: int
    seconds: float
    cpu_seconds: float


def time_fit(name: str, bags: object, y: np.ndarray, **options: object) -> Timing:
    """Fit once, after a fit on a corner has compiled everything."""
    model = DictionaryMILClassifier(random_state=0, **options)
    started, cpu_started = time.perf_counter(), time.process_time()
    model.fit(bags, y)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    return Timing(name, len(bags), bags.n_instances, model.n_iter_, seconds, cpu)


def real(data: BagSet) -> Timing:
    """Return the default fit on a real set."""
    time_fit("", data.bags[::4], data.y[::4], max_iter=1)
    return time_fit(data.name, data.bags, data.y)


def growth(quick: bool) -> list[Timing]:
    """Return fits on bags of the spoken digits' sizes, with a fixed number of steps."""
    found = []
    for size in SIZES[: 2 if quick else None]:
        made = make_bags(size // MEAN_SIZE, MEAN_SIZE, WIDTH, n_test_bags=0, random_state=0)
        options = {"loss": "squared_hinge", "max_iter": STEPS, "tol": 1e-12}
        found.append(time_fit("synthetic", made.bags, made.y, **options))
    return found


def slope(timings: list[Timing]) -> float:
    """Return the power of the number of instances that the processor's seconds grow with."""
    sizes = np.log([timing.n_instances for timing in timings])
    return float(np.polyfit(sizes, np.log([timing.cpu_seconds for timing in timings]), 1)[0])

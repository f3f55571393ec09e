"""Seconds of one fit, and how they grow with the number of instances."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from handful import DictionaryMILClassifier, MILESClassifier
from handful.datasets import make_bags

from .data import BagSet

SIZES = (11_000, 35_000, 110_000, 350_000)
MEAN_SIZE, WIDTH, STEPS = 40, 13, 10  # as the spoken digits have them


@dataclass(frozen=True)
class Timing:
    """One fit, and what was fitted."""

    data: str
    model: str
    n_bags: int
    n_instances: int
    steps: int
    seconds: float
    cpu_seconds: float


def time_fit(data: str, name: str, bags: object, y: np.ndarray, model: Any) -> Timing:
    """Fit once."""
    started, cpu_started = time.perf_counter(), time.process_time()
    model.fit(bags, y)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    return Timing(data, name, len(bags), bags.n_instances, model.n_iter_, seconds, cpu)


def real(data: BagSet) -> list[Timing]:
    """Return fits with default parameters on a real set."""
    models = {
        "POD": DictionaryMILClassifier(random_state=0),
        "MILES": MILESClassifier(),
        "MILES, 40 instances": MILESClassifier(40),
        "MILES, 40 instances for F1": MILESClassifier(40, loss="f1"),
    }
    found = []
    for name, model in models.items():
        clone(model).fit(data.bags[::3], data.y[::3])  # compiles everything
        found.append(time_fit(data.name, name, data.bags, data.y, model))
    return found


def growth(quick: bool) -> list[Timing]:
    """Return fits on bags of the spoken digits' sizes, with a fixed number of steps."""
    found = []
    for size in SIZES[: 2 if quick else None]:
        made = make_bags(size // MEAN_SIZE, MEAN_SIZE, WIDTH, n_test_bags=0, random_state=0)
        model = DictionaryMILClassifier(
            loss="squared_hinge", max_iter=STEPS, tol=1e-12, random_state=0
        )
        found.append(time_fit("synthetic", "POD", made.bags, made.y, model))
    return found


def slope(timings: list[Timing]) -> float:
    """Return the power of the number of instances that the processor's seconds grow with."""
    sizes = np.log([timing.n_instances for timing in timings])
    return float(np.polyfit(sizes, np.log([timing.cpu_seconds for timing in timings]), 1)[0])

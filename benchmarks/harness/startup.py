"""What a new process pays before its first answer: import, demo, first fit."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

RUNS = 3

IMPORT = """
import time
started = time.perf_counter()
import handful
print(time.perf_counter() - started)
"""

FIRST_FIT = """
import time
import numpy as np
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 1000))
y = np.where(X[:, :5].sum(axis=1) > 0, 1, -1)
started = time.perf_counter()
from handful import FGMClassifier
FGMClassifier(n_features_to_select=5).fit(X, y)
print(time.perf_counter() - started)
"""


@dataclass(frozen=True)
class StartUp:
    """Seconds; ``first_fit`` includes the import of the estimator, kernels already cached."""

    import_handful: float | None
    demo_first: float | None
    demo_second: float | None
    first_fit: float | None


def _printed_seconds(code: str, environment: dict[str, str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def _demo_seconds(environment: dict[str, str]) -> float:
    command = Path(sys.executable).parent / "handful"
    started = time.perf_counter()
    subprocess.run([command, "demo"], env=environment, capture_output=True, check=True)
    return time.perf_counter() - started


def measure_start_up() -> StartUp:
    """Measure in fresh processes, with a kernel cache that starts empty."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        imported = min(_printed_seconds(IMPORT, environment) for _ in range(RUNS))
        first, second = _demo_seconds(environment), _demo_seconds(environment)
        _printed_seconds(FIRST_FIT, environment)  # fills the cache with whatever the demo left out
        fit = min(_printed_seconds(FIRST_FIT, environment) for _ in range(RUNS))
    return StartUp(imported, first, second, fit)

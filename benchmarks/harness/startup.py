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
    """Seconds, or None where the process failed and ``failures`` says how.

    ``first_fit`` includes the import of the estimator; its kernels are cached already.
    """

    import_handful: float | None
    demo_first: float | None
    demo_second: float | None
    first_fit: float | None
    failures: tuple[str, ...] = ()


class _Stopwatch:
    """Runs processes with one kernel cache; a failure is noted and leaves no time."""

    def __init__(self, kernel_cache: str) -> None:
        self.environment = {**os.environ, "NUMBA_CACHE_DIR": kernel_cache}
        self.failures: list[str] = []

    def _run(self, command: list[str]) -> str | None:
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return done.stdout
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        self.failures.append(f"{Path(command[0]).name} {command[1]}: {last[0]}")
        return None

    def printed(self, code: str, runs: int = RUNS) -> float | None:
        """Smallest number of seconds that the code prints."""
        outputs = [self._run([sys.executable, "-c", code]) for _ in range(runs)]
        return min((float(out.split()[-1]) for out in outputs if out), default=None)

    def demo(self) -> float | None:
        """Seconds of the whole command ``handful demo``."""
        started = time.perf_counter()
        output = self._run([str(Path(sys.executable).parent / "handful"), "demo"])
        return None if output is None else time.perf_counter() - started


def measure_start_up() -> StartUp:
    """Measure in fresh processes, with a kernel cache that starts empty."""
    with tempfile.TemporaryDirectory() as cache:
        watch = _Stopwatch(cache)
        imported = watch.printed(IMPORT)
        first, second = watch.demo(), watch.demo()
        watch.printed(FIRST_FIT, runs=1)  # fills the cache with whatever the demo left out
        fit = watch.printed(FIRST_FIT)
    return StartUp(imported, first, second, fit, tuple(watch.failures))

"""Seconds and peak extra memory of one call."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
LONG = 5.0  # seconds; a call longer than this is not repeated


@dataclass(frozen=True)
class Measured(Generic[T]):
    """Result of the first call, best time of all, memory of the first."""

    value: T
    seconds: float
    extra_bytes: int


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


class PeakMemory:
    """Growth of the resident set to its peak since creation; what was there before is not counted.

    Linux keeps the high-water mark of every process (VmHWM) and lets it be reset through
    ``clear_refs``, so no peak is missed, as a sampling thread would miss short ones, and loading
    the data does not hide the peak, as it would with ``ru_maxrss`` alone. Source ``ru_maxrss``
    is all there is: a lower bound. Freed memory the allocator still holds would be reused unseen,
    so it is handed back first.
    """

    def __init__(self) -> None:
        gc.collect()
        try:
            ctypes.CDLL(None).malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")
            self._exact, self._before = True, _status_bytes("VmRSS")
        except (OSError, AttributeError):
            self._exact, self._before = False, self._ru_maxrss()

    @staticmethod
    def _ru_maxrss() -> int:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    def extra_bytes(self) -> int:
        """Give the growth to the peak, in bytes."""
        now = _status_bytes("VmHWM") if self._exact else self._ru_maxrss()
        return max(0, now - self._before)


def timed(call: Callable[[], T], clock: Callable[[], float] = time.perf_counter) -> tuple[T, float]:
    """Return what a call gives, and its seconds; ``time.process_time`` counts those of the processor."""
    started = clock()
    value = call()
    return value, clock() - started


def measure(call: Callable[[], T], repeat: int) -> Measured[T]:
    """Run ``call`` once for result and memory, and again while it is short, for the best time."""
    memory = PeakMemory()
    value, first = timed(call)
    seconds, extra = [first], memory.extra_bytes()
    while len(seconds) < repeat and max(seconds) < LONG:
        seconds.append(timed(call)[1])
    return Measured(value, min(seconds), extra)

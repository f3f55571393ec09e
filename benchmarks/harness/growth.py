"""How seconds grow with a size: a line fitted to their logarithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Growth:
    """Seconds for rising sizes of one thing; None where one did not finish."""

    sizes: list[int]
    seconds: list[float | None] = field(default_factory=list)

    @property
    def slope(self) -> float | None:
        """0 when size costs nothing, 1 when twice the size takes twice as long."""
        if len(self.sizes) < 2 or not all(self.seconds):
            return None
        return exponent(self.sizes, [float(one or 0.0) for one in self.seconds])

    @property
    def told(self) -> str:
        """The slope to print."""
        return "unknown" if self.slope is None else f"{self.slope:.2f}"


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the power of the size that seconds grow with."""
    return float(np.polyfit(np.log(sizes), np.log(np.array(seconds, float)), 1)[0])


def doubled(
    base: dict[str, int], name: str, times: int, seconds_of: Callable[[dict[str, int]], float]
) -> dict[str, Any]:
    """Double one size so many times while the others stay: sizes, seconds, and their exponent."""
    sizes = [base[name] * 2**i for i in range(times + 1)]
    seconds = [seconds_of({**base, name: size}) for size in sizes]
    return {"sizes": sizes, "seconds": seconds, "exponent": exponent(sizes, seconds)}


GROWTH_HEADINGS = ("from", "to", "seconds", "exponent")


def growth_texts(found: dict[str, Any], form: str) -> list[str]:
    """Return what stands below :data:`GROWTH_HEADINGS` of what was :func:`doubled`."""
    sizes, shown = found["sizes"], ", ".join(format(one, form) for one in found["seconds"])
    return [f"{sizes[0]:,}", f"{sizes[-1]:,}", shown, f"{found['exponent']:.2f}"]

"""How seconds grow with a size: a line fitted to their logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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


GROWTH_HEADINGS = ("from", "to", "seconds", "exponent")


def growth_texts(sizes: Sequence[int], seconds: Sequence[float], form: str) -> list[str]:
    """Return what stands below :data:`GROWTH_HEADINGS`."""
    shown = ", ".join(format(one, form) for one in seconds)
    return [f"{sizes[0]:,}", f"{sizes[-1]:,}", shown, f"{exponent(sizes, seconds):.2f}"]

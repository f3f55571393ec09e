"""How time grows with the size of a problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Growth:
    """Seconds for rising sizes; None where one did not finish."""

    sizes: list[int]
    seconds: list[float | None]

    @property
    def slope(self) -> float | None:
        """Of the logarithms: 0 when size costs nothing, 1 when twice the size takes twice as long."""
        if len(self.sizes) < 2 or not all(self.seconds):
            return None
        return float(np.polyfit(np.log(self.sizes), np.log(np.array(self.seconds, float)), 1)[0])

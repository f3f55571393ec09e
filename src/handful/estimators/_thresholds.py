"""Where a ranking becomes labels, for measures that only look at the order of the scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handful.solvers.base import Point

Array = np.ndarray


def with_threshold(point: Point, y: Array, measure: Any) -> Point:
    """Return the point with the intercept that calls as many training samples positive as are meant.

    That is the count of the measure's labelings (k for precision at k), or else the number of
    positive samples. The threshold lies midway between the last score above and the first below.
    """
    n_positive = int(np.count_nonzero(y > 0))
    count = measure.n_predicted(len(y), n_positive) if hasattr(measure, "n_predicted") else None
    count = n_positive if count is None else count
    falling = np.sort(point.scores[:, 0])[::-1]
    above = falling[max(count - 1, 0)]
    below = falling[count] if count < len(falling) else above - 1.0
    intercept = np.array([-0.5 * (above + below)])
    return replace(point, intercept=intercept, z=point.scores + intercept)

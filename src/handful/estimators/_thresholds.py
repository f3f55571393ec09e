"""Where a ranking becomes labels, for measures that only look at the order of the scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handful.solvers.base import Point

Array = np.ndarray
ROUNDING = 1e-12


def with_threshold(point: Point, y: Array, measure: Any, weight: Array | None = None) -> Point:
    """Return the point with the intercept that calls as many training samples positive as are meant.

    That is the count of the measure's labelings (k for precision at k), or else the number of
    positive samples; a weight counts as that many copies of its sample. The threshold lies midway
    between the last score above and the first below.
    """
    weight = np.ones(len(y)) if weight is None else weight
    positive = y[:, 0] > 0 if y.ndim == 2 else y > 0
    count = None
    if hasattr(measure, "n_predicted"):
        count = measure.n_predicted(len(y), int(np.count_nonzero(positive)))
    wanted = float(weight[positive].sum()) if count is None else float(count)
    counts = weight > 0
    scores, weight = point.scores[counts, 0], weight[counts]
    order = np.argsort(-scores, kind="stable")
    falling, passed = scores[order], np.cumsum(weight[order])
    little = ROUNDING * passed[-1]
    last = min(int(np.searchsorted(passed, wanted - little)), len(falling) - 1)
    above = falling[last]
    if passed[last] > wanted + little:
        below = above  # one of its copies is called positive, another is not
    else:
        below = falling[last + 1] if last + 1 < len(falling) else above - 1.0
    intercept = np.array([-0.5 * (above + below)])
    return replace(point, intercept=intercept, z=point.scores + intercept)

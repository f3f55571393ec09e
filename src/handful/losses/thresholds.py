"""Where scores become labels: for measures of rankings, and for few positives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handful.losses.base import Point

Array = np.ndarray
ROUNDING = 1e-12
SHARE_PER_POSITIVE, MIDDLE = 0.05, 0.5


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
    return replace(point, intercept=intercept)


def with_best_threshold(
    point: Point, y: Array, unseen: Array, measure: Any, weight: Array | None = None
) -> Point:
    """Return the point with the intercept moved to where the measure is best for predictions of unseen rows.

    Midway between two of these; where none is better than the intercept that was fitted, that stays.
    """
    counts = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    weight = np.ones(len(y)) if weight is None else weight
    z, positive, weight = unseen[counts, 0], y[counts, 0] > 0, weight[counts]
    order = np.argsort(-z, kind="stable")
    falling = np.concatenate([[z.max() + 1.0], z[order], [z.min() - 1.0]])
    # With none predicted positive, the best one, the two best ones, ...
    hits, added = (
        np.concatenate([[0.0], np.cumsum(weight[order] * part[order])])
        for part in (positive, ~positive)
    )
    values = measure.of_counts(hits, hits[-1] - hits, added, added[-1] - added)
    values[falling[:-1] == falling[1:]] = -np.inf  # tied ones cannot be parted
    best, now = int(np.argmax(values)), int(np.count_nonzero(z > 0))
    if values[best] <= values[now] + ROUNDING:
        return point
    return replace(point, intercept=point.intercept - 0.5 * (falling[best] + falling[best + 1]))


def with_room_for_unseen(point: Point, y: Array, loss: Any) -> Point:
    """Return the point with the threshold near the best negative, if positives are few and all above.

    A model that parts P positives from the rest has them far up, and the fewer they are, the further
    below will others be. For P below 10 the threshold is moved down to P/20 of the way from the best
    negative to the worst positive. Where it is lower already, or the classes overlap, it stays. A weight counts
    as that many copies, and one below 1 as the positive that was seen.
    """
    positive = y[:, 0] > 0
    counts = np.ones(len(y), dtype=bool) if loss.sample_weight is None else loss.sample_weight > 0
    negative, positive = ~positive & counts, positive & counts
    share = SHARE_PER_POSITIVE * max(loss.count(positive), float(np.count_nonzero(positive)))
    if share >= MIDDLE or not negative.any():
        return point
    best_negative, worst_positive = point.z[negative].max(), point.z[positive].min()
    threshold = best_negative + share * (worst_positive - best_negative)
    if not best_negative < threshold < 0.0:
        return point
    intercept = point.intercept - threshold
    return replace(point, intercept=intercept)

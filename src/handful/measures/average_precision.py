"""Average precision: the precision at each positive, on the average."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score

from handful.kernels.measures import precision_places
from handful.kernels.radix import stable_order
from handful.measures.base import Array, Measure


class AveragePrecision(Measure):
    """Mean precision at the positives, down the ranking.

    ``1/P sum over positives of (positives so far) / (samples so far)``.

    ``R(z) = max over rankings of  100 (1 - AP) - 100 / (P N) sum over its wrong pairs of (z_i - z_j)``,
    where the wrong pairs are those in which the ranking has the negative j before the positive i. (Yue,
    Finley, Radlinski and Joachims, SIGIR 2007, whose sum has a further factor of 2.) Their algorithm
    places the negatives one by one, each where that is best, in O(P N); since a worse negative never goes
    before a better one, halving does it in O(P log N + N) after sorting.

    Of equally violated rankings the one with the fewest wrong pairs for each negative is taken, and of
    tied samples the first count as better. :meth:`value` is that of
    :func:`sklearn.metrics.average_precision_score`: tied samples are counted together.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import AveragePrecision
    >>> y, z = np.array([1.0, -1.0, 1.0]), np.array([2.0, -0.5, -1.0])
    >>> round(AveragePrecision().value(y, z), 3)
    0.833
    >>> a, delta = AveragePrecision().most_violated(y, z)
    >>> a, round(delta, 2)
    (array([  0., -50.,  50.]), 16.67)
    """

    has_threshold = False
    name = "average_precision"
    needs_positives = True

    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        positive, scores = self._checked(y_true, scores, weight)
        return float(average_precision_score(positive, scores))

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        n_positive = int(np.count_nonzero(positive))
        n_negative = len(z) - n_positive
        a = np.zeros(len(z))
        if n_negative == 0:
            return a, 0.0
        z_positive, z_negative = z[positive], z[~positive]
        down_positive, down_negative = stable_order(-z_positive), stable_order(-z_negative)
        places = precision_places(z_positive[down_positive], z_negative[down_negative])
        before = np.cumsum(np.bincount(places, minlength=n_positive + 1)[:n_positive])
        unit = 100.0 / (n_positive * n_negative)
        of_positive, of_negative = np.empty(n_positive), np.empty(n_negative)
        of_positive[down_positive] = unit * before
        of_negative[down_negative] = unit * (places - n_positive)
        a[positive], a[~positive] = of_positive, of_negative
        rank = np.arange(1, n_positive + 1)
        return a, 100.0 * float(np.mean(before / (rank + before)))

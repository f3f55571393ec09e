"""What precision at k, recall at k and the break-even point share: a fixed number of predictions."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from handful.kernels.radix import kth_largest
from handful.measures.base import Array, Measure, take_best
from handful.validation.measures import wrong_count


class FixedCount(Measure):
    """``hits / whole``: how many of the k best-scoring samples are positive, as a share.

    The risk's labelings are those with exactly k positives, and the true one (which counts as free of
    cost even if it has another number): ``R(z) = max(0, max over y' with k positives of ...)``. When k
    is not the number of positives, R does not bound Delta from above, because z may put the true
    labeling before every one with k positives. For the same reason a constant added to z then changes
    R, though not the measure: a model for it must not have a free intercept.

    Delta falls by 100 / whole with each hit, so the most violated labeling takes the k largest of
    ``z_i - [y_i = +1] 50 / whole``: O(n), without sorting. The first samples win ties. :meth:`value` is
    the mean over all orders of tied samples.
    """

    has_threshold = False
    needs_positives = True

    @abstractmethod
    def n_predicted(self, n_samples: int, n_positive: int) -> int:
        """Return k."""

    @abstractmethod
    def whole(self, n_predicted: int, n_positive: int) -> int:
        """Return what the hits are divided by."""

    def value(self, y_true: Array, scores: Array) -> float:
        positive, scores = self._checked(y_true, scores)
        k, whole = self._sizes(positive)
        level = kth_largest(scores, k)
        above, tied = scores > level, scores == level
        share = (k - np.count_nonzero(above)) / np.count_nonzero(tied)
        hits = np.count_nonzero(above & positive) + share * np.count_nonzero(tied & positive)
        return float(hits) / whole

    def delta(self, y: Array, labels: Array) -> float:
        positive, labels = self._checked(y, labels)
        taken = labels > 0
        if np.array_equal(taken, positive):
            return 0.0
        k, whole = self._sizes(positive)
        if np.count_nonzero(taken) != k:
            raise wrong_count(str(self), k, int(np.count_nonzero(taken)))
        return 100.0 * (1.0 - int(np.count_nonzero(taken & positive)) / whole)

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        k, whole = self._sizes(positive)
        price = z - (50.0 / whole) * positive
        taken = take_best(price, k, kth_largest(price, k))
        hits = int(np.count_nonzero(taken & positive))
        a = 2.0 * (positive.astype(np.float64) - taken)
        delta = 100.0 * (1.0 - hits / whole)
        if delta - float(a @ z) <= 0.0:
            return np.zeros(len(z)), 0.0
        return a, delta

    def check(self, y: Array, weight: Array | None = None) -> None:
        self._sizes(self._checked_positive(y, weight))

    def _sizes(self, positive: Array) -> tuple[int, int]:
        n_positive = int(np.count_nonzero(positive))
        k = self.n_predicted(len(positive), n_positive)
        return k, self.whole(k, n_positive)

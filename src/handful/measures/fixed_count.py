"""What precision at k, recall at k and the break-even point share: a fixed number of predictions."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from handful.kernels.measures import shared_blame
from handful.kernels.radix import kth_largest
from handful.measures.base import Array, Measure, take_best
from handful.validation.measures import wrong_count


class FixedCount(Measure):
    """``hits / whole``: how many of the k best-scoring samples are positive, as a share.

    ``R(z) = max over lists of k samples of  100 c / whole - 2 c (mean z of the positives left out
    - mean z of the negatives in the list)``, where ``c = min(k, P) - hits`` is how many hits are
    missing from the best possible list.

    With k = P this is the risk of the labeling that the list stands for, as for any other measure: c
    positives are left out and c negatives are in. When k is not P, even the best list leaves P - k
    positives out, or has k - P negatives in, and nobody is to blame for those: the c errors are shared
    evenly among all that are out of place. So R is at least the loss 100 (best - hits) / whole of what
    z predicts, and a constant added to z changes nothing. Comparing the list with the true labels
    instead, as the paper does, has neither property; docs/measures.md has the figures.

    For each c the worst positives and the best negatives are the ones: O(n log n). The first samples
    win ties, and the fewest errors. :meth:`value` is the mean over all orders of tied samples.
    """

    has_threshold = False
    needs_positives = True

    @abstractmethod
    def n_predicted(self, n_samples: int, n_positive: int) -> int:
        """Return k."""

    @abstractmethod
    def whole(self, n_predicted: int, n_positive: int) -> int:
        """Return what the hits are divided by."""

    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        positive, scores = self._checked(y_true, scores, weight)
        k, whole = self._sizes(positive)
        level = kth_largest(scores, k)
        above, tied = scores > level, scores == level
        share = (k - np.count_nonzero(above)) / np.count_nonzero(tied)
        hits = np.count_nonzero(above & positive) + share * np.count_nonzero(tied & positive)
        return float(hits) / whole

    def delta(self, y: Array, labels: Array) -> float:
        """Return what a list is short of the best one; the true labels stand for the best."""
        positive, labels = self._checked(y, labels)
        taken = labels > 0
        if np.array_equal(taken, positive):
            return 0.0
        k, whole = self._sizes(positive)
        if np.count_nonzero(taken) != k:
            raise wrong_count(str(self), k, int(np.count_nonzero(taken)))
        best = min(k, int(np.count_nonzero(positive)))
        return 100.0 * (best - int(np.count_nonzero(taken & positive))) / whole

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        k, whole = self._sizes(positive)
        z_positive, z_negative = z[positive], z[~positive]
        n_positive = len(z_positive)
        # Even the best list leaves some out, or has some in.
        left_out, let_in = max(n_positive - k, 0), max(k - n_positive, 0)
        falling = _largest(z_negative, k)
        errors = shared_blame(np.sort(z_positive), falling, left_out, let_in, 100.0 / whole)
        a = np.zeros(len(z))
        if errors == 0:
            return a, 0.0
        missed, added = errors + left_out, errors + let_in
        n_hits = n_positive - missed
        level = kth_largest(z_positive, n_hits) if n_hits else np.inf
        a[positive] = (2.0 * errors / missed) * ~take_best(z_positive, n_hits, level)
        in_list = take_best(z_negative, added, falling[added - 1])
        a[~positive] = (-2.0 * errors / added) * in_list
        return a, 100.0 * errors / whole

    def check(self, y: Array, weight: Array | None = None) -> None:
        self._sizes(self._checked_positive(y, weight))

    def _sizes(self, positive: Array) -> tuple[int, int]:
        n_positive = int(np.count_nonzero(positive))
        k = self.n_predicted(len(positive), n_positive)
        return k, self.whole(k, n_positive)


def _largest(scores: Array, count: int) -> Array:
    """Return the largest scores in falling order, or all if there are fewer."""
    if count < len(scores):
        scores = scores[scores >= kth_largest(scores, count)]
    return np.sort(scores)[::-1][:count]

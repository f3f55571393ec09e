"""What precision at k, recall at k and the break-even point share: a fixed number of predictions."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np

from handful.kernels.measures import shared_blame
from handful.kernels.radix import kth_largest
from handful.measures.base import Array, Measure, decimal, take_best
from handful.validation import check_choice
from handful.validation.measures import read_k, samples_at_k, wrong_count

SHARED, PAPER = "shared", "paper"
OF_PAPER = f":{PAPER}"  # behind k in the text form, as in "prec@100:paper"


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
    instead, as the paper does, has neither property; docs/measures-evidence.md has the
    figures.

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


class AtK(FixedCount):
    """A measure of the k best-scoring samples.

    ``risk="paper"`` compares lists of k with the true labels, whatever their number is:
    ``R(z) = max(0, max over labelings y' with k positives of  100 (1 - hits / whole) - sum_i (y_i - y'_i) z_i)``
    (Joachims, ICML 2005; Mao and Tsang, TPAMI 2013). It is the same for k = P and has neither property of ours otherwise:
    see :class:`~handful.measures.fixed_count.FixedCount`.
    """

    #: what stands before k in the text form, as in "prec@100"
    prefix: ClassVar[str]

    def __init__(self, k: int | float | str, risk: str = SHARED) -> None:
        read_k(k)
        check_choice("risk", risk, (SHARED, PAPER))
        self.k = k
        self._is_of_paper = risk == PAPER

    def _parameters(self) -> dict[str, object]:
        """What a model file keeps; ``risk`` itself is what every measure computes."""
        return {"k": self.k, "risk": PAPER if self._is_of_paper else SHARED}

    def n_predicted(self, n_samples: int, n_positive: int) -> int:
        return samples_at_k(self.k, n_samples, n_positive)

    def delta(self, y: Array, labels: Array) -> float:
        short = super().delta(y, labels)
        positive = self._checked_positive(y)
        if not self._is_of_paper or np.array_equal(np.asarray(labels) > 0, positive):
            return short
        return short + self._unavoidable(positive)

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        if not self._is_of_paper:
            return super().most_violated(y, z, weight)
        positive, z = self._checked(y, z, weight)
        k, whole = self._sizes(positive)
        z_positive, z_negative = z[positive], z[~positive]
        rising, falling = np.sort(z_positive), np.sort(z_negative)[::-1]
        n_positive, n_negative = len(rising), len(falling)
        hits = np.arange(min(k, n_positive), max(0, k - n_negative) - 1, -1)
        missed, added = n_positive - hits, k - hits
        gains = (
            np.append(0.0, np.cumsum(falling))[added] - np.append(0.0, np.cumsum(rising))[missed]
        )
        values = 100.0 * (1.0 - hits / whole) + 2.0 * gains
        best = int(np.argmax(values))
        a = np.zeros(len(z))
        if values[best] <= 0.0:
            return a, 0.0
        n_hits, n_added = int(hits[best]), int(added[best])
        level = rising[-n_hits] if n_hits else np.inf
        a[positive] = 2.0 * ~take_best(z_positive, n_hits, level)
        a[~positive] = -2.0 * take_best(
            z_negative, n_added, falling[n_added - 1] if n_added else np.inf
        )
        return a, 100.0 * (1.0 - n_hits / whole)

    def _unavoidable(self, positive: Array) -> float:
        """Return what even the best list costs in the paper's count."""
        k, whole = self._sizes(positive)
        return 100.0 * (1.0 - min(k, int(np.count_nonzero(positive))) / whole)

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        if not text.startswith(cls.prefix):
            return None
        k = text.removeprefix(cls.prefix)
        return cls(k.removesuffix(OF_PAPER), PAPER if k.endswith(OF_PAPER) else SHARED)

    @classmethod
    def example_texts(cls) -> tuple[str, ...]:
        return tuple(f"{cls.prefix}{k}" for k in ("100", "10%", "2p"))

    def __str__(self) -> str:
        k = decimal(self.k) if isinstance(self.k, float) else self.k
        return f"{self.prefix}{k}{OF_PAPER if self._is_of_paper else ''}"

    def __repr__(self) -> str:
        risk = f", risk={PAPER!r}" if self._is_of_paper else ""
        return f"{type(self).__name__}(k={self.k!r}{risk})"

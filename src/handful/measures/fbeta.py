"""F_beta: the balance of precision and recall, where positives are few."""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np

from handful.kernels.measures import fbeta_rows, split_scores, wrong_labels
from handful.kernels.radix import stable_order
from handful.measures.base import Array, Measure, OfShift, decimal
from handful.validation import check_positive

ROUNDING = 1e-9
NO_WEIGHTS = np.empty(0)
LARGEST_COUNT = 2.0**53  # the whole numbers up to here are all different


class FBeta(Measure):
    """Weighted harmonic mean of precision and recall.

    ``(1 + beta^2) a / (a + b + beta^2 P)`` for a true and b false positives, P positives in all; beta above
    1 leans to recall.
    ``Delta = 100 (1 - F)``, which is 100 for any labeling without a true positive. The most violated
    labeling is found in O(n) after sorting. If several are, it is the one with fewest missed
    positives, then with fewest false ones; of tied samples the first count as better.

    Weights s make a, b and P sums of weights, and ``a_i = s_i (y_i - y'_i)``. If all are whole numbers a
    weight is that many copies of its sample, which y' may label differently: the risk is that of the
    samples repeated. Among other weights a copy has no size, and y' may divide a sample anywhere,
    which only ever pays for one negative.

    Parameters
    ----------
    beta : float, default=1.0
        Above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import FBeta
    >>> y, z = np.array([1.0, -1.0, 1.0]), np.array([2.0, 0.5, -1.0])
    >>> FBeta().value(y, z)
    0.5
    >>> a, delta = FBeta().most_violated(y, z)
    >>> a, round(delta, 1)
    (array([ 2., -2.,  2.]), 100.0)
    """

    name = "fbeta"
    accepts_weight = True
    needs_positives = True

    def __init__(self, beta: float = 1.0) -> None:
        check_positive("beta", beta)
        self.beta = beta

    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        positive, scores = self._checked(y_true, scores, weight)
        predicted = scores > 0
        parts = (positive & predicted, positive & ~predicted, ~positive & predicted)
        if weight is None:
            hits, missed, added = (float(np.count_nonzero(part)) for part in parts)
        else:
            weight = self._checked_weight(weight, positive)
            hits, missed, added = (float(weight[part].sum()) for part in parts)
        return self._value(hits, missed, added)

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        if weight is None:
            return self._most_violated(positive, z)
        weight = self._checked_weight(weight, positive)
        counts = weight > 0
        if not counts.all():
            a = np.zeros(len(z))
            a[counts], delta = self._most_violated_weighted(
                positive[counts], z[counts], weight[counts]
            )
            return a, delta
        return self._most_violated_weighted(positive, z, weight)

    def most_violated_when_shifted(
        self, y: Array, z: Array, weight: Array | None = None
    ) -> OfShift:
        """Sort once for all shifts."""
        if weight is not None:
            return super().most_violated_when_shifted(y, z, weight)
        positive, z = self._checked(y, z)
        positives, negatives = split_scores(positive, z, -np.inf)
        positives.sort()
        negatives.sort()
        least = self._least_score(float(len(positives)))

        def most_violated(shift: float) -> tuple[Array, float]:
            first = int(np.searchsorted(negatives, least - shift, side="right"))
            return self._of_sorted(positive, z, positives, negatives[first:], shift)

        return most_violated

    def of_counts(self, hits: Array, missed: Array, added: Array, rejected: Array) -> Array:
        return self._value(hits, missed, added)

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        match = re.fullmatch(r"f(\d+(?:\.\d+)?)", text)
        return cls(float(match[1])) if match else super().from_text(text)

    @classmethod
    def example_texts(cls) -> tuple[str, ...]:
        return ("f1", "f0.5")

    def __str__(self) -> str:
        return f"f{decimal(self.beta)}"

    def _most_violated(self, positive: Array, z: Array) -> tuple[Array, float]:
        """Without weights: counting spares looking for the order, only the sorted scores are needed."""
        positives, negatives = split_scores(
            positive, z, self._least_score(float(np.count_nonzero(positive)))
        )
        positives.sort()
        negatives.sort()
        return self._of_sorted(positive, z, positives, negatives, 0.0)

    def _of_sorted(
        self, positive: Array, z: Array, positives: Array, negatives: Array, shift: float
    ) -> tuple[Array, float]:
        """The same with the scores of both classes in ascending order, all of them shifted."""
        kept, added, _ = fbeta_rows(
            positives + shift, negatives + shift, NO_WEIGHTS, NO_WEIGHTS, float(self.beta) ** 2, 1.0
        )
        a = wrong_labels(positive, z, *_lowest(positives, kept), *_lowest(negatives, added))
        return a, self._delta(float(kept), float(len(positives) - kept), float(added))

    def _most_violated_weighted(
        self, positive: Array, z: Array, weight: Array
    ) -> tuple[Array, float]:
        """With weights above zero."""
        are_copies = bool((weight == np.floor(weight)).all()) and weight.sum() <= LARGEST_COUNT
        least = self._least_score(float(weight[positive].sum()))
        positives = _from_worst(np.flatnonzero(positive), z)
        negatives = _from_worst(np.flatnonzero(~positive & (z > least)), z)
        n_kept, n_added, part = fbeta_rows(
            z[positives],
            z[negatives],
            weight[positives],
            weight[negatives],
            float(self.beta) ** 2,
            1.0 if are_copies else 0.0,
        )
        n_missed, n_left = len(positives) - n_kept, len(negatives) - n_added
        missed, kept = positives[:n_missed], positives[n_missed:]
        added = np.zeros(len(z))
        added[negatives[n_left:]] = weight[negatives[n_left:]]
        if part > 0.0:
            added[negatives[n_left - 1]] = part
        a = -2.0 * added
        a[missed] = 2.0 * weight[missed]
        delta = self._delta(
            float(weight[kept].sum()), float(weight[missed].sum()), float(added.sum())
        )
        return a, delta

    def _least_score(self, positive_weight: float) -> float:
        """Return a score below which no false positive pays, whatever the others are.

        One costs at most the largest slope of Delta, with a little to spare.
        """
        square = float(self.beta) ** 2
        most = (1.0 + square) / (4.0 * square) if square < 1.0 else 1.0 / (1.0 + square)
        return -0.5 * (100.0 * (1.0 + ROUNDING) * most / positive_weight)

    def _value(self, hits: Any, missed: Any, added: Any) -> Any:
        """Return F, written so that it is exactly 1 when all is right and exactly 0 without a hit."""
        square = float(self.beta) ** 2
        wrong = added + square * missed
        return 1.0 - wrong / (hits + added + square * (hits + missed))

    def _delta(self, hits: float, missed: float, added: float) -> float:
        return 100.0 * (1.0 - self._value(hits, missed, added))


def _lowest(ascending: Array, count: int) -> tuple[float, int]:
    """Return the lowest of the best so many scores, and how many of these have it."""
    if count == 0:
        return np.inf, 0
    lowest = ascending[-count]
    return lowest, int(np.searchsorted(ascending, lowest, side="right")) - (len(ascending) - count)


def _from_worst(samples: Array, scores: Array) -> Array:
    """Put samples in the order of their scores; the first is the last of those tied."""
    return samples[stable_order(-scores[samples])[::-1]]

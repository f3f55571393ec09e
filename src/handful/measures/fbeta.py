"""F_beta: the balance of precision and recall, where positives are few."""

from __future__ import annotations

import re
from typing import Self

import numpy as np

from handful.kernels.measures import fbeta_counts
from handful.measures.base import Array, Measure, decimal, take_best
from handful.validation import check_positive

ROUNDING = 1e-9


class FBeta(Measure):
    """``(1 + beta^2) a / (a + b + beta^2 P)`` for a true and b false positives, P positives in all.

    The weighted harmonic mean of precision and recall; beta above 1 leans to recall.
    ``Delta = 100 (1 - F)``, which is 100 for any labeling without a true positive. The most violated
    labeling is found in O(n) after sorting. If several are, it is the one with fewest missed
    positives, then with fewest false ones; of tied samples the first count as better.

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
    needs_positives = True

    def __init__(self, beta: float = 1.0) -> None:
        check_positive("beta", beta)
        self.beta = beta

    def value(self, y_true: Array, scores: Array) -> float:
        positive, scores = self._checked(y_true, scores)
        predicted = scores > 0
        hits = int(np.count_nonzero(predicted & positive))
        return self._value(hits, int(np.count_nonzero(predicted)), int(np.count_nonzero(positive)))

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        z_positive, z_negative = z[positive], z[~positive]
        worth_adding = z_negative > -0.5 * self._dearest(len(z_positive))
        sorted_positive, sorted_negative = np.sort(z_positive), np.sort(z_negative[worth_adding])
        kept, added = fbeta_counts(sorted_positive, sorted_negative, float(self.beta) ** 2)
        a = np.zeros(len(z))
        a[positive] = 2.0 * ~_best(z_positive, sorted_positive, kept)
        a[~positive] = -2.0 * _best(z_negative, sorted_negative, added)
        return a, 100.0 * (1.0 - self._value(kept, kept + added, len(z_positive)))

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        match = re.fullmatch(r"f(\d+(?:\.\d+)?)", text)
        return cls(float(match[1])) if match else super().from_text(text)

    @classmethod
    def example_texts(cls) -> tuple[str, ...]:
        return ("f1", "f0.5")

    def __str__(self) -> str:
        return f"f{decimal(self.beta)}"

    def _dearest(self, n_positive: int) -> float:
        """Return what a further false positive can cost at most, with a little to spare."""
        square = float(self.beta) ** 2
        most = (1.0 + square) / (4.0 * square) if square < 1.0 else 1.0 / (1.0 + square)
        return 100.0 * (1.0 + ROUNDING) * most / n_positive

    def _value(self, hits: int, n_predicted: int, n_positive: int) -> float:
        """Return F, written so that it is exactly 1 when all is right and exactly 0 without a hit."""
        square = float(self.beta) ** 2
        wrong = (n_predicted - hits) + square * (n_positive - hits)
        return 1.0 - wrong / (n_predicted + square * n_positive)


def _best(scores: Array, ascending: Array, count: int) -> Array:
    """Mark the best scores."""
    return take_best(scores, count, ascending[-count] if count else np.inf)

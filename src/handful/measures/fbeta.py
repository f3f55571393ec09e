"""F_beta: the balance of precision and recall, where positives are few."""

from __future__ import annotations

import re
from typing import Any, Self

import numpy as np

from handful.kernels.measures import (
    fbeta_risk,
    fbeta_rows,
    first_best,
    least_score,
    near_score,
    negatives_above,
    wrong_labels,
)
from handful.kernels.radix import stable_order
from handful.measures.base import Along, Array, Measure, Violated, decimal
from handful.validation import check_positive

FIRST_SLACK = 0.1  # for shifts to come, in units of the score at which no false positive pays
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
    labels_rows = True

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

    def most_violated_along(
        self, y: Array, z: Array, change: Array | None = None, weight: Array | None = None
    ) -> Along:
        """Without weights only the scores of positives and of the best negatives are looked at."""
        if weight is not None:
            return super().most_violated_along(y, z, change, weight)
        positive = y > 0
        return self._shifted(positive, z) if change is None else self._moved(positive, z, change)

    def _shifted(self, positive: Array, z: Array) -> Along:
        """Sort once for many shifts, and of the negatives only those that come to be looked at."""
        positives, square = np.sort(z[positive]), float(self.beta) ** 2
        n_positive, negatives = len(positives), np.empty(0)
        least = least_score(n_positive, square, 0.0)
        slack, bottom = FIRST_SLACK, np.inf  # below the bottom no negative is known

        def at(shift: float) -> Violated:
            nonlocal negatives, slack, bottom
            if bottom + shift > least_score(n_positive, square, len(negatives)):
                near = near_score(positive, z, z, 0.0, n_positive, square, shift)
                bottom, slack = near + slack * least - shift, 4.0 * slack
                negatives = np.sort(negatives_above(positive, z, z, 0.0, bottom)[0])
            kept, added, total = fbeta_risk(positives, negatives, shift, square)
            n_missed, known = n_positive - kept, negatives
            return Violated(
                delta=self._delta(float(kept), float(n_missed), float(added)),
                total=total,
                slope=2.0 * (n_missed - added),
                labeling=lambda: wrong_labels(
                    positive, z, *_lowest(positives, kept), *_lowest(known, added)
                ),
            )

        return at

    def _moved(self, positive: Array, z: Array, change: Array) -> Along:
        rows, square = np.flatnonzero(positive), float(self.beta) ** 2
        starts, moves, n_positive = z[rows], change[rows], len(rows)

        def at(t: float) -> Violated:
            above = starts + t * moves
            down_to = near_score(positive, z, change, t, n_positive, square, 0.0)
            below, near = negatives_above(positive, z, change, t, down_to)
            positives, negatives = np.sort(above), np.sort(below)
            kept, added, total = fbeta_risk(positives, negatives, 0.0, square)
            missed = rows[~first_best(above, *_lowest(positives, kept))]
            extra = near[first_best(below, *_lowest(negatives, added))]

            def labeling() -> Array:
                a = np.zeros(len(z))
                a[missed], a[extra] = 2.0, -2.0
                return a

            return Violated(
                delta=self._delta(float(kept), float(n_positive - kept), float(added)),
                total=total,
                slope=float(2.0 * (change[missed].sum() - change[extra].sum())),
                labeling=labeling,
            )

        return at

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
        found = self._shifted(positive, z)(0.0)
        return found.labeling(), found.delta

    def _most_violated_weighted(
        self, positive: Array, z: Array, weight: Array
    ) -> tuple[Array, float]:
        """With weights above zero."""
        are_copies = bool((weight == np.floor(weight)).all()) and weight.sum() <= LARGEST_COUNT
        least = least_score(float(weight[positive].sum()), float(self.beta) ** 2, 0.0)
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

"""What precision at k and recall at k share: the k, and the risk of the paper beside ours."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from handful.measures.base import Array, decimal, take_best
from handful.measures.fixed_count import FixedCount
from handful.validation import check_choice
from handful.validation.measures import read_k, samples_at_k

SHARED, PAPER = "shared", "paper"
OF_PAPER = f":{PAPER}"  # behind k in the text form, as in "prec@100:paper"


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

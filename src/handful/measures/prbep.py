"""Precision/recall break-even point: predict as many positives as there are."""

from __future__ import annotations

from handful.measures.fixed_count import FixedCount


class PRBEP(FixedCount):
    """Precision, and recall, where as many samples are called positive as there are.

    ``hits / P`` for the P best-scoring samples, P positives in all: with as many predictions the two are the same number.
    ``Delta = 100 (1 - hits / P)`` over labelings with exactly P positives, the true one among them.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import PRBEP
    >>> y, z = np.array([1.0, -1.0, 1.0]), np.array([2.0, -0.5, -1.0])
    >>> PRBEP().value(y, z)
    0.5
    >>> a, delta = PRBEP().most_violated(y, z)
    >>> a, delta
    (array([ 0., -2.,  2.]), 50.0)
    """

    name = "prbep"

    def n_predicted(self, n_samples: int, n_positive: int) -> int:
        return n_positive

    def whole(self, n_predicted: int, n_positive: int) -> int:
        return n_positive

"""Recall at k: how much of what there is stands in a list of k."""

from __future__ import annotations

from handful.measures.fixed_count import AtK


class RecallAtK(AtK):
    """Positives among the k best-scoring samples, over all positives.

    ``Delta = 100 (1 - hits / P)`` over labelings with exactly k positives. With k below P the measure
    stays below 1.

    Parameters
    ----------
    k, risk
        As of :class:`~handful.measures.PrecisionAtK`.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import RecallAtK
    >>> y, z = np.array([1.0, -1.0, 1.0, -1.0, -1.0]), np.array([3.0, 2.0, 1.0, 0.0, -1.0])
    >>> RecallAtK(2).value(y, z), RecallAtK("2p").value(y, z)
    (0.5, 1.0)
    >>> RecallAtK("2p").n_predicted(n_samples=5, n_positive=2)
    4
    """

    name = "recall_at_k"
    prefix = "rec@"

    def whole(self, n_predicted: int, n_positive: int) -> int:
        return n_positive

"""Precision at k: how much of a list of k is right."""

from __future__ import annotations

from handful.measures.fixed_count import AtK


class PrecisionAtK(AtK):
    """Positives among the k best-scoring samples, over k.

    ``Delta = 100 (1 - hits / k)`` over labelings with exactly k positives. With fewer than k positives
    in the data the measure stays below 1.

    Parameters
    ----------
    k : int, float or str
        A number of samples, a share of them (a float between 0 and 1, or "10%"), or a multiple of the
        positives ("2p", "p", "0.5p"). Shares and multiples are rounded (a half goes up) and at
        least 1.
    risk : {"shared", "paper"}, default="shared"
        What is minimised when a model is fitted. "shared" compares a list with the best one of the same length, "paper" with
        the true labels, as it was published: it may be below the loss when k is not P, and is there to be compared with.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import PrecisionAtK
    >>> y, z = np.array([1.0, -1.0, 1.0, -1.0]), np.array([3.0, 2.0, 1.0, 1.0])
    >>> PrecisionAtK(2).value(y, z)
    0.5
    >>> PrecisionAtK("1.5p").value(y, z)  # the third is one of two tied: half a hit
    0.5
    >>> PrecisionAtK(2).most_violated(y, z)
    (array([ 2., -2.,  2., -2.]), 100.0)
    """

    name = "precision_at_k"
    prefix = "prec@"

    def whole(self, n_predicted: int, n_positive: int) -> int:
        return n_predicted

"""Area under the ROC curve: how many pairs are in the right order."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from handful.kernels.measures import close_pairs
from handful.kernels.radix import stable_order
from handful.measures.base import Array, Measure


class RocAuc(Measure):
    """Share of pairs of a positive and a negative sample that are in the right order.

    ``R(z) = 100 / (P N) sum over pairs of max(0, 1 - (z_i - z_j))``, the mean hinge loss of pairs:
    any set of pairs may be called wrong, each costs ``100 / (P N)``, and each pair decides for itself.
    O(n log n). A tie counts as half a pair in :meth:`value`; a pair whose scores differ by exactly 1 is
    not called wrong.

    Weights s give the pair (i, j) the weight ``s_i s_j`` and replace P and N by the weights' sums, so
    that a factor for all samples of a class changes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import RocAuc
    >>> y, z = np.array([1.0, -1.0, 1.0]), np.array([2.0, -0.5, -1.0])
    >>> RocAuc().value(y, z)
    0.5
    >>> RocAuc().most_violated(y, z)
    (array([  0., -50.,  50.]), 50.0)
    >>> RocAuc().risk(y, z)
    75.0
    """

    has_threshold = False
    name = "roc_auc"
    accepts_weight = True
    is_symmetric = True
    needs_positives = True
    needs_negatives = True

    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        positive, scores = self._checked(y_true, scores, weight)
        if weight is not None:
            weight = self._checked_weight(weight, positive)
        return float(roc_auc_score(positive, scores, sample_weight=weight))

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        weight = self._checked_weight(weight, positive)
        z_positive, z_negative = z[positive], z[~positive]
        s_positive, s_negative = weight[positive], weight[~positive]
        total_positive, total_negative = float(s_positive.sum()), float(s_negative.sum())
        up_positive, up_negative = stable_order(z_positive), stable_order(z_negative)
        of_positive, of_negative = close_pairs(
            z_positive[up_positive],
            z_negative[up_negative],
            s_positive[up_positive],
            s_negative[up_negative],
        )
        unit = 100.0 / (total_positive * total_negative)
        s_positive[up_positive] *= unit * of_positive
        s_negative[up_negative] *= -unit * of_negative
        a = np.empty(len(z))
        a[positive], a[~positive] = s_positive, s_negative
        return a, float(s_positive.sum())

"""Accuracy: the one measure whose most violated labeling is found sample by sample."""

from __future__ import annotations

import numpy as np

from handful.measures.base import Array, Measure
from handful.validation import sample_weights


class Accuracy(Measure):
    """Share of samples whose label is predicted.

    ``Delta = 2 (number of wrong labels)``, so that the risk is twice the summed hinge loss:
    a wrong label in y' costs 2 and gains ``-2 y_i z_i``, and each sample decides for itself:
    ``R(z) = 2 sum_i max(0, 1 - y_i z_i)``.

    Weights s make it ``Delta = 2 sum_i s_i [y'_i wrong]`` and ``a_i = s_i (y_i - y'_i)``.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.measures import Accuracy
    >>> y, z = np.array([1.0, -1.0, 1.0]), np.array([2.0, -0.5, -1.0])
    >>> round(Accuracy().value(y, z), 3)
    0.667
    >>> a, delta = Accuracy().most_violated(y, z)
    >>> a, delta
    (array([ 0., -2.,  2.]), 4.0)
    >>> float(delta - a @ z)
    5.0
    """

    accepts_weight = True
    is_symmetric = True
    is_of_classes = True
    labels_rows = True
    name = "accuracy"

    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        is_right = (scores > 0) == (y_true > 0)
        return float(np.average(is_right, weights=sample_weights(weight, len(is_right))))

    def of_counts(self, hits: Array, missed: Array, added: Array, rejected: Array) -> Array:
        return (hits + rejected) / (hits + missed + added + rejected)

    def delta(self, y: Array, labels: Array) -> float:
        return 2.0 * int(np.count_nonzero(labels != y))

    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        positive, z = self._checked(y, z, weight)
        cost = 2.0 * (np.where(positive, z, -z) < 1.0)
        if weight is not None:
            cost *= sample_weights(weight, len(cost))
        return np.where(positive, cost, -cost), float(cost.sum())

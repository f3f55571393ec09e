"""Logistic loss: the paper's PROX-SLR."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlogy

from handful.losses.base import Array, Loss, balance_by_sign, per_weight


class Logistic(Loss):
    """``log(1 + exp(-y z))``.

    The dual variable is ``alpha = weight * sigmoid(-y z)`` and the conjugate the binary entropy
    (paper, eq. 37).

    Examples
    --------
    >>> import numpy as np
    >>> from handful.losses import Logistic
    >>> one = np.ones((1, 1))
    >>> round(Logistic().value(one, 0 * one, one), 4)
    0.6931
    """

    name = "logistic"
    task = "classification"
    max_curvature = 0.25

    def value(self, y: Array, z: Array, weight: Array) -> float:
        return float((weight * np.logaddexp(0.0, -y * z)).sum())

    def gradient(self, y: Array, z: Array, weight: Array) -> Array:
        return -weight * y * expit(-y * z)

    def curvature(self, y: Array, z: Array, weight: Array) -> Array:
        probability = expit(z)
        return weight * probability * (1.0 - probability)

    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        share = np.clip(per_weight(y * a, weight), 0.0, 1.0)
        return float((weight * (xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))).sum())

    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        return balance_by_sign(y, a)

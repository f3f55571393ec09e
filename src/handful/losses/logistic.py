"""Logistic loss: the paper's PROX-SLR."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, xlogy

from handful.losses.smooth import SmoothLoss
from handful.losses.sums import Array, balance_by_sign, per_weight

LEAST_SCALE = 1e-12  # the bound is zero for all that matters below this


class Logistic(SmoothLoss):
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
    use = "classification with noisy labels; a wrong label costs less"
    max_curvature = 0.25
    scores_are_log_odds = True

    def value(self, y: Array, z: Array, weight: Array) -> float:
        margin = y * z
        # log(1 + exp(-margin)) without overflow, and several times faster than logaddexp.
        losses = np.exp(-np.abs(margin))
        np.log1p(losses, out=losses)
        losses -= np.minimum(margin, 0.0)
        return float(np.einsum("ik,ik->", losses, np.broadcast_to(weight, losses.shape)))

    def gradient(self, y: Array, z: Array, weight: Array) -> Array:
        gradient = -y * z
        expit(gradient, out=gradient)
        gradient *= y
        gradient *= -weight
        return gradient

    def curvature(self, y: Array, z: Array, weight: Array) -> Array:
        probability = expit(z)
        probability *= 1.0 - probability
        probability *= weight
        return probability

    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        share = np.clip(per_weight(y * a, weight), 0.0, 1.0)
        entropy = xlogy(share, share) + xlogy(1.0 - share, 1.0 - share)
        return float((weight * entropy).sum())

    def dual_value(self, y: Array, a: Array, weight: Array, penalty: float) -> float:
        share = np.clip(per_weight(y * a, weight), 0.0, 1.0)
        t = _best_scale(share, weight, penalty)
        return max(-t * t * penalty - self.conjugate(y, t * a, weight), 0.0)

    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        return balance_by_sign(y, a)


def _best_scale(share: Array, weight: Array, penalty: float) -> float:
    """Minimise ``t^2 penalty + conjugate(t a)`` over t in (0, 1]: find where its slope vanishes.

    Any t gives a valid bound, so it need not be exact.
    """
    some = share > 0
    share, mass = share[some], (weight * share)[some]

    def slope(t: float) -> float:
        rest = np.maximum(1.0 - t * share, np.finfo(float).tiny)
        return 2.0 * t * penalty + float(np.einsum("i,i->", mass, np.log(t * share / rest)))

    if slope(1.0) <= 0.0:
        return 1.0
    if slope(LEAST_SCALE) >= 0.0:
        return LEAST_SCALE
    return float(brentq(slope, LEAST_SCALE, 1.0, xtol=LEAST_SCALE, rtol=1e-7))

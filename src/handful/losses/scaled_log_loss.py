"""How surely predictions tell the labels of samples that were not seen, whatever unit the predictions are in.

Of sixty rows ten labels are wrong under one model and nine under another: that says little. How far on the right or wrong side
the predictions lie says more, once they are in the unit in which they say most, one for all samples.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from handful.losses.base import Array

# Logarithms of the scale, where the mean size of a prediction is 1.
LEAST_SCALE, MOST_SCALE, SCALE_TOL = -6.0, 6.0, 1e-4


def scaled_log_losses(y: Array, z: Array, weight: Array) -> Array:
    """Return the weighted log loss of each sample, with predictions multiplied by what makes the sum least.

    Two classes, several (the softmax over them), or labels of which any number may be there (the sum over them). One sample
    more is taken to be wrong, so that predictions which are all right are not multiplied without end.

    Parameters
    ----------
    y, z : ndarray of shape (n_samples, n_outputs)
        Labels, positive or not, and predictions.
    weight : ndarray of shape (n_samples, 1)
    """
    size = float(np.average(np.abs(z).mean(axis=1), weights=weight[:, 0]))
    in_units = z / max(size, np.finfo(float).tiny)

    def losses(log_scale: float) -> Array:
        return weight[:, 0] * _log_losses(y > 0, np.exp(log_scale) * in_units)

    best = minimize_scalar(
        lambda log_scale: losses(log_scale).sum() + np.logaddexp(0.0, np.exp(log_scale)),
        bounds=(LEAST_SCALE, MOST_SCALE),
        method="bounded",
        options={"xatol": SCALE_TOL},
    )
    return losses(float(best.x))


def _log_losses(is_positive: Array, z: Array) -> Array:
    if z.shape[1] > 1 and (is_positive.sum(axis=1) == 1).all():
        return np.asarray(np.logaddexp.reduce(z, axis=1) - z[is_positive])
    return np.logaddexp(0.0, np.where(is_positive, -z, z)).sum(axis=1)

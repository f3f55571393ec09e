"""Margin losses of several outputs, each time in one walk over the predictions.

Those of many outputs are too many to be copied for each look.
"""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def squared_hinge_slopes(y, scores, intercept, weight, slope, size, bend):
    """For each output the derivative along the intercept, the sum of its terms' sizes, and the curvature."""
    n_samples, n_outputs = y.shape
    slope[:] = 0.0
    size[:] = 0.0
    bend[:] = 0.0
    for i in range(n_samples):
        factor = weight[i, 0]
        for k in range(n_outputs):
            slack = max(1.0 - y[i, k] * (scores[i, k] + intercept[k]), 0.0)
            slope[k] -= factor * y[i, k] * slack
            size[k] += factor * slack
            bend[k] += factor * np.float64(slack > 0.0)


@njit(cache=True, nogil=True)
def squared_hinge_point(y, scores, intercept, weight, a):
    """Return the loss; ``a`` becomes minus its gradient with respect to the predictions."""
    n_samples, n_outputs = y.shape
    totals = np.zeros(n_outputs)
    for i in range(n_samples):
        factor = weight[i, 0]
        for k in range(n_outputs):
            slack = max(1.0 - y[i, k] * (scores[i, k] + intercept[k]), 0.0)
            a[i, k] = factor * y[i, k] * slack
            totals[k] += factor * slack * slack
    return 0.5 * totals.sum()


@njit(cache=True, nogil=True)
def squared_hinge_curvature(y, z, weight, bend):
    """The second derivatives with respect to the predictions."""
    n_samples, n_outputs = y.shape
    for i in range(n_samples):
        for k in range(n_outputs):
            bend[i, k] = weight[i, 0] * np.float64(y[i, k] * z[i, k] < 1.0)


@njit(cache=True, nogil=True)
def signed_sums(y, a, positive, negative):
    """For each output the sum of a over positive samples, and minus that over the others."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            up = a[i, k] if y[i, k] > 0.0 else 0.0
            positive[k] += up
            negative[k] += up - a[i, k]


@njit(cache=True, nogil=True)
def scale_by_sign(y, a, up, down, scaled):
    """Multiply a with an output's one factor for positive samples and its other for the rest."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            scaled[i, k] = a[i, k] * (up[k] if y[i, k] > 0.0 else down[k])

"""How the squared hinge of several outputs answers to their intercepts."""

from __future__ import annotations

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def squared_hinge_slopes(y, scores, intercept, weight, slope, size, bend):
    """For each output the derivative along the intercept, the sum of its terms' sizes, and the curvature.

    One walk over the predictions, which for many outputs are too many to be copied for each look.
    """
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

"""The convex problem of FGM, written down for CVXPY."""

import cvxpy as cp
import numpy as np


def loss_term(name, y, z, weight):
    """Weighted sum of a loss at an affine expression z of shape (n_samples, n_outputs)."""
    spread = np.broadcast_to(weight, y.shape)
    if name == "squared":
        return 0.5 * cp.sum(cp.multiply(spread, cp.square(y - z)))
    margin = cp.multiply(y, z)
    if name == "squared_hinge":
        return 0.5 * cp.sum(cp.multiply(spread, cp.square(cp.pos(1 - margin))))
    return cp.sum(cp.multiply(spread, cp.logistic(-margin)))

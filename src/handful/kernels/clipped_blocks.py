"""Block coordinate descent for rows of weights under a penalty on their largest entry.

``1/2 <W, G W> - <Q, W> + alpha * sum_i max_k |W_ik|`` with G (rows, rows) and Q (rows, outputs). The
curvature within a row is the number ``G_ii``, so each row is minimised exactly: what is left after a
projection on the l1 ball is the row clipped at some height.
"""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def clip_height(sizes, radius):
    """The height h at which what is cut off the sizes sums to the radius; 0 when all must go.

    ``sum_k max(sizes_k - h, 0) = radius``. Entries that turn out to be below h are left out, and h can
    only rise then, so this ends after a few passes (Michelot's algorithm). ``sizes`` is overwritten.
    """
    n_left = sizes.shape[0]
    total = 0.0
    for k in range(n_left):
        total += sizes[k]
    if total <= radius:
        return 0.0
    height = (total - radius) / n_left
    while True:
        kept = 0
        kept_total = 0.0
        for k in range(n_left):
            if sizes[k] > height:
                sizes[kept] = sizes[k]
                kept_total += sizes[k]
                kept += 1
        if kept == n_left or kept == 0:
            return height
        n_left = kept
        height = (kept_total - radius) / n_left


@njit(cache=True, nogil=True)
def sweep(gram, gradient, weights, alpha, rows):
    """Minimise over one row of weights after the other; weights and gradient change in place.

    ``gradient`` is ``Q - G W``, ``rows`` are the rows to visit.
    """
    n_rows, n_outputs = weights.shape
    point = np.empty(n_outputs)
    sizes = np.empty(n_outputs)
    for i in rows:
        curvature = gram[i, i]
        if curvature <= 0.0:
            continue
        for k in range(n_outputs):
            point[k] = weights[i, k] + gradient[i, k] / curvature
            sizes[k] = abs(point[k])
        height = clip_height(sizes, alpha / curvature)
        changed = False
        for k in range(n_outputs):
            point[k] = min(max(point[k], -height), height) - weights[i, k]
            if point[k] != 0.0:
                changed = True
                weights[i, k] += point[k]
        if not changed:
            continue
        for j in range(n_rows):
            factor = gram[i, j]
            if factor != 0.0:
                for k in range(n_outputs):
                    gradient[j, k] -= factor * point[k]

"""A quadratic function plus half the squared k-support norm, minimised by accelerated proximal steps."""

import numpy as np

from handful.kernels.compiled import njit

SEARCH_STEPS = 100
GROW, MAX_GROWTHS = 2.0, 400
ROUNDING = 1e-12


@njit(cache=True, nogil=True)
def _lengths(weights, owners, out):
    out[:] = 0.0
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            out[owners[j]] += weights[j, k] * weights[j, k]
    for f in range(out.shape[0]):
        out[f] = np.sqrt(out[f])


@njit(cache=True, nogil=True)
def share_factor(lengths, first, tau, budget):
    """Return kappa with ``sum over f >= first of clip((kappa u_f - 1) / tau, 0, 1) = budget``.

    Infinite when no more than ``budget`` lengths are positive: all shares are one then. The sum is
    piecewise linear and rises: Newton's method in a bracket.
    """
    n_used, largest = 0, 0.0
    for f in range(first, lengths.shape[0]):
        if lengths[f] > 0.0:
            n_used += 1
            largest = max(largest, lengths[f])
    if n_used <= budget:
        return np.inf
    low, high = 1.0 / largest, np.inf
    kappa = (1.0 + tau * budget / n_used) / largest
    for _ in range(SEARCH_STEPS):
        total, slope = 0.0, 0.0
        for f in range(first, lengths.shape[0]):
            share = (kappa * lengths[f] - 1.0) / tau
            if share >= 1.0:
                total += 1.0
            elif share > 0.0:
                total += share
                slope += lengths[f] / tau
        if abs(total - budget) <= ROUNDING * budget:
            return kappa
        if total < budget:
            low = kappa
        else:
            high = kappa
        guess = kappa - (total - budget) / slope if slope > 0.0 else np.inf
        if not (low < guess < high):
            guess = 0.5 * (low + high) if high < np.inf else 2.0 * low
        if guess == kappa:
            return kappa
        kappa = guess
    return kappa


@njit(cache=True, nogil=True)
def _prox(point, owners, n_always, tau, budget, lengths, out):
    """``argmin over w of tau/2 |w - point|^2 + penalty(w)``; see methods/fgm/solvers/penalty.py."""
    _lengths(point, owners, lengths)
    kappa = share_factor(lengths, n_always, tau, budget)
    for j in range(point.shape[0]):
        share = 1.0
        if owners[j] >= n_always and kappa < np.inf:
            share = min(max((kappa * lengths[owners[j]] - 1.0) / tau, 0.0), 1.0)
        factor = tau * share / (1.0 + tau * share)
        for k in range(point.shape[1]):
            out[j, k] = factor * point[j, k]


@njit(cache=True, nogil=True)
def minimize_quadratic(
    hessians, gradient, start, owners, n_features, n_always, budget, tau, tol, max_steps
):
    """Minimise ``gradient'(w - start) + 1/2 (w - start)' H (w - start) + penalty(w)``.

    ``hessians`` has one matrix for each output. Ends when a step, times tau, is shorter than ``tol``.
    Returns the weights and tau.
    """
    n_rows, n_outputs = start.shape
    now, last, ahead = start.copy(), start.copy(), start.copy()
    trial, slope, point = start.copy(), start.copy(), start.copy()
    move = start[:, 0].copy()
    lengths = np.empty(n_features)
    momentum = 1.0
    for _ in range(max_steps):
        next_momentum = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
        beta = (momentum - 1.0) / next_momentum
        _extrapolate(now, last, beta, ahead)
        for k in range(n_outputs):
            _difference(ahead, start, k, move)
            change = hessians[k] @ move
            for j in range(n_rows):
                slope[j, k] = gradient[j, k] + change[j]
        for _ in range(MAX_GROWTHS):
            _descend(ahead, slope, tau, point)
            _prox(point, owners, n_always, tau, budget, lengths, trial)
            bend, size = 0.0, 0.0
            for k in range(n_outputs):
                _difference(trial, ahead, k, move)
                bend += move @ (hessians[k] @ move)
                size += move @ move
            if not bend > tau * size * (1.0 + ROUNDING):  # nor when these are no numbers any more
                break
            tau *= GROW
        if tau * np.sqrt(size) <= tol:
            return trial, tau
        # Restart the momentum once it points uphill (O'Donoghue and Candes 2015).
        uphill = 0.0
        for j in range(n_rows):
            for k in range(n_outputs):
                uphill += (ahead[j, k] - trial[j, k]) * (trial[j, k] - now[j, k])
        momentum = 1.0 if uphill > 0.0 else next_momentum
        last, now, trial = now, trial, last
    return now, tau


# Loops where NumPy would have one line: the message of what does not fit together takes seconds to compile.


@njit(cache=True, nogil=True)
def _extrapolate(now, last, beta, out):
    """``now + beta * (now - last)``."""
    for j in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[j, k] = now[j, k] + beta * (now[j, k] - last[j, k])


@njit(cache=True, nogil=True)
def _descend(point, slope, tau, out):
    """``point - slope / tau``."""
    for j in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[j, k] = point[j, k] - slope[j, k] / tau


@njit(cache=True, nogil=True)
def _difference(ours, theirs, k, out):
    """Column k of one array less that of another."""
    for j in range(out.shape[0]):
        out[j] = ours[j, k] - theirs[j, k]

"""The largest tail that an r-concave distribution of given mean can have."""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar

Array = np.ndarray
#: Logarithms of a between which every distribution that matters here lies.
_LEAST, _MOST = -90.0, 40.0


@functools.lru_cache(maxsize=1024)
def largest_tail(mean: float, least: int, top: int, r: float) -> float:
    """Return D: the largest ``P(X >= least/top)`` of r-concave X on ``{0, 1/top, ..., 1}`` with ``E(X) <= mean``.

    X is r-concave, for r below 0, if ``f^r`` is convex for its probabilities f. The largest tail is had by
    ``f_i`` proportional to ``(a + i)^(1/r)`` for i up to some k, and as much at k + 1 as the mean asks for (Shah
    and Samworth 2013, appendix). That leaves a search over k and a.

    The shape is that only where ``least`` is above twice the mean; elsewhere Markov's inequality is returned.
    """
    total = mean * top
    markov = min(1.0, total / least)
    if least < math.ceil(2 * total) + 1:
        return markov
    family = _Family(total, least, -1 / r)
    tails = [family.tail(k, family.shape(k)) for k in range(least, top + 1)]
    best = least + int(np.argmax(tails))
    # The maximum is between two neighbouring supports; the tail hardly bends over two more.
    inner = [family.best_between(k) for k in range(max(least - 1, best - 3), min(top, best + 3))]
    return min(markov, max(tails + inner))


class _Family:
    """Distributions on 0, 1, ..., k + 1 of one mean whose first k + 1 probabilities follow a power."""

    def __init__(self, mean: float, least: int, power: float) -> None:
        self.mean, self.least, self.power = mean, least, power
        self._shapes: dict[int, float] = {}

    def probabilities(self, k: int, log_a: float) -> Array:
        """Return ``(1 + i/a)^-power`` for i = 0, ..., k: not normalised, and never too large for a float."""
        return np.exp(-self.power * np.log1p(np.arange(k + 1) * math.exp(-log_a)))

    def shape(self, k: int) -> float:
        """Return the logarithm of the a with which k + 1 points alone have the mean."""
        if k not in self._shapes:
            if k <= 2 * self.mean:
                return _MOST  # even equal probabilities have less
            points = np.arange(k + 1) - self.mean

            def excess(log_a: float) -> float:
                f = self.probabilities(k, log_a)
                return float(points @ f / f.sum())

            self._shapes[k] = float(brentq(excess, _LEAST, _MOST, xtol=1e-12))
        return self._shapes[k]

    def tail(self, k: int, log_a: float) -> float:
        """Return P(X >= least); the point k + 1 has what makes the mean right."""
        f, points = self.probabilities(k, log_a), np.arange(k + 1)
        distance = (k + 1 - points) @ f
        # Written without 1 - ..., as tails may be far smaller than what a float has beside 1.
        last = max(0.0, float((self.mean - points) @ f))
        return float(((k + 1 - self.mean) * f[self.least :].sum() + last) / distance)

    def best_between(self, k: int) -> float:
        """Return the largest tail as the probability of k + 1 rises from nothing to what the power gives it."""
        low, high = self.shape(k + 1), self.shape(k)
        found = minimize_scalar(
            lambda log_a: -self.tail(k, log_a),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(-found.fun)

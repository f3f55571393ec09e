"""How many false features may be among those that are selected often: bounds of stability selection."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from handful.validation.resampling import check_bound_parameters, no_threshold, no_wanted_count

#: Of the distribution of how often a feature is selected; the more is assumed, the smaller the bound.
ASSUMPTIONS = ("none", "unimodal", "r-concave")
#: Logarithms of a between which every r-concave distribution that matters here lies.
_LEAST, _MOST = -90.0, 40.0
Array = np.ndarray


@dataclass(frozen=True)
class ErrorBound:
    """Three numbers that go together, and what the bound stands on.

    Attributes
    ----------
    threshold : float
        Features that are selected in at least this share of the halves are kept.
    q : float
        Features selected in each half; a mean, where they differ.
    pfer : float
        The bound: at most so many false features are expected among those kept.
    n_features : int
        Features to select from.
    n_resamples : int
        Complementary pairs of halves, or halves.
    assumption : {"none", "unimodal", "r-concave"}
    complementary : bool
    """

    threshold: float
    q: float
    pfer: float
    n_features: int
    n_resamples: int
    assumption: str
    complementary: bool


def error_bound(
    n_features: int,
    *,
    threshold: float | None = None,
    q: float | None = None,
    pfer: float | None = None,
    n_resamples: int = 50,
    assumption: str = "unimodal",
    complementary: bool = True,
) -> ErrorBound:
    """Return the third of threshold, q and the expected number of false features from the other two.

    ``E(V) <= q^2 / ((2 threshold - 1) p)`` for p features without assumptions; smaller under the others.

    V counts features that are kept though q/p or less is their chance of being selected in a half (for
    Meinshausen and Bühlmann: noise features, when these are exchangeable and no worse than drawn at random).

    Parameters
    ----------
    n_features : int
        Features to select from, p.
    threshold : float, optional
        The share of halves in which a feature must be selected, above 0 and at most 1. When it is wanted, the
        least one of at least 1/2 that reaches ``pfer`` is found.
    q : float, optional
        How many features are selected in each half. When it is wanted, the largest whole one is found.
    pfer : float, optional
        The expected number of false features that is accepted.
    n_resamples : int, default=50
        Complementary pairs, B; or halves, where they are not complementary.
    assumption : {"none", "unimodal", "r-concave"}, default="unimodal"
        What is assumed of how often a feature of low selection probability is selected: nothing; that the
        share of pairs in which both halves select it has a unimodal distribution; or that this distribution is
        -1/2-concave and that of the share of halves -1/4-concave.
    complementary : bool, default=True
        Whether halves come in pairs that share no sample. Without, only "none" is known, and it is a
        bound for infinitely many halves.

    Returns
    -------
    bound : ErrorBound
        Its ``pfer`` is what holds for its ``threshold`` and ``q``, at most the one asked for.

    Raises
    ------
    ValueError
        When no threshold, or no q, reaches ``pfer``; the message says what would.

    References
    ----------
    Meinshausen and Bühlmann (2010), Stability selection, JRSS B 72, 417-473.
    Shah and Samworth (2013), Variable selection with error control: another look at stability selection, JRSS
    B 75, 55-80.

    Examples
    --------
    >>> from handful.model_selection import error_bound
    >>> error_bound(5000, q=20, pfer=1.0).threshold
    0.53
    >>> error_bound(5000, q=20, threshold=0.9, assumption="r-concave").pfer
    0.0049...
    """
    check_bound_parameters(
        n_features, threshold, q, pfer, n_resamples, assumption, ASSUMPTIONS, complementary
    )
    n_halves = 2 * n_resamples if complementary else n_resamples

    def bound(threshold: float, q: float) -> float:
        return _expected_false(threshold, q, n_features, n_resamples, n_halves, assumption)

    if threshold is None:
        assert q is not None and pfer is not None  # noqa: S101, PT018
        threshold = _least_threshold(bound, q, pfer, n_features, n_halves)
    elif q is None:
        assert pfer is not None  # noqa: S101
        q = _largest_count(lambda count: bound(threshold, count) <= pfer, n_features)
        if q == 0:
            raise no_wanted_count(pfer, threshold, bound(threshold, 1))
    found = bound(threshold, q)
    return ErrorBound(threshold, q, found, n_features, n_resamples, assumption, complementary)


def _expected_false(
    threshold: float, q: float, n_features: int, n_resamples: int, n_halves: int, assumption: str
) -> float:
    """Return the smallest bound that is known; shares are whole multiples of one over the halves."""
    least = max(1, math.ceil(threshold * n_halves - 1e-9))
    threshold = least / n_halves
    rate = q / n_features
    # All shares together are q, so no more than this can reach the threshold, whatever they are.
    bounds = [q / threshold]
    if 2 * threshold > 1:
        bounds.append(q * rate / (2 * threshold - 1))
    if assumption == "unimodal":
        bounds.append(q * _unimodal_factor(threshold, rate, n_resamples))
    if assumption == "r-concave":
        bounds.append(n_features * largest_tail(rate, least, n_halves, -1 / 4))
        if least > n_resamples:
            both = least - n_resamples
            bounds.append(n_features * largest_tail(rate**2, both, n_resamples, -1 / 2))
    return min(bounds)


def _unimodal_factor(threshold: float, rate: float, n_pairs: int) -> float:
    """Return C(threshold, B) times the rate (Shah and Samworth, Theorem 2); infinite where it does not hold."""
    step = 1 / (2 * n_pairs)
    first = min(0.5 + rate**2, 0.5 + step + 0.75 * rate**2)
    if rate > 1 / math.sqrt(3) or threshold <= first:
        return math.inf
    if threshold <= 0.75:
        return rate / (2 * (2 * threshold - 1 - step)) if 2 * threshold - 1 > step else math.inf
    return rate * 4 * (1 - threshold + step) / (1 + 2 * step)


def _least_threshold(
    bound: Callable[[float, float], float], q: float, pfer: float, n_features: int, n_halves: int
) -> float:
    """Return the least share of halves, from 1/2 on, whose bound is small enough."""
    if bound(1.0, q) > pfer:
        count = _largest_count(lambda count: bound(1.0, count) <= pfer, int(q))
        raise no_threshold(pfer, q, n_features, bound(1.0, q), count)
    # The bound falls as the threshold rises: so many halves more than needed can be left out.
    most = n_halves - math.ceil(n_halves / 2)
    spare = _largest_count(lambda count: bound((n_halves - count) / n_halves, q) <= pfer, most)
    return (n_halves - spare) / n_halves


def _largest_count(is_small: Callable[[int], bool], most: int) -> int:
    """Return the largest count up to ``most`` whose bound is small enough; the bound rises with it."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_small(middle):
            low = middle
        else:
            high = middle - 1
    return low


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

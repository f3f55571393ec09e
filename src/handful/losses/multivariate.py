"""Any measure as a loss: the convex risk that its most violated labeling gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.losses.base import Array


class Multivariate:
    """``C R(z)`` with ``R(z) = max over labelings y' of Delta(y, y') - (y - y')'z``.

    It has kinks, so it is no :class:`~handful.losses.Loss`: what it offers instead of a gradient is
    a cut, the labeling that attains the maximum.

    Parameters
    ----------
    measure : Measure
        Anything with ``most_violated(y, z)``; see ``measures/base.py``.
    sample_weight : ndarray of shape (n_samples,), optional
        For measures that take weights; they may mean other things than C does.
    n_samples : float
        How many samples there are, once that is known: a weight counts as that many copies, and as one if it
        is less.
    rows : ndarray of bool, optional
        The samples that count, if not all do; for the others nothing is asked of z.
    """

    task = "classification"
    is_smooth = False

    def __init__(
        self,
        measure: Any,
        sample_weight: Array | None = None,
        n_samples: float = np.inf,
        rows: Array | None = None,
    ) -> None:
        self.measure = measure
        self.sample_weight = sample_weight
        self.n_samples = n_samples
        self.rows = rows

    def __repr__(self) -> str:
        return repr(self.measure)

    @property
    def has_threshold(self) -> bool:
        """Whether an intercept changes anything but the ranking, which is all some measures see."""
        return bool(getattr(self.measure, "has_threshold", True))

    @property
    def needs_positives(self) -> bool:
        """Whether few positives decide the measure, rather than all samples alike."""
        return bool(getattr(self.measure, "needs_positives", False))

    def of_samples(self, y: Array, weight: Array) -> Multivariate:
        """Return the loss for these labels and weights, both (n_samples,), if the measure takes them."""
        given = None if (weight == 1.0).all() else weight
        if hasattr(self.measure, "check"):
            self.measure.check(y, given)
        return Multivariate(self.measure, given, _n_copies(weight))

    def without(self, rows: Array) -> Multivariate:
        """Return the loss as if some samples, given by a mask, were not there."""
        weight = self.sample_weight
        left = float(np.count_nonzero(~rows)) if weight is None else _n_copies(weight[~rows])
        return Multivariate(self.measure, weight, left, ~rows)

    def count(self, chosen: Array) -> float:
        """Return how many samples are chosen; a weight counts as that many copies of its sample."""
        weight = self.sample_weight
        if self.rows is not None:
            chosen = chosen & self.rows
        return float(np.count_nonzero(chosen) if weight is None else weight[chosen].sum())

    def cut(self, y: Array, z: Array, weight: Array) -> tuple[Array, float]:
        """Return (a, cost): ``cost - sum(a * z)`` is the loss here and never above it elsewhere.

        Arrays are (n_samples, 1) as for other losses; all of ``weight`` is C.
        """
        C = float(weight[0, 0])
        rows = slice(None) if self.rows is None else self.rows
        given = () if self.sample_weight is None else (self.sample_weight[rows],)
        found, delta = self.measure.most_violated(y[rows, 0], z[rows, 0], *given)
        a = np.zeros(len(y))
        a[rows] = C * np.asarray(found, dtype=np.float64)
        return a[:, None], C * float(delta)

    def error(self, y: Array, z: Array, weight: Array) -> float:
        """What the measure lacks on new samples, for each of them; ``weight`` is that of samples."""
        given = () if self.sample_weight is None else (weight[:, 0],)
        return float(weight.sum()) * (1.0 - float(self.measure.value(y[:, 0], z[:, 0], *given)))

    def dual_value(self, cost: float, penalty: float) -> float:
        """``max over 0 <= t <= 1 of  t cost - t^2 penalty``: t weighs the cuts against y' = y."""
        if cost <= 0.0:
            return 0.0
        t = 1.0 if penalty <= 0.5 * cost else 0.5 * cost / penalty
        return t * cost - t * t * penalty


def _n_copies(weight: Array) -> float:
    """How many samples weights stand for: no fewer than there are, if the weights are small."""
    return max(float(weight.sum()), float(np.count_nonzero(weight)))

"""Any measure as a loss: the convex risk that its most violated labeling gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.losses.base import (
    Along,
    Array,
    FirstCut,
    Look,
    Loss,
    LossWithCuts,
    Point,
    Tolerances,
)
from handful.losses.macro import Macro, shares_of
from handful.losses.smooth import SmoothLoss
from handful.losses.squared_hinge import SquaredHinge
from handful.losses.sums import inner
from handful.losses.thresholds import (
    with_best_threshold,
    with_room_for_unseen,
    with_threshold,
)

UNBALANCED = 1e-6  # how far from zero the sum of a balanced mixture of cuts may be, relative
# A relative gap. Among few samples there are few cuts, and all that matter are soon found: the model is
# then exact, and a weight of two the same as the row twice.
RANKING_TOL, TOL, EXACT_TOL, FEW_SAMPLES = 0.05, 1e-3, 1e-14, 50
# The positives decide by how much less the last fit is shrunk: less where they are few, and least for a
# ranking, to which shrinkage does no harm.
LEAST_FACTOR, LEAST_FACTOR_OF_RANKING, POSITIVES_PER_FACTOR, MOST_FACTOR = 3.0, 1.0, 30.0, 10.0
STRENGTH = 5.0
# What the threshold gains on fewer positives, or negatives, is chance.
FEWEST_TO_TUNE = 30


class Multivariate(LossWithCuts):
    """``C R(z)`` with ``R(z) = max over labelings y' of Delta(y, y') - (y - y')'z``.

    It has kinks: what it offers instead of a gradient is a cut, the labeling that attains the maximum.

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
    unit : float
        What a prediction of 1 is to the measure: the loss is ``C R(unit z)``.
    """

    def __init__(
        self,
        measure: Any,
        sample_weight: Array | None = None,
        n_samples: float = np.inf,
        rows: Array | None = None,
        unit: float = 1.0,
    ) -> None:
        self.measure = measure
        self.sample_weight = sample_weight
        self.n_samples = n_samples
        self.rows = rows
        self.unit = unit

    def __str__(self) -> str:
        return str(self.measure)

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

    @property
    def labels_rows(self) -> bool:
        return bool(getattr(self.measure, "labels_rows", False)) and self.sample_weight is None

    def of_samples(self, y: Array, weight: Array) -> Multivariate:
        """Return the loss for these labels and weights, both (n_samples,), if the measure takes them."""
        given = None if (weight == 1.0).all() else weight
        if hasattr(self.measure, "check"):
            self.measure.check(y, given)
        return Multivariate(self.measure, given, _n_copies(weight))

    def of_outputs(
        self, y: Array, weight: Array, average: str = "macro", *, in_margins: bool = False
    ) -> Loss:
        parts = [self.of_samples(signs, weight) for signs in np.ascontiguousarray(y.T)]
        if len(parts) == 1:
            return parts[0]
        if in_margins:
            parts = [part.in_margins(y[:, [c]]) for c, part in enumerate(parts)]
        return Macro(parts, shares_of(average, y, weight))

    def in_margins(self, y: Array) -> Multivariate:
        """Return the loss of predictions that are told in margins: 1 is what undoes the cost of the first cut.

        Under F that cost is 100, shared by P positives: a label must be right by 50 / P. Told in one unit for all, a rare label
        has the longer weights and is shrunk for it, as the square of how rare it is.
        """
        first = self.evaluate(y, np.zeros_like(y), np.zeros(1), np.ones_like(y))
        wrong = float(np.abs(first.a).sum())
        unit = first.cost / wrong if first.cost > 0.0 and wrong > 0.0 else 1.0
        return Multivariate(self.measure, self.sample_weight, self.n_samples, self.rows, unit)

    def without(self, rows: Array) -> Multivariate:
        """Return the loss as if some samples, given by a mask, were not there."""
        weight = self.sample_weight
        left = float(np.count_nonzero(~rows)) if weight is None else _n_copies(weight[~rows])
        return Multivariate(self.measure, weight, left, ~rows, self.unit)

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
        return self._cut(len(y), weight, self.measure.most_violated(*self._given(y, z)))

    def along(self, y: Array, start: Array, change: Array | None, weight: Array) -> Along:
        # One of somebody's own need not be a Measure.
        if not hasattr(self.measure, "most_violated_along"):
            return super().along(y, start, change, weight)
        signs, z, *more = self._given(y, start)
        rows = slice(None) if self.rows is None else self.rows
        # Along the intercept a place is told in units here, else the change is.
        unit, direction = (
            (self.unit, None) if change is None else (1.0, self.unit * change[rows, 0])
        )
        most_violated = self.measure.most_violated_along(signs, z, direction, *more)
        C = float(weight[0, 0])

        def look(place: float) -> Look:
            found = most_violated(unit * place)
            return Look(
                place,
                C * (found.delta - found.total),
                -C * unit * found.slope,
                lambda: self._cut(len(y), weight, (found.labeling(), found.delta)),
            )

        return look

    def _given(self, y: Array, z: Array) -> tuple[Array, ...]:
        """What the measure is told: labels, scores and weights of the samples that count."""
        rows = slice(None) if self.rows is None else self.rows
        weight = () if self.sample_weight is None else (self.sample_weight[rows],)
        return (y[rows, 0], self.unit * z[rows, 0], *weight)

    def _cut(
        self, n_samples: int, weight: Array, found: tuple[Array, float]
    ) -> tuple[Array, float]:
        """What the measure has found, for all samples and times C."""
        C, (wrong, delta) = float(weight[0, 0]), found
        if self.rows is None:
            return np.multiply(C * self.unit, wrong, dtype=np.float64)[:, None], C * float(delta)
        a = np.zeros((n_samples, 1))
        a[self.rows, 0] = C * self.unit * np.asarray(wrong, dtype=np.float64)
        return a, C * float(delta)

    def sample_factors(self, weight: Array) -> Array:
        """Return ones: the measure has its own use for the weights."""
        return np.ones((len(weight), 1))

    def evaluate(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        return _point(scores, intercept, *self.cut(y, scores + intercept, weight))

    def bound(
        self, y: Array, a: Array, weight: Array, penalty: float, cost: float, *, is_balanced: bool
    ) -> float:
        if is_balanced and abs(a.sum()) > UNBALANCED * np.abs(a).sum():
            return -np.inf
        return self.dual_value(cost, penalty)

    def tolerances(self, n_entries: int) -> Tolerances:
        """Relative gaps of the bundle."""
        exact = self.exact_tol
        return Tolerances(min(RANKING_TOL, exact), min(TOL, exact), min(TOL, exact))

    @property
    def exact_tol(self) -> float:
        return EXACT_TOL if self.n_samples <= FEW_SAMPLES else np.inf

    def automatic_C(self, first: FirstCut) -> float:
        """``C = 5 cost / (sum of the B largest scores)``.

        With the weights ``C c_j`` of the first cut on its B features the predictions would undo the cost
        of that cut five times over; the scale of X and of the measure drop out.
        """
        largest = float(first.scores[: max(first.budget, 1)].sum())
        return first.factor * (STRENGTH * first.cost / largest)

    def refit_factor(self, y: Array) -> float:
        least = LEAST_FACTOR if self.has_threshold else LEAST_FACTOR_OF_RANKING
        n_positive = self.count(y[:, 0] > 0)
        return min(max(n_positive / POSITIVES_PER_FACTOR, least), MOST_FACTOR)

    def with_threshold(
        self, point: Point, y: Array, *, is_refitted: bool, fit_intercept: bool
    ) -> Point:
        """Move the threshold to where labels are predicted, if the measure is no judge of that."""
        if not self.has_threshold:
            return with_threshold(point, y, self.measure, self.sample_weight)
        if is_refitted and fit_intercept and self.needs_positives:
            return with_room_for_unseen(point, y, self)
        return point

    @property
    def has_tunable_threshold(self) -> bool:
        of_counts, one = getattr(self.measure, "of_counts", None), np.ones(1)
        return of_counts is not None and of_counts(one, one, one, one) is not None

    def tunes_threshold(self, y: Array) -> bool:
        positive = y[:, 0] > 0
        fewest = min(self.count(positive), self.count(~positive))
        return self.has_tunable_threshold and fewest >= FEWEST_TO_TUNE

    @property
    def surrogate(self) -> SmoothLoss | None:
        """The squared hinge for F.

        The risk of F is no less than F's own cost, but may be far above it where labels are noisy. The best labels under F
        are a threshold on the probability of the positive class, which the squared hinge tells as well as it can.
        """
        return SquaredHinge() if self.needs_positives and self.has_tunable_threshold else None

    def with_tuned_threshold(self, point: Point, y: Array, unseen: Array) -> Point:
        return with_best_threshold(point, y, unseen, self.measure, self.sample_weight)

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


def _point(scores: Array, intercept: Array, a: Array, cost: float) -> Point:
    return Point(scores, intercept, cost - inner(a, scores + intercept), a, cost)


def _n_copies(weight: Array) -> float:
    """How many samples weights stand for: no fewer than there are, if the weights are small."""
    return max(float(weight.sum()), float(np.count_nonzero(weight)))

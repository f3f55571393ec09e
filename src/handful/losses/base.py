"""What a loss must provide, and everything in which losses differ.

Conventions
-----------
n samples, K outputs (1 for binary classification and regression, the number of classes for
one-vs-rest). A loss never sees the features.

======== ========= ==========================================================================
y        (n, K)    targets: -1/+1 for classification, real numbers for regression
z        (n, K)    raw predictions
weight   (n, 1)    C times the sample weight; zero means the row is not there
a        (n, K)    dual point, minus the gradient with respect to z (alpha * y in the paper)
======== ========= ==========================================================================

Methods ask nothing else of a loss than what stands here: what a solver may use of it
(:attr:`Loss.provides`), how closely to solve, the automatic C, how much less to shrink in the last fit,
and where scores become labels. :class:`~handful.losses.SmoothLoss` and
:class:`~handful.losses.of_measure.Multivariate` have the answers for the two kinds there are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np

from handful.registry import Named

Array = np.ndarray


@dataclass(frozen=True)
class Point:
    """The loss at one set of predictions ``z = scores + intercept``; ``a`` is minus its gradient.

    For a loss with kinks ``cost - sum(a * z)`` bounds it from below for every z.
    """

    scores: Array
    intercept: Array
    value: float
    a: Array
    cost: float = 0.0

    @cached_property
    def z(self) -> Array:
        """The predictions."""
        return self.scores + self.intercept


@dataclass(frozen=True)
class Look:
    """The loss of one output at a place of a line of predictions, ``start + place * change``.

    Attributes
    ----------
    place, value, slope : float
        The slope is that of the loss along the line.
    cut : callable
        Makes ``(a, cost)``, as a :class:`Point` has them; few places are asked for that.
    """

    place: float
    value: float
    slope: float
    cut: Callable[[], tuple[Array, float]]

    def point(self, scores: Array, intercept: Array) -> Point:
        """The same with its cut; whoever drew the line knows how its predictions are made up."""
        return Point(scores, intercept, self.value, *self.cut())


#: Gives the loss at a place of a line.
Along: TypeAlias = Callable[[float], Look]


def joined(points: Sequence[Point]) -> Point:
    """Several outputs as one point."""
    if len(points) == 1:
        return points[0]

    def beside(array_of: Callable[[Point], Array]) -> Array:
        return np.hstack([array_of(point) for point in points])

    return Point(
        scores=beside(lambda point: point.scores),
        intercept=beside(lambda point: point.intercept),
        value=sum(point.value for point in points),
        a=beside(lambda point: point.a),
        cost=sum(point.cost for point in points),
    )


@dataclass(frozen=True)
class Tolerances:
    """How closely models are solved: to rank features, to be compared with each other, and the last one."""

    ranking: float
    kept: float
    final: float


@dataclass(frozen=True)
class FirstCut:
    """What is known before the first round, all weights at zero: from this follows the automatic C.

    Attributes
    ----------
    scores : ndarray
        Scores of the best features, falling.
    cost : float
        Cost of the point, if the loss has kinks.
    factor : float
        How much more C the features want under a loss with kinks than columns of any kind do.
    budget : int
        How many features count in the penalty.
    sizes : ndarray
        Sums of squares of the columns of the ten best features, about their means.
    features_per_sample : float
        ``k / n`` for exactly k features, 0 if k is open.
    n_outputs : int
        Columns of y.
    search_outputs : callable
        Gives, for each output, the scores of its best features, added up: of as many as are its share of the budget;
        and the cost of the point, where each has a loss of its own. It takes a search for each output.
    """

    scores: Array
    cost: float
    factor: float
    budget: int
    sizes: Array
    features_per_sample: float
    n_outputs: int
    search_outputs: Callable[[], tuple[Array, Array]]


class Loss(Named, ABC):
    """A convex loss of all predictions together."""

    #: "classification" (targets -1/+1) or "regression" (real targets)
    task: ClassVar[str]
    #: what a solver may use: "curvature" of a smooth loss, or "cuts"
    provides: ClassVar[frozenset[str]]
    #: how much longer a fit takes than that of a smooth loss
    work: ClassVar[float] = 1.0
    #: whether larger C are tried on some folds, where all values on all folds would take too long
    may_shrink_less: ClassVar[bool] = True
    #: a solver gets this close at next to no cost
    cheap_tol: ClassVar[float] = np.inf
    #: whether the sigmoid of a prediction is the probability of its class
    scores_are_log_odds: ClassVar[bool] = False
    #: a weight below this share of the largest is none
    negligible: ClassVar[float] = 1e-9

    #: correlation from which on, whatever its sign, two columns say the same as far as this loss is concerned
    alike: ClassVar[float] = 0.995
    #: whether the features that a round takes for several outputs are to tell different things
    takes_apart: ClassVar[bool] = False
    #: whether nothing is to be learned of one class against the rest where all its samples have weight zero
    needs_each_class: ClassVar[bool] = False

    def margin(self, at_zero: Point) -> float:
        """What a sample must be right by, from the point of all weights at zero; 0 where there is no such thing."""
        return 0.0

    @property
    def exact_tol(self) -> float:
        """What a solver is asked for where an exact model costs little; infinite where it would."""
        return np.inf

    @property
    def has_threshold(self) -> bool:
        """Whether an intercept changes anything."""
        return True

    def of_samples(self, y: Array, weight: Array) -> Loss:
        """Return the loss for these labels and sample weights, both (n_samples,)."""
        return self

    def of_outputs(
        self, y: Array, weight: Array, average: str = "macro", *, in_margins: bool = False
    ) -> Loss:
        """Return the loss for one or more columns of y, which count as ``average`` says.

        ``in_margins`` has the predictions of each measured by what its own labels ask for, where that differs.
        """
        return self

    def without(self, rows: Array) -> Loss:
        """Return the loss as if some samples, given by a mask, were not there; their weights are zero."""
        return self

    def sample_factors(self, weight: Array) -> Array:
        """Return what C is multiplied with for each sample, (n_samples, 1)."""
        return weight[:, None]

    @abstractmethod
    def evaluate(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        """Return the loss at ``z = scores + intercept``."""

    def at_best_intercept(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        """Return the loss with a better intercept, where that costs little; else as :meth:`evaluate`."""
        return self.evaluate(y, scores, intercept, weight)

    def along(self, y: Array, start: Array, change: Array | None, weight: Array) -> Along:
        """Return what gives the loss of one output along a line of predictions; ``change=None`` is along the intercept."""

        def look(place: float) -> Look:
            step = np.full(1, place) if change is None else place * change
            point = self.evaluate(y, start + step, np.zeros(1), weight)
            slope = float(point.a.sum() if change is None else (point.a * change).sum())
            return Look(place, point.value, -slope, lambda: (point.a, point.cost))

        return look

    def dual_point(self, y: Array, point: Point, weight: Array) -> Array:
        """Return the point's a with columns that sum to zero, as a free intercept demands."""
        return point.a

    @abstractmethod
    def bound(
        self, y: Array, a: Array, weight: Array, penalty: float, cost: float, *, is_balanced: bool
    ) -> float:
        """Return a lower bound on the objective from a, given the penalty's conjugate at X'a.

        ``cost`` is that of the point a comes from; ``is_balanced`` says that a must sum to zero.
        """

    @abstractmethod
    def error(self, y: Array, z: Array, weight: Array) -> float:
        """What predictions for new samples are judged by, summed over their weights."""

    @property
    def held_out_margin(self) -> float:
        """By how many standard errors of the difference :meth:`held_out_errors` must be lower to be clearly so."""
        return 2.0

    def held_out_errors(self, y: Array, z: Array, weight: Array, folds: Sequence[Array]) -> Array:
        """What values of C are compared by: the error in each fold, a mask, of predictions that were made without it."""
        return np.array([self.error(y[rows], z[rows], weight[rows]) for rows in folds])

    @abstractmethod
    def tolerances(self, n_entries: int) -> Tolerances:
        """How closely to solve, for active columns of so many numbers."""

    @abstractmethod
    def automatic_C(self, first: FirstCut) -> float:
        """C by the closed rule."""

    @abstractmethod
    def refit_factor(self, y: Array) -> float | Array:
        """By how much C grows for the last fit, which need not shrink to choose among features.

        One factor, or one for each output.
        """

    def with_threshold(
        self, point: Point, y: Array, *, is_refitted: bool, fit_intercept: bool
    ) -> Point:
        """Return the point with the intercept by which labels are predicted."""
        return point

    @property
    def has_tunable_threshold(self) -> bool:
        """Whether predictions of unseen rows can tell a better intercept."""
        return False

    def tunes_threshold(self, y: Array) -> bool:
        """Whether the samples of one output are enough for that."""
        return False

    def with_tuned_threshold(self, point: Point, y: Array, unseen: Array) -> Point:
        """Return one output's point with the intercept that is best for predictions of unseen rows."""
        return point

    @property
    def surrogate(self) -> Loss | None:
        """A smooth loss whose last fit may do better on unseen rows, with a threshold from those; None if none may."""
        return None

    @property
    def parts(self) -> tuple[Loss, ...]:
        """The losses of the outputs, where each has its own; else the loss itself."""
        return (self,)


class LossWithCuts(Loss):
    """A loss with kinks: what it offers instead of a gradient is a cut that nowhere lies above it."""

    task = "classification"
    provides = frozenset({"cuts"})
    needs_each_class = True
    work = 12.0  # a tenth of a second for the smallest data
    may_shrink_less = False  # what they gain, and cost, has not been looked at
    # The small problems are solved by an interior-point method, which comes no closer to zero than this: the
    # square root of its tolerance.
    negligible = 3e-5

    @property
    def labels_rows(self) -> bool:
        """Whether a cut has each sample right or wrong, and all that are wrong by one size."""
        return False

    def margin(self, at_zero: Point) -> float:
        """What a sample must be right by, in the mean over those that the first cut is about.

        Predictions that differ by far less than this are rounding.
        """
        wrong = float(np.abs(at_zero.a).sum())
        return at_zero.cost / wrong if at_zero.cost > 0.0 and wrong > 0.0 else 0.0

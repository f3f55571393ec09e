"""Losses with a derivative, summed over samples and outputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from handful.losses.base import Array, FirstCut, Loss, Point, Tolerances
from handful.losses.scaled_log_loss import scaled_log_losses
from handful.losses.sums import column_sums

INTERCEPT_STEPS = 100
FAR = 1e300  # no bracket yet
INTERCEPT_TOL = 1e-12  # of the slope, relative to the sum of its terms
INTERCEPT_STEP = 1e-15  # relative

# Newton's tolerance while candidates are generated and dropped, relative to the gradient at zero:
# ranking needs no more. Models with k features are compared with each other, and the last solution is
# the model: they are solved further.
RANKING_TOL, KEPT_TOL, FINAL_TOL = 0.05, 1e-3, 1e-6
# Where that costs nothing the model is exact to rounding.
EXACT_TOL, EXACT_ENTRIES = 1e-12, 1_000_000
# The refit lifts most of the shrinkage that served to choose the features: C times this.
REFIT_FACTOR = 10.0

# C is such that the best columns are shrunk by about one part in twenty while features are chosen, and more
# where each feature has few samples. One-vs-rest models of many classes want twice that: each has few
# positive samples.
STRENGTH, STRENGTH_PER_CLASS = 20.0, 10.0
EXPLAINED = 2.0  # what the features together explain, over what they leave


class Slopes(NamedTuple):
    """Of a loss along the intercepts: derivatives, sums of their terms' sizes, curvatures; one for each output."""

    slope: Array
    size: Array
    bend: Array


class SmoothLoss(Loss):
    """A convex, differentiable loss summed over samples and outputs.

    Subclass it in one file with ``name``, :meth:`value`, :meth:`gradient`,
    :meth:`curvature`, :meth:`conjugate` and :meth:`balance`, and import it in ``losses/__init__.py``.
    """

    provides = frozenset({"curvature"})
    cheap_tol = 1e-10
    takes_apart = True
    #: what it is for: beside its formula, the first line of its docstring, the row it has in the table of losses
    use: ClassVar[str]
    #: largest second derivative for weight 1; a step size starts from it
    max_curvature: ClassVar[float]

    @property
    def rise_power(self) -> float:
        """What decides when a feature is dropped: 1, the rise of the objective; 0, the size of its weights.

        Where labels are what counts it is half and half, the geometric mean: a column that moves many
        predictions a little lowers the loss, but a label changes only where one is moved far.
        """
        return 0.5 if self.task == "classification" else 1.0

    @abstractmethod
    def value(self, y: Array, z: Array, weight: Array) -> float:
        """Weighted sum of the loss."""

    @abstractmethod
    def gradient(self, y: Array, z: Array, weight: Array) -> Array:
        """Derivative of :meth:`value` with respect to z."""

    @abstractmethod
    def curvature(self, y: Array, z: Array, weight: Array) -> Array:
        """Second derivative of :meth:`value` with respect to z (a generalised one at kinks)."""

    def value_and_gradient(self, y: Array, z: Array, weight: Array) -> tuple[float, Array]:
        """Both at once, for a loss in which they share some work."""
        return self.value(y, z, weight), self.gradient(y, z, weight)

    @abstractmethod
    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        """Convex conjugate of :meth:`value` at ``-a``, for a in its domain."""

    @abstractmethod
    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        """Nearest simple dual point whose columns sum to zero, as a free intercept demands."""

    def error(self, y: Array, z: Array, weight: Array) -> float:
        """The loss itself."""
        return self.value(y, z, weight)

    @property
    def held_out_margin(self) -> float:
        return 1.0 if self.task == "classification" else 2.0

    @property
    def larger_C_margin(self) -> float | None:
        return 2.0

    def held_out_errors(self, y: Array, z: Array, weight: Array, folds: Sequence[Array]) -> Array:
        """Where labels are predicted, the log loss with one scale for all: few rows have too few wrong labels to compare."""
        if self.task != "classification":
            return super().held_out_errors(y, z, weight, folds)
        losses = scaled_log_losses(y, z, weight)
        return np.array([losses[rows].sum() for rows in folds])

    def evaluate(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        value, gradient = self.value_and_gradient(y, scores + intercept, weight)
        return Point(scores, intercept, value, -gradient)

    def at_best_intercept(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        return self.evaluate(y, scores, best_intercept(self, y, scores, intercept, weight), weight)

    def slopes(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Slopes:
        """How the loss answers to the intercepts."""
        z = scores + intercept
        gradient = self.gradient(y, z, weight)
        bend = column_sums(self.curvature(y, z, weight))
        return Slopes(column_sums(gradient), column_sums(np.abs(gradient)), bend)

    def dual_point(self, y: Array, point: Point, weight: Array) -> Array:
        return self.balance(y, point.a, weight)

    def bound(
        self, y: Array, a: Array, weight: Array, penalty: float, cost: float, *, is_balanced: bool
    ) -> float:
        return self.dual_value(y, a, weight, penalty)

    def tolerances(self, n_entries: int) -> Tolerances:
        """Newton's, of the gradient relative to that at zero."""
        final = EXACT_TOL if n_entries <= EXACT_ENTRIES else FINAL_TOL
        return Tolerances(RANKING_TOL, KEPT_TOL, final)

    def automatic_C(self, first: FirstCut) -> float:
        """``C = S / (c h)`` with h the harmonic mean of the sums of squares of the ten best features' columns, c the loss's curvature.

        ``1 / S = 1 / 20 + k / (2 n)`` for k features and n samples; 10 instead of 20 for more than two classes,
        and no second term if k is open.

        A ridge weight on a column with sum of squares h is shrunk by the factor ``C c h / (1 + C c h)``, so C
        follows the scale of the data and not its units; a few large columns have no say. If k weights
        together explain twice what they leave over, each is worth a prior variance with ``C c h = 2 n / k``:
        with few samples for each feature that is less than 20.
        """
        strength = STRENGTH if first.n_outputs == 1 else STRENGTH_PER_CLASS
        return self._C_of_columns(first.sizes, first.features_per_sample, strength)

    def refit_factor(self, y: Array) -> float:
        return REFIT_FACTOR

    def refit_C(self, sizes: Array, features_per_sample: float) -> float:
        """C for a last fit of one output, by the same rule, to columns that another loss has chosen."""
        return REFIT_FACTOR * self._C_of_columns(sizes, features_per_sample, STRENGTH)

    def _C_of_columns(self, sizes: Array, features_per_sample: float, strength: float) -> float:
        share = 1.0 / strength + features_per_sample / EXPLAINED
        return 1.0 / (share * self.max_curvature) * float(np.mean(1.0 / sizes))

    def dual_value(self, y: Array, a: Array, weight: Array, penalty: float) -> float:
        """Best lower bound on the ray through a.

        ``max over 0 <= t <= 1 of  -t^2 penalty - conjugate(t a)``, where penalty is the
        regulariser's conjugate at X'a. A loss that knows the maximum in closed form may say so.
        """

        def negative(t: float) -> float:
            return t * t * penalty + self.conjugate(y, t * a, weight)

        best = minimize_scalar(
            negative, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-6}
        )
        return max(-float(best.fun), -negative(1.0), 0.0)


def best_intercept(
    loss: SmoothLoss, y: Array, scores: Array, intercept: Array, weight: Array
) -> Array:
    """Return the intercept with the lowest loss.

    The slope rises with the intercept: Newton's method inside the bracket known to hold its root,
    in one variable per output.
    """
    low, high = np.full(y.shape[1], -FAR), np.full(y.shape[1], FAR)
    for _ in range(INTERCEPT_STEPS):
        slope, size, bend = loss.slopes(y, scores, intercept, weight)
        open_ = np.abs(slope) > INTERCEPT_TOL * size
        if not open_.any():
            break
        low, high = np.where(slope < 0, intercept, low), np.where(slope > 0, intercept, high)
        if (np.abs(slope) > bend).any():
            # Nearly flat: Newton's step may be anything, but none need exceed the predictions' size.
            reach = 1.0 + np.abs(scores + intercept).max(axis=0)
            bend = np.maximum(bend, np.abs(slope) / reach)
        step = np.divide(slope, bend, out=np.zeros_like(slope), where=open_)
        if (np.abs(step) <= INTERCEPT_STEP * (1.0 + np.abs(intercept))).all():
            break  # as flat as the arithmetic can make it
        guess = intercept - step
        outside = ((guess <= low) | (guess >= high)) & (low > -FAR) & (high < FAR) & open_
        if outside.any():
            guess = np.where(outside, 0.5 * (low + high), guess)
        intercept = guess
    return intercept

"""What a loss must provide.

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
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

Array = np.ndarray


class Loss(ABC):
    """A convex, differentiable loss summed over samples and outputs.

    Subclass it in one file with :attr:`name`, :meth:`value`, :meth:`gradient`,
    :meth:`curvature`, :meth:`conjugate` and :meth:`balance`; naming is all the registration
    there is.
    """

    name: ClassVar[str]
    #: "classification" (targets -1/+1) or "regression" (real targets)
    task: ClassVar[str]
    #: largest second derivative for weight 1; a step size starts from it
    max_curvature: ClassVar[float]
    is_smooth: ClassVar[bool] = True

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

    @abstractmethod
    def conjugate(self, y: Array, a: Array, weight: Array) -> float:
        """Convex conjugate of :meth:`value` at ``-a``, for a in its domain."""

    @abstractmethod
    def balance(self, y: Array, a: Array, weight: Array) -> Array:
        """Nearest simple dual point whose columns sum to zero, as a free intercept demands."""

    def __repr__(self) -> str:
        held = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({held})"

    def error(self, y: Array, z: Array, weight: Array) -> float:
        """What predictions for new samples are judged by: weight of wrong labels, or the loss itself."""
        if self.task != "classification":
            return self.value(y, z, weight)
        if y.shape[1] == 1:
            return float(weight[(z > 0) != (y > 0)].sum())
        return float(weight[z.argmax(axis=1) != y.argmax(axis=1)].sum())

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


def inner(left: Array, right: Array) -> float:
    """Sum of products; not by BLAS, which would wake its threads for one short vector."""
    return float(np.einsum("ik,ik->", left, right))


def column_sums(array: Array) -> Array:
    """Sum over samples for each output; several times faster than ``sum(axis=0)``."""
    return np.einsum("ik->k", array)


def per_weight(a: Array, weight: Array) -> Array:
    """``a / weight``, zero where the weight is zero (a dual point is zero there too)."""
    if weight.all():
        return a / weight
    return np.divide(a, weight, out=np.zeros_like(a), where=weight > 0)


def half_squares(residual: Array, weight: Array) -> float:
    """Sum of ``weight * residual^2 / 2``."""
    if residual.shape[1] == 1:
        return 0.5 * inner(residual * residual, weight)
    per_sample = np.einsum("ik,ik->i", residual, residual)
    return 0.5 * float(np.einsum("i,i->", per_sample, weight[:, 0]))


def quadratic_conjugate(y: Array, a: Array, weight: Array) -> float:
    """``sum a^2 / (2 weight) - y a``: the conjugate at -a of both squared losses."""
    return 0.5 * inner(a, per_weight(a, weight)) - inner(y, a)


def quadratic_dual(y: Array, a: Array, weight: Array, penalty: float) -> float:
    """Maximum over t >= 0 of ``-t^2 penalty - quadratic_conjugate(t a)``, in closed form."""
    linear = inner(y, a)
    quadratic = penalty + 0.5 * inner(a, per_weight(a, weight))
    if linear <= 0.0 or quadratic <= 0.0:
        return 0.0
    return linear * linear / (4.0 * quadratic)


def balance_by_sign(y: Array, a: Array) -> Array:
    """Shrink the heavier of the positive and the negative side so that columns sum to zero.

    Margin losses have duals with ``y * a >= 0``; shrinking keeps them in the domain.
    """
    is_up = (y > 0).astype(np.float64)  # products: choosing by a mask costs ten times as much
    positive = np.einsum("ik,ik->k", a, is_up)
    negative = positive - column_sums(a)
    target = np.minimum(positive, negative)
    up = np.divide(target, positive, out=np.zeros_like(target), where=positive > 0)
    down = np.divide(target, negative, out=np.zeros_like(target), where=negative > 0)
    factors = up * is_up
    np.subtract(1.0, is_up, out=is_up)
    is_up *= down
    factors += is_up
    factors *= a
    return factors

"""What a measure must provide.

Conventions
-----------
n samples. A measure never sees the features.

======== ===== =============================================================================
y        (n,)  true labels, -1 or +1
z        (n,)  raw predictions (scores)
weight   (n,)  sample weights, or None
labels   (n,)  some labeling y', -1 or +1: one of the 2^n ways to label the samples;
               where a measure is of rankings, scores that rank them
a        (n,)  y - y', times the weight: minus the subgradient of the risk with respect to z
delta    float Delta(y, y'), what the labeling y' costs under the measure
======== ===== =============================================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from handful.registry import Named, named_subclasses
from handful.validation import sample_weights
from handful.validation.measures import (
    check_class_weighs,
    finite_scores,
    positive_samples,
    weights_refused,
)

Array = np.ndarray


@dataclass(frozen=True)
class Violated:
    """The most violated labeling at one place of a line of scores.

    Attributes
    ----------
    delta : float
        What it costs.
    total : float
        ``a @ z`` there: the risk is ``delta - total``.
    slope : float
        ``a @ change``: the risk falls by so much for each step along the line.
    labeling : callable
        Makes a itself, which most places are never asked for.
    """

    delta: float
    total: float
    slope: float
    labeling: Callable[[], Array]


#: Gives the most violated labeling at a place of a line.
Along: TypeAlias = Callable[[float], Violated]


class Measure(Named, ABC):
    """A figure that all samples decide together, and the convex risk that bounds its loss.

    ``R(z) = max over labelings y' of  Delta(y, y') - sum_i (y_i - y'_i) z_i``

    The true labeling is always among them, and costs nothing: ``R(z) >= 0``. Where the labels that z
    predicts are among them too, R is at least their Delta. A measure of rankings has, in place of the
    sum, one over pairs of a positive and a negative sample that y' puts in the wrong order.

    Subclass it in a file called after ``name``, with :meth:`value` and :meth:`most_violated`,
    and import the class in ``measures/__init__.py``. The first line of its docstring is its row in the table of
    measures. One of your own needs no name: an instance is
    all that is asked for.
    """

    #: whether :meth:`value` and :meth:`most_violated` take weights (of samples: a factor C on the risk is not
    #: among them); a measure that takes none need not have the argument
    accepts_weight: ClassVar[bool] = False
    #: whether adding a number to all scores changes the measure; rankings do not mind
    has_threshold: ClassVar[bool] = True
    #: whether each sample is labelled right or wrong where there are no weights: a has no other entries than -2, 0 and 2
    labels_rows: ClassVar[bool] = False
    #: whether the formula divides by the number of positives, or of negatives
    needs_positives: ClassVar[bool] = False
    needs_negatives: ClassVar[bool] = False
    #: whether both classes count alike, so that it makes no difference which of them is called positive
    is_symmetric: ClassVar[bool] = False
    #: whether it is the share of samples whose class is predicted, which is reported of every model: of many classes it
    #: is one figure and no mean over them
    is_of_classes: ClassVar[bool] = False

    @abstractmethod
    def value(self, y_true: Array, scores: Array, weight: Array | None = None) -> float:
        """Return the measure itself, 1 at best; a score above 0 predicts +1."""

    @abstractmethod
    def most_violated(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, float]:
        """Return (a, delta) of a labeling that attains the maximum in the risk.

        The risk is ``delta - a @ z``. The same y and z always give the same labeling, tied scores or
        not.
        """

    def most_violated_along(
        self, y: Array, z: Array, change: Array | None = None, weight: Array | None = None
    ) -> Along:
        """Return what gives :meth:`most_violated` for ``z + t change``, for as many t as are asked for.

        ``change=None`` adds t to all scores. A measure that sorts the scores need do so only once then: a search for the best intercept
        asks a dozen times. Most answers are asked for the risk and its slope only.
        """
        return violated_along(self, y, z, change, weight)

    def delta(self, y: Array, labels: Array) -> float:
        """Return what a labeling costs; a measure may scale its cost differently."""
        return 100.0 * (1.0 - self.value(y, labels))

    def risk(self, y: Array, z: Array, weight: Array | None = None) -> float:
        """Return R(z)."""
        if weight is None:
            a, delta = self.most_violated(y, z)
        else:
            self.check(y, weight)
            a, delta = self.most_violated(y, z, weight)
        return delta - float(a @ z)

    def n_predicted(self, n_samples: int, n_positive: int) -> int | None:
        """Return how many samples the measure's labelings call positive.

        None: as many as have a score above 0.
        """
        return None

    def of_counts(self, hits: Array, missed: Array, added: Array, rejected: Array) -> Array | None:
        """Return the measure for each of some predictions, told by their counts (or sums of weights).

        True positives, false negatives, false positives, true negatives. None if counts do not decide it.
        """
        return None

    def is_defined(self, positive: Array) -> bool:
        """Whether there are the positives, and the negatives, that the formula divides by."""
        lacks_positives = self.needs_positives and not positive.any()
        return not lacks_positives and not (self.needs_negatives and positive.all())

    def check(self, y: Array, weight: Array | None = None) -> None:
        """Raise, in one sentence, unless the measure is defined for these labels and weights."""
        positive = self._checked_positive(y, weight)
        if weight is not None:
            self._checked_weight(weight, positive)

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Return the measure that is called so, or None if that is none of this class."""
        return cls() if text == cls.name else None

    @classmethod
    def example_texts(cls) -> tuple[str, ...]:
        """Return what :meth:`from_text` takes, for those who have to guess."""
        return (cls.name,)

    def _checked_positive(self, y: Array, weight: Array | None = None) -> Array:
        """Return which samples are positive."""
        if weight is not None and not self.accepts_weight:
            known = named_subclasses(Measure).values()
            raise weights_refused(
                str(self), [cls.example_texts()[0] for cls in known if cls.accepts_weight]
            )
        return positive_samples(
            y, self, needs_positives=self.needs_positives, needs_negatives=self.needs_negatives
        )

    def _checked_weight(self, weight: Array | None, positive: Array) -> Array:
        """Return the weights, ones when there are none; a class that is needed must have some."""
        weight = sample_weights(weight, len(positive))
        if self.needs_positives:
            check_class_weighs("positive", weight[positive], self)
        if self.needs_negatives:
            check_class_weighs("negative", weight[~positive], self)
        return weight

    def _checked(self, y: Array, z: Array, weight: Array | None = None) -> tuple[Array, Array]:
        """Return which samples are positive, and the scores."""
        positive = self._checked_positive(y, weight)
        return positive, finite_scores(z, len(positive), self)


def violated_along(
    measure: Any, y: Array, z: Array, change: Array | None, weight: Array | None
) -> Along:
    """Ask a measure for its most violated labeling at each place by itself."""
    given = () if weight is None else (weight,)

    def at(t: float) -> Violated:
        scores = z + (t if change is None else t * change)
        a, delta = measure.most_violated(y, scores, *given)
        slope = float(a.sum() if change is None else a @ change)
        return Violated(float(delta), float(a @ scores), slope, lambda: np.asarray(a))

    return at


def take_best(scores: Array, count: int, level: float) -> Array:
    """Mark the ``count`` best scores; ``level`` is the worst of them, the first samples win a tie."""
    if count == 0:
        return np.zeros(len(scores), dtype=bool)
    taken = scores > level
    tied = np.flatnonzero(scores == level)
    taken[tied[: count - int(np.count_nonzero(taken))]] = True
    return taken


def decimal(number: float) -> str:
    """Write a number so that reading it gives the same one, without an exponent."""
    return np.format_float_positional(number, trim="-")

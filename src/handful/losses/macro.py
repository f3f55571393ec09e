"""The risks of several outputs together: a measure of each class against the rest, or of each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handful.losses.base import (
    Array,
    FirstCut,
    Loss,
    LossWithCuts,
    Point,
    Tolerances,
    joined,
)
from handful.losses.intercepts import middle_intercept


class Macro(LossWithCuts):
    """``C sum over outputs c of share_c R_c(z_c)``, with the risk ``R_c`` of each output's own samples.

    All outputs have one set of features: what falls apart into outputs is the loss, given the features.

    Parameters
    ----------
    parts : sequence of Loss
        One for each output, with cuts.
    shares : ndarray of shape (n_outputs,)
        What each output counts; 1 on average.
    """

    def __init__(self, parts: Sequence[Loss], shares: Array) -> None:
        self._parts = tuple(parts)
        self.shares = shares

    @property
    def parts(self) -> tuple[Loss, ...]:
        return self._parts

    def __repr__(self) -> str:
        return repr(self.parts[0])

    @property
    def has_threshold(self) -> bool:
        """Whether an intercept changes anything but rankings."""
        return self.parts[0].has_threshold

    @property
    def exact_tol(self) -> float:
        return self.parts[0].exact_tol

    def without(self, rows: Array) -> Macro:
        return Macro([part.without(rows) for part in self.parts], self.shares)

    def sample_factors(self, weight: Array) -> Array:
        """Return the shares, (1, n_outputs): the measures have their own use for the weights."""
        return self.shares[None, :].copy()

    def evaluate(self, y: Array, scores: Array, intercept: Array, weight: Array) -> Point:
        return joined(
            [
                part.evaluate(y[:, [c]], scores[:, [c]], intercept[[c]], weight[:, [c]])
                for c, part in enumerate(self.parts)
            ]
        )

    def bound(
        self, y: Array, a: Array, weight: Array, penalty: float, cost: float, *, is_balanced: bool
    ) -> float:
        """One factor for all cuts; every output's own must balance."""
        return min(
            part.bound(y[:, [c]], a[:, [c]], weight[:, [c]], penalty, cost, is_balanced=is_balanced)
            for c, part in enumerate(self.parts)
        )

    def error(self, y: Array, z: Array, weight: Array) -> float:
        """What the measure lacks on new samples, in the mean over outputs."""
        errors = [part.error(y[:, [c]], z[:, [c]], weight) for c, part in enumerate(self.parts)]
        return float(np.average(errors, weights=self.shares))

    def tolerances(self, n_entries: int) -> Tolerances:
        return self.parts[0].tolerances(n_entries)

    def automatic_C(self, first: FirstCut) -> float:
        """The median of what the outputs want, each on its own best features: its share of them all.

        Of sums over outputs the frequent ones would decide: the scores of a class with a hundred times the
        positives are so much larger that the others would hardly be fitted. Of a mean the hardest would: what
        a class wants whose features say little can be a hundred times what the others do.
        """
        own = zip(self.parts, *first.search_outputs(), strict=True)
        wanted = [
            part.automatic_C(_of_one_output(first, float(score), float(cost)))
            for part, score, cost in own
            if score > 0.0
        ]
        return float(np.median(wanted)) if wanted else self.parts[0].automatic_C(first)

    def refit_factor(self, y: Array) -> Array:
        """One for each output: their positives decide."""
        return np.array([float(part.refit_factor(y[:, [c]])) for c, part in enumerate(self.parts)])

    def with_threshold(
        self, point: Point, y: Array, *, is_refitted: bool, fit_intercept: bool
    ) -> Point:
        def moved(part: Loss, one: Point, signs: Array) -> Point:
            if fit_intercept and part.has_threshold:
                one = _in_the_middle(part, one, signs)
            return part.with_threshold(
                one, signs, is_refitted=is_refitted, fit_intercept=fit_intercept
            )

        points = [moved(part, one_output(point, c), y[:, [c]]) for c, part in enumerate(self.parts)]
        together = joined(points)
        return replace(point, intercept=together.intercept)


def _of_one_output(first: FirstCut, score: float, cost: float) -> FirstCut:
    """What one output knows before the first round: its best features together are one."""
    return replace(
        first, scores=np.array([score]), cost=cost, budget=1, sizes=np.ones(1), n_outputs=1
    )


def shares_of(average: str, y: Array, weight: Array) -> Array:
    """What outputs count: all the same ("macro"), or as much as they have positives ("weighted")."""
    if average == "macro":
        return np.ones(y.shape[1])
    counts = np.asarray(weight @ (y > 0))
    return counts / counts.mean()


def _in_the_middle(part: Loss, point: Point, signs: Array) -> Point:
    """The point of one output with the middle of its best intercepts; C does not matter to that."""
    along = part.along(signs, point.scores, None, np.ones_like(signs))
    middle = middle_intercept(along, float(point.intercept[0]), point.scores)
    return along(middle).point(point.scores, np.array([middle]))


def one_output(point: Point, c: int) -> Point:
    """One output's predictions; value, cost and a are those of all."""
    return replace(point, scores=point.scores[:, [c]], intercept=point.intercept[[c]])

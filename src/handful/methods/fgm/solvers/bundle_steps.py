"""Where a bundle looks next: at the minimum of its small problem, or near the best model.

The minimum of what few cuts say may be far off: with weak shrinkage and hundreds of columns a thousand steps would
go by until it is near the best model. So where the penalty is the plain square, steps can be held back, by

``1/2 |w|^2 + (cuts) + 1/2 (tau - 1) |w - v|^2``,  v the best model so far

(a proximal bundle; Kiwiel 1990, Lemarechal and Sagastizabal 1997). With the mixture ``w_0 = X' A alpha`` of the cuts that its
solution uses, no model is better than ``D = cost' alpha - 1/2 |w_0|^2``, and the gap to the best one has two parts:

``objective(v) - D = error + 1/2 |w_0 - v|^2``

The first is what the cuts do not know of the loss at v: it is large if steps go far. The second is what holding back
leaves: it is large if they are short. Tau keeps the two in proportion, so it has no scale that one would have to know; and
it falls where the line search goes far, as among many columns, whose cuts soon say enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from handful.losses.sums import inner
from handful.methods.checkpoint_file import finite, whole
from handful.methods.fgm.solvers.base import Array
from handful.methods.fgm.solvers.cuts import Cuts
from handful.methods.fgm.solvers.master import MasterSolution
from handful.methods.fgm.solvers.plain_cuts import PlainCuts
from handful.methods.fgm.solvers.trial import Trial, search_line

# Of the second part to the first: the bound without holding back closes most of it.
PROPORTION = 10.0
MOST_CHANGE = 1.5  # of tau in a step
MOST_TAU = 1e8
LARGE_SHARE = 0.1  # of a step: it might as well have been longer
LEAST_ERROR = 1e-14  # of the cuts, relative to the objective
# A smaller gap tells weights no longer apart in the sixth digit. Steps that are not held back end in the minimum
# itself, with all digits, once the cuts that meet there are known.
ALMOST_CLOSED = 1e-10
PATIENCE = 5  # steps that brought nothing, after which one is not held back
WAIT = 0.1  # share of the steps so far, until the next try to close the gap

OfCuts = TypeVar("OfCuts", bound=Cuts)


@dataclass(frozen=True)
class Proof:
    """A lower bound, and the mixture of cuts that it follows from: what makes its a, and its cost."""

    bound: float
    mixing: Callable[[], Array]
    cost: float

    @classmethod
    def of(cls, cuts: Cuts, master: MasterSolution) -> Proof:
        """What a solution of the small problem proves."""
        return cls(cuts.bound(master), cuts.mixing(master), cuts.cost(master))


def steps_for(cuts: Cuts) -> Steps[Any]:
    """How a bundle with these cuts goes on.

    Features are ranked by the mixture of the cuts at a loose gap, which is another one where steps are held back: selections
    were then worse more often than better (docs/measures-evidence.md).
    """
    if not isinstance(cuts, PlainCuts):
        return Steps(cuts)
    return LineSteps(cuts) if cuts.problem.ranks else HeldSteps(cuts)


class Steps(Generic[OfCuts]):
    """What a bundle does in a step: it goes to the minimum of the small problem."""

    #: what the cuts say at the model that was looked at: no bound of theirs is higher
    reach = np.inf

    def __init__(self, cuts: OfCuts) -> None:
        self.cuts = cuts

    def take(self, best: Trial | None, idle: int) -> tuple[Trial, Proof]:
        """Look at a model, and prove a bound; ``idle`` steps have brought nothing."""
        master = self.cuts.solve()
        self.cuts.note_use(master.alpha)
        trial = Trial.at(
            self.cuts.problem.target,
            self.cuts.weights(master),
            self.cuts.scores(master),
            master.intercept,
            self.cuts.penalty(master),
        )
        return trial, Proof.of(self.cuts, master)

    def closer(self, proof: Proof, *, is_the_end: bool) -> Proof:
        """Prove more than the step has, if that is worth trying; at the end it always is."""
        return proof

    def to_arrays(self) -> dict[str, Array]:
        """What a step leaves for the next, beside the cuts."""
        return {}

    def fill(self, arrays: Mapping[str, Array]) -> None:
        """Go on from there; KeyError or ValueError where no step leaves that."""


class LineSteps(Steps[PlainCuts]):
    """To the best on the line from the best model to the minimum of the small problem."""

    def take(self, best: Trial | None, idle: int) -> tuple[Trial, Proof]:
        trial, proof = super().take(best, idle)
        if best is not None:
            trial = search_line(self.cuts.problem.target, best, trial)
        return trial, proof


class HeldSteps(Steps[PlainCuts]):
    """Near the best model, and to the best on the line from there; the first is not held back."""

    _tau = 1.0
    _is_full, _is_almost_closed = True, False
    _n_taken = _next_try = 0

    def take(self, best: Trial | None, idle: int) -> tuple[Trial, Proof]:
        self._n_taken += 1
        if best is None:
            return super().take(best, idle)
        cuts, target = self.cuts, self.cuts.problem.target
        has_stopped = idle > 0 and idle % PATIENCE == 0
        tau = 1.0 if has_stopped or self._is_almost_closed else self._tau
        self._is_full = tau == 1.0
        master = cuts.solve() if self._is_full else self._near(best, tau)
        cuts.note_use(master.alpha)
        proof = Proof.of(cuts, master)
        whole = cuts.weights(master) - best.weights
        weights = best.weights + whole / tau
        scores = best.point.scores + (cuts.scores(master) - best.point.scores) / tau
        trial = Trial.at(target, weights, scores, master.intercept, 0.5 * inner(weights, weights))
        gap, apart = best.objective - proof.bound, 0.5 * inner(whole, whole)
        self.reach = proof.bound + (1.0 - 1.0 / tau) ** 2 * apart
        self._is_almost_closed = gap <= ALMOST_CLOSED * abs(best.objective)
        now = search_line(target, best, trial)
        if apart > 0.0:
            error = max(gap - apart, LEAST_ERROR * abs(best.objective))
            gone = now.weights - best.weights
            share = tau * np.sqrt(0.5 * inner(gone, gone) / apart)
            self._adapt(PROPORTION * error / apart, share)
        return now, proof

    def _near(self, best: Trial, tau: float) -> MasterSolution:
        return self.cuts.solve_near(best.weights, best.point.scores, tau)

    def _adapt(self, factor: float, share: float) -> None:
        """Hold steps back more, or less; ``share`` is how much of the last one was worth going.

        At first all that is known is the scale, and too short is the better mistake.
        """
        if share > LARGE_SHARE and self._n_taken > 1:
            factor = min(factor, 1.0 / MOST_CHANGE)
        most = MOST_TAU if self._n_taken == 1 else MOST_CHANGE
        tau = self._tau * min(max(factor, 1.0 / most), most)
        self._tau = min(max(tau, 1.0), MOST_TAU)

    def closer(self, proof: Proof, *, is_the_end: bool) -> Proof:
        if self._is_full or not (is_the_end or self._n_taken >= self._next_try):
            return proof
        self._next_try = self._n_taken + 1 + int(WAIT * self._n_taken)
        master = self.cuts.solve()
        self.cuts.note_more_use(master.alpha)
        full = Proof.of(self.cuts, master)
        return full if full.bound > proof.bound else proof

    def to_arrays(self) -> dict[str, Array]:
        return {
            "tau": np.array(self._tau),
            "is_almost_closed": np.array(self._is_almost_closed),
            "n_taken": np.array(self._n_taken),
            "next_try": np.array(self._next_try),
        }

    def fill(self, arrays: Mapping[str, Array]) -> None:
        self._tau = float(finite(arrays, "tau", ()))
        if not 1.0 <= self._tau <= MOST_TAU:
            raise ValueError("steps are never held back so")
        self._is_almost_closed = bool(arrays["is_almost_closed"])
        self._n_taken, self._next_try = whole(arrays, "n_taken"), whole(arrays, "next_try")

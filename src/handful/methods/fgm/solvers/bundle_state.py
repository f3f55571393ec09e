"""Where a bundle stands between two steps, and the same as plain arrays: from these it goes on to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

import numpy as np

from handful.methods.checkpoint_file import finite, starting_with, whole
from handful.methods.fgm.solvers.base import Array, Point, Solution
from handful.methods.fgm.solvers.bundle_steps import OfCuts, Proof, Steps, steps_for
from handful.methods.fgm.solvers.plain_cuts import PlainCuts
from handful.methods.fgm.solvers.trial import Trial, first_points
from handful.status import Status

MAX_IDLE_STEPS = 50
CUTS, WAY = "cuts_", "way_"


@dataclass
class BundleState(Generic[OfCuts]):
    """All that a bundle remembers from one step to the next.

    Attributes
    ----------
    cuts : Cuts
    start : Trial or None
        The best model before the first step, if there is one.
    best : Trial
        The best model so far.
    proof : Proof
        The best bound so far.
    found : sequence of sequences of Point
        Where cuts are made, for each output, before the next step looks at a model.
    way : Steps
    n_steps, idle : int
        Steps so far, and how many of the last brought nothing.
    """

    cuts: OfCuts
    start: Trial | None = None
    best: Trial = field(init=False)
    proof: Proof = field(init=False)
    found: Sequence[Sequence[Point]] = field(init=False)
    way: Steps[Any] = field(init=False)
    n_steps: int = 0
    idle: int = 0

    def __post_init__(self) -> None:
        self.found = [] if len(self.cuts) else first_points(self.cuts.problem.target)
        self.way = steps_for(self.cuts)

    def is_closed(self, bound: float) -> bool:
        """Whether the best model would be close enough to a bound."""
        objective = self.best.objective
        return objective - bound <= self.cuts.problem.tol * abs(objective)

    @property
    def status(self) -> Status | None:
        """How the bundle ends here; None where it goes on."""
        if self.n_steps == 0:
            return None
        if self.is_closed(self.proof.bound):
            return Status.CONVERGED
        if self.idle > MAX_IDLE_STEPS:
            return Status.STALLED
        return Status.MAX_STEPS if self.n_steps >= self.cuts.problem.max_steps else None

    @property
    def solution(self) -> Solution:
        """What the bundle has if it ends here."""
        best, bound = self.best, self.proof.bound
        return Solution(
            best.weights, best.point, best.objective, bound, self.n_steps, Status.MAX_STEPS
        )

    def to_arrays(self: BundleState[PlainCuts]) -> dict[str, Array]:
        """Everything but the problem, after a step."""
        best, proof, found = self.best, self.proof, [*self.found[0]]
        arrays = {
            "weights": best.weights,
            "scores": best.point.scores,
            "intercept": best.point.intercept,
            "value": np.array(best.point.value),
            "objective": np.array(best.objective),
            "bound": np.array(proof.bound),
            "mixture": proof.mixing(),
            "cost": np.array(proof.cost),
            "found": np.hstack([point.a for point in found]),
            "found_costs": np.array([point.cost for point in found]),
            "n_steps": np.array(self.n_steps),
            "idle": np.array(self.idle),
        }
        arrays |= {f"{CUTS}{name}": part for name, part in self.cuts.to_arrays().items()}
        return arrays | {f"{WAY}{name}": part for name, part in self.way.to_arrays().items()}

    def fill(self: BundleState[PlainCuts], arrays: Mapping[str, Array]) -> None:
        """Go on from such arrays of the same problem; KeyError or ValueError where they cannot be of it."""
        target, n_active = self.cuts.problem.target, self.cuts.problem.n_active
        shape, n_found = target.y.shape, arrays["found_costs"].size
        scores, intercept = finite(arrays, "scores", shape), finite(arrays, "intercept", shape[1:])
        value, objective, bound, cost = (
            float(finite(arrays, name, ())) for name in ("value", "objective", "bound", "cost")
        )
        # The value that was added up on the way differs in its last digits.
        point = replace(target.evaluate(scores, intercept), value=value)
        self.best = Trial(finite(arrays, "weights", (n_active, 1)), point, objective, [])
        mixture = finite(arrays, "mixture", shape)
        self.proof = Proof(bound, lambda: mixture, cost)
        found = finite(arrays, "found", (len(scores), n_found))
        costs = finite(arrays, "found_costs", (n_found,)).tolist()
        # Of these points only the cuts are asked for.
        self.found = [[replace(point, a=found[:, [k]], cost=cost) for k, cost in enumerate(costs)]]
        self.n_steps, self.idle = whole(arrays, "n_steps"), whole(arrays, "idle")
        if not (self.n_steps and n_found):
            raise ValueError("a bundle before its first step")
        self.cuts.fill(starting_with(CUTS, arrays))
        self.way.fill(starting_with(WAY, arrays))

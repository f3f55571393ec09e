"""No selection: the ridge problem on all columns, one output against the rest (Joachims 2005)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.fgm.solvers import RidgeBundle, Solution, Subproblem, Target
from handful.methods.fgm.solvers.base import together
from handful.methods.fgm.solvers.bundle import by_rows, go_on
from handful.methods.fgm.solvers.bundle_state import BundleState
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.solvers.plain_cuts import PlainCuts
from handful.methods.problem import Monitor, Problem, Selected
from handful.status import Status


@dataclass(frozen=True)
class Options:
    """The settings, as the estimator's parameters of the same names.

    ``checkpoint`` is what was saved of this fit, or None.
    """

    C: float
    tol: float
    max_iter: int
    checkpoint: Any = None


def fit_all(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Solve for each output; all columns of the matrix that ``problem.space`` holds are active."""
    targets = [Target.of(one, options.C) for one in problem.of_outputs()]
    outputs = Outputs(targets, by_rows(problem.space.X), options)
    if options.checkpoint is not None:
        options.checkpoint.restore(outputs)

    def after_step(_: BundleState[PlainCuts]) -> bool:
        outputs.record()
        return monitor(outputs)

    for number in range(outputs.number, len(targets)):
        if monitor.interrupted:
            break
        if number > outputs.number:
            outputs.begin(number)
        outputs.finish(go_on(outputs.in_hand, after_step))
    status = Status.INTERRUPTED if monitor.interrupted else together(outputs.solutions).status
    return replace(outputs.selected(), status=status)


@dataclass
class Outputs:
    """Where all outputs stand: one is solved after the other, and those to come have no weights yet.

    Attributes
    ----------
    targets : list of Target
    X : ndarray or CSR array of shape (n_samples, n_features)
    options : Options
    solutions : list of Solution
        One for each output; nothing is known any more of how they were found.
    number : int
        The output in hand; those before it are done.
    in_hand : BundleState
        Where that one stands.
    history : History
        A round for each cutting plane; objectives and bounds are those of all outputs together.
    """

    targets: list[Target]
    X: Any
    options: Options
    solutions: list[Solution] = field(init=False)
    number: int = 0
    in_hand: BundleState[PlainCuts] = field(init=False)
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        zeros = np.zeros((self.X.shape[1], 1))
        points = [target.at_zero for target in self.targets]
        # No risk is below zero.
        self.solutions = [
            Solution(zeros, point, point.value, 0.0, 0, Status.MAX_STEPS) for point in points
        ]
        self.begin(0)

    def begin(self, number: int) -> None:
        """Go to an output, before its first step."""
        target = self.targets[number]
        problem = Subproblem(
            columns=self.X,
            squared_norms=np.empty(0),
            target=target,
            penalty=Penalty(self.X.shape[1]),
            blocks=[],
            tol=min(self.options.tol, target.loss.exact_tol),
            max_steps=self.options.max_iter,
            ranks=False,
        )
        self.number = number
        self.in_hand = RidgeBundle().begin(problem, self.solutions[number])

    def record(self) -> None:
        """Write down the step that the output in hand has just taken."""
        self.solutions[self.number] = self.in_hand.solution
        objective = sum(one.objective for one in self.solutions)
        bound = sum(one.bound for one in self.solutions)
        self.history.record("cut", self.X.shape[1], objective, self.started, bound)

    def finish(self, solution: Solution) -> None:
        """Note where the output in hand has ended."""
        if solution.objective - solution.bound <= self.options.tol * abs(solution.objective):
            solution = replace(solution, status=Status.CONVERGED)  # closer than was asked for
        self.solutions[self.number] = replace(solution, warm={})

    def selected(self) -> Selected:
        """What the method gives if it ends here."""
        pairs = zip(self.targets, self.solutions, strict=True)
        found = together(
            [replace(one, point=target.with_threshold(one.point)) for target, one in pairs]
        )
        return Selected(
            ids=np.arange(self.X.shape[1]),
            weights=np.ascontiguousarray(found.weights.T),
            intercept=found.point.intercept,
            objective=found.objective,
            bound=found.bound,
            history=History(self.history),
            status=Status.INTERRUPTED,
        )

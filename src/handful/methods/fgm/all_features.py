"""No selection: the ridge problem on all columns, one output against the rest (Joachims 2005)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.fgm.solvers import Solution, Subproblem, Target, ridge_solver
from handful.methods.fgm.solvers.base import together
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.problem import Monitor, Problem, Selected
from handful.status import Status


@dataclass(frozen=True)
class Options:
    """The settings, as the estimator's parameters of the same names."""

    C: float
    tol: float
    max_iter: int


def fit_all(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Solve for each output; ``problem.space`` is the matrix itself, all of whose columns are active."""
    outputs = Outputs([Target.of(one, options.C) for one in problem.of_outputs()], problem.space)
    for number in range(len(outputs.targets)):
        if not monitor.interrupted:
            _solve(outputs, number, options, monitor)
    status = Status.INTERRUPTED if monitor.interrupted else together(outputs.solutions).status
    return replace(outputs.selected(), status=status)


@dataclass
class Outputs:
    """Where all outputs stand: one is solved after the other, and those to come have no weights yet.

    Attributes
    ----------
    targets : list of Target
    X : ndarray or sparse array of shape (n_samples, n_features)
    solutions : list of Solution
        One for each output.
    history : History
        A round for each cutting plane; objectives and bounds are those of all outputs together.
    """

    targets: list[Target]
    X: Any
    solutions: list[Solution] = field(init=False)
    history: History = field(default_factory=History)
    _started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        zeros = np.zeros((self.X.shape[1], 1))
        points = [target.at_zero for target in self.targets]
        # No risk is below zero.
        self.solutions = [
            Solution(zeros, point, point.value, 0.0, 0, Status.MAX_STEPS) for point in points
        ]

    def record(self, number: int, solution: Solution) -> None:
        """Write down where one of the outputs stands now."""
        self.solutions[number] = solution
        objective = sum(one.objective for one in self.solutions)
        bound = sum(one.bound for one in self.solutions)
        self.history.record("cut", self.X.shape[1], objective, self._started, bound)

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


def _solve(outputs: Outputs, number: int, options: Options, monitor: Monitor) -> None:
    target, X, tol = outputs.targets[number], outputs.X, options.tol

    def after_step(solution: Solution) -> bool:
        outputs.record(number, solution)
        return monitor(outputs)

    subproblem = Subproblem(
        columns=X,
        squared_norms=np.empty(0),
        target=target,
        penalty=Penalty(X.shape[1]),
        blocks=[],
        tol=min(tol, target.loss.exact_tol),
        max_steps=options.max_iter,
        ranks=False,
        after_step=after_step,
    )
    solution = ridge_solver(target.loss).solve(subproblem, outputs.solutions[number])
    if solution.objective - solution.bound <= tol * abs(solution.objective):
        solution = replace(solution, status=Status.CONVERGED)  # closer than was asked for
    outputs.solutions[number] = solution

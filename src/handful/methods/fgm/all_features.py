"""No selection: the ridge problem on all columns, one output against the rest (Joachims 2005)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.history import History
from handful.methods.fgm.solvers import Solution, Subproblem, Target, ridge_solver
from handful.methods.fgm.solvers.base import together
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.problem import Problem, Selected
from handful.status import Status


def fit_all(problem: Problem, C: float, tol: float, max_iter: int) -> Selected:
    """Solve for each output; ``problem.space`` is the matrix itself, all of whose columns are active."""
    found = together([_solve(one, C, tol, max_iter) for one in problem.of_outputs()])
    return Selected(
        ids=np.arange(problem.space.shape[1]),
        weights=np.ascontiguousarray(found.weights.T),
        intercept=found.point.intercept,
        objective=found.objective,
        bound=found.bound,
        history=History(),
        status=found.status,
        more={"n_iter_": found.n_steps},
    )


def _solve(problem: Problem, C: float, tol: float, max_iter: int) -> Solution:
    X, target = problem.space, Target.of(problem, C)
    closer = min(tol, target.loss.exact_tol)
    penalty = Penalty(X.shape[1])
    subproblem = Subproblem(X, np.empty(0), target, penalty, [], closer, max_iter, ranks=False)
    at_zero = Solution(np.zeros((X.shape[1], 1)), target.at_zero, 0.0, 0.0, 0, Status.MAX_STEPS)
    solution = ridge_solver(target.loss).solve(subproblem, at_zero)
    if solution.objective - solution.bound <= tol * abs(solution.objective):
        solution = replace(solution, status=Status.CONVERGED)  # closer than was asked for
    return replace(solution, point=target.with_threshold(solution.point))

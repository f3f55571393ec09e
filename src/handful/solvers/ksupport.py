"""The k-support penalty on the union of generated features.

This is the restricted problem itself, where the paper's block form (``apg``) only approaches it as
cuts accumulate: it needs far fewer rounds.
"""

from __future__ import annotations

from handful.solvers.base import Array, Solution, Solver, Subproblem, padded
from handful.solvers.fista import Geometry, fista
from handful.solvers.hessians import makes_hessians
from handful.solvers.penalty import Penalty
from handful.solvers.proximal_newton import proximal_newton


class KSupport(Solver):
    """Accelerated proximal gradient, one row of weights per feature.

    Newton steps instead for columns that can make their Hessian at little cost.
    """

    name = "ksupport"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        if makes_hessians(problem.columns, problem.n_outputs):
            solution = proximal_newton(problem, previous)
            if solution is not None:
                return solution
        start = padded(previous.weights, problem.n_active)
        tau = previous.warm.get("tau", problem.lipschitz_guess())
        return fista(problem, _Union(problem.penalty), start, previous.point, tau)


class _Union(Geometry):
    """The variables are the weights."""

    def __init__(self, penalty: Penalty) -> None:
        self.penalty = penalty

    def value(self, variables: Array) -> float:
        return self.penalty.value(variables)

    def prox(self, variables: Array, tau: float) -> Array:
        return self.penalty.prox(variables, tau)

    def conjugate(self, dots: Array) -> float:
        return self.penalty.conjugate(dots)

    def weights(self, variables: Array) -> Array:
        return variables

    def pull(self, dots: Array) -> Array:
        return dots

"""The k-support penalty on the union of generated features.

This is the restricted problem itself, where the paper's block form (``apg``) only approaches it as
cuts accumulate: it needs far fewer rounds.
"""

from __future__ import annotations

import numpy as np

from handful.solvers.base import Array, Solution, Solver, Subproblem, padded
from handful.solvers.fista import Geometry, fista


class KSupport(Solver):
    """Accelerated proximal gradient, one row of weights per feature."""

    name = "ksupport"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        start = padded(previous.weights, problem.n_active)
        tau = previous.warm.get("tau", problem.lipschitz_guess())
        return fista(problem, _Union(problem), start, previous.point, tau)


class _Union(Geometry):
    """Weights per feature; products are the raw predictions themselves."""

    def __init__(self, problem: Subproblem) -> None:
        self.problem = problem
        self.penalty = problem.penalty

    def value(self, variables: Array) -> float:
        return self.penalty.value(variables)

    def conjugate(self, dots: Array) -> float:
        return self.penalty.conjugate(dots)

    def products(self, variables: Array) -> Array:
        return np.asarray(self.problem.columns @ variables)

    def scores(self, products: Array) -> Array:
        return products

    def pull(self, dots: Array) -> Array:
        return dots

    def step(
        self, ahead: Array, gradient: Array, tau: float, ahead_products: Array
    ) -> tuple[Array, Array]:
        trial = self.penalty.prox(ahead - gradient / tau, tau)
        return trial, self.products(trial)

    def weights(self, variables: Array) -> Array:
        return variables

"""The paper's PROX-FGM: one block of weights per round.

``min 1/2 (sum over t of |w_t|)^2 + loss(sum over t of X_t w_t)``    (eq. 38; Algorithms 3 and 4)
"""

from __future__ import annotations

import numpy as np

from handful.solvers.base import Array, Solution, Solver, Subproblem, padded
from handful.solvers.fista import Geometry, fista


class APG(Solver):
    """Accelerated proximal gradient over blocks.

    A feature's weight is the sum over the blocks that hold it.
    """

    name = "apg"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        blocks = _Blocks(problem)
        if "variables" in previous.warm:
            start, point = padded(previous.warm["variables"], blocks.n_rows), previous.point
        else:
            start = np.zeros((blocks.n_rows, problem.n_outputs))
            point = problem.target.at_zero
        tau = previous.warm.get("tau", problem.lipschitz_guess())
        return fista(problem, blocks, start, point, tau)


class _Blocks(Geometry):
    """Weights of all blocks stacked row by row; must-keep columns are a block with a plain penalty."""

    def __init__(self, problem: Subproblem) -> None:
        blocks = [np.arange(problem.penalty.n_always), *problem.blocks]
        self.problem = problem
        self.positions = np.concatenate(blocks)
        self.n_rows = len(self.positions)
        self.sizes = np.array([len(block) for block in blocks])
        ends = np.cumsum(self.sizes)
        self.rows = [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]
        self.columns = [problem.columns[:, block] for block in blocks]
        self._gradient_products: tuple[Array, Array] | None = None

    def lengths(self, variables: Array) -> Array:
        return np.array([np.linalg.norm(variables[rows]) for rows in self.rows])

    def value(self, variables: Array) -> float:
        lengths = self.lengths(variables)
        return 0.5 * float(lengths[0] ** 2 + lengths[1:].sum() ** 2)

    def conjugate(self, dots: Array) -> float:
        squares = self.lengths(self.pull(dots)) ** 2
        return 0.5 * float(squares[0] + squares[1:].max(initial=0.0))

    def products(self, variables: Array) -> Array:
        return np.stack(
            [part @ variables[rows] for part, rows in zip(self.columns, self.rows, strict=True)]
        )

    def scores(self, products: Array) -> Array:
        return np.asarray(products.sum(axis=0))

    def pull(self, dots: Array) -> Array:
        return dots[self.positions]

    def step(
        self, ahead: Array, gradient: Array, tau: float, ahead_products: Array
    ) -> tuple[Array, Array]:
        # The prox only rescales each block, so a line search needs no pass over the data but
        # the one that gives X_t gradient_t, made once per gradient (eq. 42).
        if self._gradient_products is None or self._gradient_products[0] is not gradient:
            self._gradient_products = (gradient, self.products(gradient))
        point = ahead - gradient / tau
        factors = self.prox_factors(self.lengths(point), 1.0 / tau)
        products = ahead_products - self._gradient_products[1] / tau
        return point * np.repeat(factors, self.sizes)[:, None], factors[:, None, None] * products

    def prox_factors(self, lengths: Array, step: float) -> Array:
        """Algorithm 3: soft-threshold the block lengths; new length over old."""
        factors = np.zeros(len(lengths))
        factors[0] = 1.0 / (1.0 + step)
        free = lengths[1:]
        ordered = np.sort(free)[::-1]
        thresholds = step * np.cumsum(ordered) / (1.0 + step * np.arange(1, len(free) + 1))
        kept = np.flatnonzero(ordered > thresholds)
        if len(kept):
            shrunk = np.maximum(free - thresholds[kept[-1]], 0.0)
            factors[1:] = np.divide(shrunk, free, out=np.zeros_like(free), where=free > 0)
        return factors

    def weights(self, variables: Array) -> Array:
        total = np.zeros((self.problem.n_active, variables.shape[1]))
        np.add.at(total, self.positions, variables)
        return total

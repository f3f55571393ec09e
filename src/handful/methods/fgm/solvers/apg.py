"""The paper's PROX-FGM: one block of weights per round.

``min 1/2 (sum over t of |w_t|)^2 + loss(sum over t of X_t w_t)``    (eq. 38; Algorithms 3 and 4)

The paper keeps products of every block with the data so that a line search needs no further pass
(eq. 42). Here blocks are added up to weights of the distinct columns first: a search rarely
needs a second trial, and one product with those columns costs less than keeping one per block.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handful.methods.fgm.solvers.base import Array, Solution, Solver, Subproblem, padded
from handful.methods.fgm.solvers.fista import fista
from handful.methods.fgm.solvers.penalty import Geometry


class APG(Solver):
    """Accelerated proximal gradient over blocks.

    A feature's weight is the sum over the blocks that hold it.
    """

    name = "apg"

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        always = np.arange(problem.penalty.n_always_rows)
        blocks = Blocks([always, *problem.blocks], problem.n_active)
        if "variables" in previous.warm:
            start, point = padded(previous.warm["variables"], len(blocks)), previous.point
        else:
            start = np.zeros((len(blocks), problem.n_outputs))
            point = problem.target.at_zero
        tau = previous.warm.get("tau", problem.lipschitz_guess())
        return fista(problem, _BlockWeights(blocks), start, point, tau)


class Blocks:
    """Blocks of columns that may overlap: rows of all of them, one after the other.

    Parameters
    ----------
    members : sequence of position arrays
        The columns of each block; a block may be empty.
    n_columns : int

    Attributes
    ----------
    columns : ndarray
        The column of each row.
    owners : ndarray
        The block of each row.
    """

    def __init__(self, members: Sequence[Array], n_columns: int) -> None:
        self.n_columns = n_columns
        self.n_blocks = len(members)
        self.columns = np.concatenate([np.empty(0, dtype=np.int64), *members])
        self.owners = np.repeat(np.arange(self.n_blocks), [len(block) for block in members])

    def __len__(self) -> int:
        return len(self.columns)

    def sum_by_block(self, rows: Array) -> Array:
        """Add up one number per row for each block."""
        return np.bincount(self.owners, weights=rows, minlength=self.n_blocks)

    def sum_by_column(self, rows: Array) -> Array:
        """Add up one number per row for each column."""
        return np.bincount(self.columns, weights=rows, minlength=self.n_columns)


class _BlockWeights(Geometry):
    """Weights of all blocks stacked row by row.

    Must-keep columns are block 0, which has a plain squared penalty and may be empty.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.overlap = int(np.bincount(blocks.columns).max(initial=1))

    def squared_lengths(self, variables: Array) -> Array:
        return self.blocks.sum_by_block(np.einsum("jk,jk->j", variables, variables))

    def value(self, variables: Array) -> float:
        squares = self.squared_lengths(variables)
        return 0.5 * float(squares[0] + np.sqrt(squares[1:]).sum() ** 2)

    def prox(self, variables: Array, tau: float) -> Array:
        """Algorithm 3: soft-threshold the block lengths; block 0 only shrinks."""
        factors = np.empty(self.blocks.n_blocks)
        factors[0] = tau / (tau + 1.0)
        factors[1:] = shrink_together(np.sqrt(self.squared_lengths(variables)[1:]), tau)
        return variables * factors[self.blocks.owners, None]

    def conjugate(self, dots: Array) -> float:
        squares = self.squared_lengths(self.pull(dots))
        return 0.5 * float(squares[0] + squares[1:].max(initial=0.0))

    def weights(self, variables: Array) -> Array:
        return np.stack([self.blocks.sum_by_column(output) for output in variables.T], axis=1)

    def pull(self, dots: Array) -> Array:
        return dots[self.blocks.columns]


def shrink_together(lengths: Array, tau: float) -> Array:
    """New over old lengths in the prox of ``1/2 (sum of lengths)^2``: all lose the same amount.

    That amount is the sum of the new lengths divided by tau.
    """
    ordered = np.sort(lengths)[::-1]
    losses = np.cumsum(ordered) / (tau + np.arange(1, len(lengths) + 1))
    kept = np.flatnonzero(ordered > losses)
    if not len(kept):
        return np.zeros(len(lengths))
    shrunk = np.maximum(lengths - losses[kept[-1]], 0.0)
    return np.divide(shrunk, lengths, out=np.zeros_like(lengths), where=lengths > 0)

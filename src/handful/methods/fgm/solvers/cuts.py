"""The labelings a bundle has found so far, and their products with the columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from handful.losses.sums import inner
from handful.methods.fgm.solvers.base import Array, Point, Solution, Subproblem
from handful.methods.fgm.solvers.labelings import Labelings
from handful.methods.fgm.solvers.master import MasterSolution, root_of, solve_master

IDLE = 1e-6  # share of the weight of all cuts below which a cut does nothing
FEW_IDLE = 0.1  # share of the cuts
MAX_IDLE = 15  # small problems in a row after which a cut without weight is dropped


class Cuts(ABC):
    """K cuts ``(a_k, cost_k)``: the loss is never below any ``cost_k - a_k' z``.

    Each is of one output. A subclass knows the penalty and keeps the products it needs, column by column of ``a``.
    """

    kept_as: ClassVar[type[Labelings]] = Labelings

    def __init__(self, problem: Subproblem, previous: Solution) -> None:
        self.problem = problem
        self.sizes = problem.target.weight.max(axis=0)
        costs = np.asarray(previous.warm.get("costs", np.empty(0)))
        self.owner = np.asarray(previous.warm.get("owner", np.zeros(len(costs)))).astype(np.int64)
        # Kept per unit of C, which may have changed.
        size = self.sizes[self.owner]
        self.labelings = self.kept_as(previous.warm, size, len(problem.target.y))
        self.costs = size * costs
        self.idle = np.zeros(len(self.costs), dtype=np.int64)
        self._sums = self.labelings.sums()
        self.multiply()

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def a(self) -> Array:
        """``a_k`` as columns."""
        return self.labelings.columns

    @property
    def sums(self) -> Array | None:
        """``1' a_k`` when there is a free intercept."""
        return self._sums if self.problem.target.fit_intercept else None

    @property
    def n_outputs(self) -> int:
        """Outputs of the problem."""
        return self.problem.n_outputs

    def by_output(self, alpha: Array) -> Array:
        """The weights of the cuts as a column for each output, zero in those of others."""
        if self.n_outputs == 1:
            return alpha[:, None]
        return np.where(self.owner[:, None] == np.arange(self.n_outputs), alpha[:, None], 0.0)

    def add(self, points: Sequence[Sequence[Point]]) -> None:
        """Add the labelings found at some points of each output, and forget those without weight for long."""
        kept = self.idle <= MAX_IDLE
        if (~kept).sum() < FEW_IDLE * len(kept):
            kept = np.ones(len(kept), dtype=bool)  # not worth moving the others
        self.forget(kept)
        self.labelings.keep(np.flatnonzero(kept))
        found = [point for of_output in points for point in of_output]
        owner = np.repeat(np.arange(len(points)), [len(of_output) for of_output in points])
        self.labelings.add(np.hstack([point.a for point in found]))
        self._sums = np.append(self._sums[kept], self.labelings.sums(int(kept.sum())))
        self.owner = np.append(self.owner[kept], owner)
        self.costs = np.append(self.costs[kept], [point.cost for point in found])
        self.idle = np.append(self.idle[kept], np.zeros(len(found), dtype=np.int64))
        self.multiply()

    def note_use(self, alpha: Array) -> None:
        """Count for how long each cut has had no weight."""
        self.idle += 1
        self.note_more_use(alpha)

    def note_more_use(self, alpha: Array) -> None:
        """Note cuts that have weight in another small problem of the same step."""
        self.idle[alpha > IDLE * self.by_output(alpha).sum(axis=0)[self.owner]] = 0

    def mixing(self, master: MasterSolution) -> Callable[[], Array]:
        """What makes ``sum over cuts of alpha_k a_k``, whatever has become of the cuts by then."""
        return self.labelings.mixing(self.by_output(master.alpha))

    def cost(self, master: MasterSolution) -> float:
        """``sum over cuts of alpha_k cost_k``."""
        return float(self.costs @ master.alpha)

    def to_start_from(self) -> dict[str, Array]:
        """The cuts in use, for the next, larger problem."""
        kept = self.idle == 0
        size = self.sizes[self.owner[kept]]
        start = self.labelings.to_start_from(kept, size) | {"costs": self.costs[kept] / size}
        return start if self.n_outputs == 1 else start | {"owner": self.owner[kept].astype(float)}

    @abstractmethod
    def multiply(self) -> None:
        """Bring the products up to date with the cuts that were added."""

    @abstractmethod
    def forget(self, kept: Array) -> None:
        """Drop the products of the other cuts."""

    @abstractmethod
    def solve(self) -> MasterSolution:
        """Solve the small problem."""

    @abstractmethod
    def bound(self, master: MasterSolution) -> float:
        """The dual objective at alpha: no model has a lower one."""

    @abstractmethod
    def penalty(self, master: MasterSolution) -> float:
        """Omega of the model that the small problem found."""

    @abstractmethod
    def weights(self, master: MasterSolution) -> Array:
        """Its weights, (n_active, n_outputs)."""

    @abstractmethod
    def scores(self, master: MasterSolution) -> Array:
        """Its raw predictions without the intercept, (n_samples, n_outputs)."""


class BlockCuts(Cuts):
    """For the blocks of the paper: ``1/2 |w_0|^2 + 1/2 (sum over t of |w_t|)^2``; w_0 is must-keep.

    With several outputs the length of a block is that of its weights for all of them. Products of cuts of
    different outputs are nowhere asked for: each has weights of its own.
    """

    dots: Array | None = None

    def multiply(self) -> None:
        n_known = 0 if self.dots is None else self.dots.shape[1]
        new = self.problem.dots(self.a[:, n_known:])
        self.dots = new if self.dots is None else np.hstack([self.dots, new])
        always = self.dots[: self.problem.penalty.n_always_rows]
        self.gram = (always.T @ always) * (self.owner[:, None] == self.owner)

    def forget(self, kept: Array) -> None:
        self.dots = None if self.dots is None else self.dots[:, kept]

    def solve(self) -> MasterSolution:
        roots = [self._root(block) for block in self.problem.blocks]
        return solve_master(self.gram, self.costs, self.sums, roots, self.owner)

    def _root(self, block: Array) -> Array:
        """R with ``|R alpha|`` the length of a block's image, all outputs together."""
        dots = self._dots()[block]
        if self.n_outputs == 1:
            return root_of(dots)
        rows = []
        for c in range(self.n_outputs):
            own = np.flatnonzero(self.owner == c)
            root = root_of(dots[:, own])
            rows.append(np.zeros((len(root), len(self))))
            rows[-1][:, own] = root
        return np.vstack(rows)

    def _image(self, master: MasterSolution) -> Array:
        """``X' sum over cuts of alpha_k a_k``, (n_active, n_outputs)."""
        return self._dots() @ self.by_output(master.alpha)

    def bound(self, master: MasterSolution) -> float:
        image = self._image(master)
        longest = max((inner(image[b], image[b]) for b in self.problem.blocks), default=0.0)
        return float(self.costs @ master.alpha) - 0.5 * (self._always(image) + longest)

    def penalty(self, master: MasterSolution) -> float:
        image = self._image(master)
        return 0.5 * (self._always(image) + float(master.lengths.sum()) ** 2)

    def _always(self, image: Array) -> float:
        """Squared length of the weights of must-keep columns; see PlainCuts.penalty."""
        always = image[: self.problem.penalty.n_always_rows]
        return inner(always, always)

    def weights(self, master: MasterSolution) -> Array:
        image = self._image(master)
        n_always = self.problem.penalty.n_always_rows
        weights = np.zeros_like(image)
        weights[:n_always] = image[:n_always]
        for block, length in zip(self.problem.blocks, master.lengths, strict=True):
            norm = float(np.linalg.norm(image[block]))
            if norm > 0:  # the weights of a block point along its image
                np.add.at(weights, block, length / norm * image[block])
        return weights

    def scores(self, master: MasterSolution) -> Array:
        return self.problem.scores(self.weights(master))

    def _dots(self) -> Array:
        return np.empty((self.problem.n_active, 0)) if self.dots is None else self.dots

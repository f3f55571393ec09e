"""The cuts of a bundle where the penalty is the plain square and columns are fewer than samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from handful.kernels.labelings import csr_signed_sums
from handful.methods.fgm.solvers.base import Array, Subproblem
from handful.methods.fgm.solvers.labelings import SignedLabelings
from handful.methods.fgm.solvers.master import MasterSolution
from handful.methods.fgm.solvers.plain_cuts import PlainCuts
from handful.spaces.growing import GrowingColumns


class ColumnCuts(PlainCuts):
    """For ``1/2 |w|^2`` of one output whose labelings are right or wrong: ``X' A`` is kept, and of A a byte for each entry.

    A labeling has few samples wrong where positives are few. Its product with sparse rows takes as many steps as these have
    entries, and what all cuts say of a model is asked of its weights: neither takes a pass over the samples.
    """

    kept_as = SignedLabelings
    labelings: SignedLabelings
    _dots: GrowingColumns | None = None

    @staticmethod
    def suit(problem: Subproblem) -> bool:
        """Whether there are fewer columns than samples, and signs tell all there is of a labeling."""
        return problem.n_active <= len(problem.target.y) and problem.target.loss.labels_rows

    @property
    def dots(self) -> Array:
        """``X' a_k`` as columns."""
        return np.empty((self.problem.n_active, 0)) if self._dots is None else self._dots.columns

    def multiply(self) -> None:
        n_known = self.dots.shape[1]
        new = self._products(self.labelings.signs[:, n_known:]) * self.labelings.sizes[n_known:]
        if self._dots is None:
            self._dots = GrowingColumns(np.asfortranarray(new))
        else:
            self._dots.add(new)
        self._extend_gram(self.dots[:, :n_known].T @ new, new.T @ new)

    def _products(self, signs: Array) -> Array:
        columns = self.problem.columns
        if not sp.issparse(columns):
            return np.asarray(columns.T @ signs.astype(np.float64))
        dots = np.zeros((columns.shape[1], signs.shape[1]), order="F")
        csr_signed_sums(columns.indptr, columns.indices, columns.data, signs, dots)
        return dots

    def _forget_products(self, kept: Array) -> None:
        if self._dots is not None:
            self._dots.keep(kept)

    def values_at(self, weights: Array, scores: Array) -> Array:
        return np.asarray(self.dots.T @ weights[:, 0])

    def weights(self, master: MasterSolution) -> Array:
        return (self.dots @ master.alpha)[:, None]

    def mixing(self, master: MasterSolution) -> Callable[[], Array]:
        return self.labelings.mixing(self.by_output(master.alpha))

    def scores(self, master: MasterSolution) -> Array:
        return self.problem.scores(self.weights(master))

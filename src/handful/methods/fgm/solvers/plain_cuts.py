"""The cuts of a bundle where the penalty is the plain square, and the small problem over them.

Without blocks there are no cones, and :mod:`handful.methods.fgm.solvers.master` is more than is needed: an active-set
method takes up the shares of the last small problem, and the few cuts that are new change little. Where
rounding keeps it from an answer, Clarabel gives one. Where columns are fewer than samples, fewer numbers are kept of each cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy.sparse as sp

from handful.kernels.labelings import csr_signed_sums
from handful.kernels.simplex_qp import simplex_qp
from handful.losses.sums import inner
from handful.methods.checkpoint_file import finite
from handful.methods.fgm.solvers.base import Array, Subproblem
from handful.methods.fgm.solvers.cuts import Cuts
from handful.methods.fgm.solvers.labelings import SignedLabelings
from handful.methods.fgm.solvers.master import TINY, MasterSolution, solve_master
from handful.spaces.columns import GrowingColumns

CLOSE = 1e-15
CLOSE_ENOUGH, SHARE = 1e-8, 0.01  # of the tolerance
FEASIBLE = 1e-9
CHANGES_PER_CUT, MORE_CHANGES = 3, 100


class PlainCuts(Cuts):
    """For ``1/2 |w|^2`` of one output, on any number of columns: nothing of their number times K is kept.

    With ``U = X X' A`` the Gram matrix is ``A' U``, and ``X w = U alpha`` costs no pass over X.
    """

    gram = np.empty((0, 0))
    #: a column of products for each cut: ``U``, or what a subclass keeps in its place
    _products: GrowingColumns | None = None
    _alpha = _near_alpha = np.empty(0)
    # The mixture and the weights that were asked for last.
    _mixed: tuple[MasterSolution, Array, Array] | None = None

    def multiply(self) -> None:
        n_known = len(self.gram)
        columns, new = self.problem.columns, self.a[:, n_known:]
        images = np.asarray(columns @ np.asarray(columns.T @ new))
        self._take_in(images, self.a[:, :n_known].T @ images, new.T @ images)

    def _take_in(self, products: Array, across: Array, within: Array) -> None:
        """Keep products of new cuts, and extend the Gram matrix: by those with known cuts, and among themselves."""
        if self._products is None:
            self._products = GrowingColumns(np.asfortranarray(products))
        else:
            self._products.add(products)
        self.gram = np.block([[self.gram, across], [across.T, 0.5 * (within + within.T)]])

    def forget(self, kept: Array) -> None:
        if kept.all():
            return
        self.gram = self.gram[np.ix_(kept, kept)]
        # Either may be of a time before the last cuts came.
        self._alpha = self._alpha[kept[: len(self._alpha)]]
        self._near_alpha = self._near_alpha[kept[: len(self._near_alpha)]]
        if self._products is not None:
            self._products.keep(np.flatnonzero(kept))

    def solve(self) -> MasterSolution:
        # The shares of a problem near some model are as good a start, and may be newer.
        start = max(self._alpha, self._near_alpha, key=self._dual_value)
        master = self._solve(self.gram, self.costs, start)
        self._alpha = master.alpha
        return master

    def values_at(self, weights: Array, scores: Array) -> Array:
        """``a_k' X w`` of a model, told by its weights and its scores."""
        return np.asarray(self.a.T @ scores[:, 0])

    def solve_near(self, weights: Array, scores: Array, tau: float) -> MasterSolution:
        """Solve with ``1/2 (tau - 1) |w - v|^2`` added; weights and scores are those of v.

        The square completed, that is the same problem for ``w - (1 - 1 / tau) v``, and ``w = v + (X' A alpha - v) / tau``.
        """
        covered = (1.0 - 1.0 / tau) * self.values_at(weights, scores)
        master = self._solve(self.gram / tau, self.costs - covered, self._near_alpha)
        self._near_alpha = master.alpha
        return master

    def _solve(self, gram: Array, costs: Array, start: Array) -> MasterSolution:
        start = np.append(start, np.zeros(len(gram) - len(start)))
        return solve_plain_master(gram, costs, self.sums, start, self.problem.tol)

    def _dual_value(self, alpha: Array) -> float:
        n_known = len(alpha)
        image = self.gram[:n_known, :n_known] @ alpha
        return float(self.costs[:n_known] @ alpha - 0.5 * (alpha @ image))

    def bound(self, master: MasterSolution) -> float:
        return float(self.costs @ master.alpha) - self.penalty(master)

    def penalty(self, master: MasterSolution) -> float:
        # Not by the Gram matrix: its entries may be so large that nothing is left of their difference.
        weights = self.weights(master)
        return 0.5 * inner(weights, weights)

    def mixing(self, master: MasterSolution) -> Callable[[], Array]:
        mixture = self._mixture_and_weights(master)[0]
        return lambda: mixture

    def weights(self, master: MasterSolution) -> Array:
        return self._mixture_and_weights(master)[1]

    def _mixture_and_weights(self, master: MasterSolution) -> tuple[Array, Array]:
        if self._mixed is None or self._mixed[0] is not master:
            mixture = super().mixing(master)()
            self._mixed = master, mixture, self.problem.dots(mixture)
        return self._mixed[1:]

    def scores(self, master: MasterSolution) -> Array:
        return (self._known_products @ master.alpha)[:, None]

    @property
    def _known_products(self) -> Array:
        products = self._products
        return np.empty((self._n_product_rows, 0)) if products is None else products.columns

    @property
    def _n_product_rows(self) -> int:
        return len(self.problem.target.y)

    def to_arrays(self) -> dict[str, Array]:
        """All that is known of the cuts; they are of one output."""
        return self.labelings.to_arrays() | {
            "costs": self.costs,
            "sums": self._sums,
            "idle": self.idle,
            "gram": self.gram,
            "products": self._known_products,
            "shares": self._alpha,
            "near_shares": self._near_alpha,
        }

    def fill(self, arrays: Mapping[str, Array]) -> None:
        """Take such cuts of the same problem in place of all; KeyError or ValueError where they are none."""
        n_cuts, idle = arrays["costs"].size, arrays["idle"]
        if not (n_cuts and idle.dtype == np.int64 and idle.shape == (n_cuts,) and idle.min() >= 0):
            raise ValueError("cuts, and for how long each was idle, do not belong together")
        self.labelings.fill(arrays, (len(self.problem.target.y), n_cuts))
        self.costs, self._sums = (finite(arrays, name, (n_cuts,)) for name in ("costs", "sums"))
        self.idle, self.owner = idle.copy(), np.zeros(n_cuts, dtype=np.int64)
        self.gram = finite(arrays, "gram", (n_cuts, n_cuts))
        products = finite(arrays, "products", (self._n_product_rows, n_cuts))
        self._products = GrowingColumns(np.asfortranarray(products))
        self._alpha, self._near_alpha = (
            # Of the last cuts that came there may be none yet.
            finite(arrays, name, (min(arrays[name].size, n_cuts),))
            for name in ("shares", "near_shares")
        )


def solve_plain_master(
    gram: Array, costs: Array, sums: Array | None, start: Array, tol: float
) -> MasterSolution:
    """Solve as :func:`solve_master` does without blocks, from the shares ``start`` on.

    An answer that rounding keeps from being exact will do if its relative gap is far below ``tol``.
    """
    unit = max(float(np.abs(costs).max()), TINY)
    largest_sum = 1.0 if sums is None else max(float(np.abs(sums).max()), TINY)
    balance = np.zeros(len(costs)) if sums is None else sums / largest_sum
    alpha = start.copy()
    max_changes = CHANGES_PER_CUT * len(costs) + MORE_CHANGES
    multiplier, gap = simplex_qp(gram / unit, costs / unit, balance, alpha, CLOSE, max_changes)
    is_feasible = abs(float(balance @ alpha)) <= FEASIBLE and alpha.sum() <= 1.0 + FEASIBLE
    if not (is_feasible and gap <= max(SHARE * tol, CLOSE_ENOUGH)):
        return solve_master(gram, costs, sums, [])
    alpha /= max(1.0, float(alpha.sum()))
    return MasterSolution(alpha, np.array([multiplier * unit / largest_sum]), np.empty(0))


class ColumnCuts(PlainCuts):
    """For ``1/2 |w|^2`` of one output whose labelings are right or wrong: ``X' A`` is kept, and of A a byte for each entry.

    A labeling has few samples wrong where positives are few. Its product with sparse rows takes as many steps as these have
    entries, and what all cuts say of a model is asked of its weights: neither takes a pass over the samples.
    """

    kept_as = SignedLabelings
    labelings: SignedLabelings

    @staticmethod
    def suit(problem: Subproblem) -> bool:
        """Whether there are fewer columns than samples, and signs tell all there is of a labeling."""
        return problem.n_active <= len(problem.target.y) and problem.target.loss.labels_rows

    @property
    def dots(self) -> Array:
        """``X' a_k`` as columns."""
        return self._known_products

    @property
    def _n_product_rows(self) -> int:
        return self.problem.n_active

    def multiply(self) -> None:
        n_known = self.dots.shape[1]
        new = self._signed_sums(self.labelings.signs[:, n_known:]) * self.labelings.sizes[n_known:]
        self._take_in(new, self.dots[:, :n_known].T @ new, new.T @ new)

    def _signed_sums(self, signs: Array) -> Array:
        columns = self.problem.columns
        if not sp.issparse(columns):
            return np.asarray(columns.T @ signs.astype(np.float64))
        dots = np.zeros((columns.shape[1], signs.shape[1]), order="F")
        csr_signed_sums(columns.indptr, columns.indices, columns.data, signs, dots)
        return dots

    def values_at(self, weights: Array, scores: Array) -> Array:
        return np.asarray(self.dots.T @ weights[:, 0])

    def weights(self, master: MasterSolution) -> Array:
        return (self.dots @ master.alpha)[:, None]

    def mixing(self, master: MasterSolution) -> Callable[[], Array]:
        return self.labelings.mixing(self.by_output(master.alpha))

    def scores(self, master: MasterSolution) -> Array:
        return self.problem.scores(self.weights(master))

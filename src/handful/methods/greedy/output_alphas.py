"""An alpha for each output and each length of a path: of a grid, the one with its least leave-one-out error.

Errors are those of every output by itself, for any alpha and all lengths of a run at once.
With the QR factors ``[S^(1/2) X; sqrt(alpha) I] = [Q_1; Q_2] R`` of the centred columns in the order they entered,
``G = G_0 - U U'`` for ``U = S^(1/2) Q_1`` (see smoother.py), and the first columns of U are those of a shorter run. From
the weighted residuals A of one length those of the next few are ``A - U C``, U the columns between and ``C = U'Y``, and the
errors of output l with the weights v of that length are

``sum_i v_i (a_il - u_i' c_l)^2  =  sum_i v_i a_il^2 - 2 c_l' (U'V a_l) + c_l' (U'V U) c_l.``

So the residuals are written once for several lengths, and the rest is products of matrices, a few rows at a time:
O(n t) for each length and alpha, with n samples and t outputs, whatever the length is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from handful.kernels.greedy_rls import LEAST_SHARE
from handful.methods.greedy.path import Path, Run
from handful.methods.greedy.reduced_rows import ridge_factors
from handful.methods.greedy.search import Search
from handful.methods.greedy.smoother import loo_denominators, loo_weights
from handful.sizes import current_sizes, slices
from handful.spaces.base import NO_IDS, Array, dense_rows
from handful.threads import map_apart

#: Errors that differ by less than this share are equal; the larger alpha is then taken.
TIE = 1e-9
#: So are errors below this share of the squares of an output: those of a constant are rounding.
NEGLIGIBLE = 1e-28
#: Lengths that differ by fewer columns than this share the residuals of the first of them.
SPAN = 6
#: Threads that can share the chunks of rows.
PARTS = 16

#: Places in the grid, one for each output, by the alpha of a run and the columns in its model.
PlacesByRun = dict[tuple[float, int], Array]


@dataclass(frozen=True)
class OutputAlphas:
    """The alphas that outputs have in the best run of every length.

    Attributes
    ----------
    grid : ndarray
    places : ndarray of shape (n_lengths, n_outputs)
        In the grid.
    """

    grid: Array
    places: Array

    @classmethod
    def choose(cls, path: Path, search: Search, grid: Array, found: PlacesByRun) -> OutputAlphas:
        """Find them all; what was found before is not computed again, and what is new is added to it."""
        best = [path.best(n) for n in range(1, len(path.errors) + 1)]
        for alpha in dict.fromkeys(run.alpha for run in best):
            own = [run for run in best if run.alpha == alpha]
            sizes = sorted({run.n_features[-1] for run in own})
            wanted = [size for size in sizes if (alpha, size) not in found]
            if wanted:
                longest = max(own, key=lambda run: len(run.groups))
                places = _places(_errors_of(longest, search), grid, np.array(wanted))
                found |= {(alpha, size): row for size, row in zip(wanted, places, strict=True)}
        return cls(grid, np.array([found[run.alpha, run.n_features[-1]] for run in best]))

    @property
    def last(self) -> Array:
        """Those of the longest model."""
        return self.grid[self.places[-1]]

    def up_to(self, n_lengths: int) -> OutputAlphas:
        """Return those of shorter models only."""
        return OutputAlphas(self.grid, self.places[:n_lengths])

    def to_plain(self) -> dict[str, Array]:
        """Return the parts by name."""
        return {"output_grid": self.grid, "output_places": self.places}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Array], shape: tuple[int, int]) -> OutputAlphas | None:
        """Undo :meth:`to_plain`; None where no part is there, ValueError where they do not fit."""
        if "output_places" not in plain:
            return None
        grid, places = plain["output_grid"], plain["output_places"]
        fits = grid.ndim == 1 and (grid > 0).all() and places.dtype.kind == "u"
        if not fits or places.shape != shape or places.max() >= len(grid):
            raise ValueError("the alphas of outputs in path_ are of another path")
        return cls(grid, places)


def _errors_of(run: Run, search: Search) -> OutputErrors:
    problem = search.problem
    members = np.concatenate([NO_IDS, *(search.groups.members(group) for group in run.groups)])
    _, places = np.unique(members, return_index=True)
    rows = dense_rows(problem.space, members[np.sort(places)])
    return OutputErrors(rows, problem.y, problem.weight, problem.fit_intercept, search.n_threads)


def _places(errors: OutputErrors, grid: Array, sizes: Array) -> Array:
    """Return the place of the best alpha in the grid for each length and output."""
    negligible = NEGLIGIBLE * errors.squares
    shape = (len(sizes), len(negligible))
    least, places = np.full(shape, np.inf), np.zeros(shape, dtype=np.uint16)
    for place in np.argsort(-grid, kind="stable"):
        sums = errors.sums(float(grid[place]), sizes)
        is_less = (sums < (1.0 - TIE) * least) & (least > negligible)
        least[is_less], places[is_less] = sums[is_less], place
    return places


class OutputErrors:
    """The columns of a run and the outputs, ready for any alpha.

    Parameters
    ----------
    rows : ndarray of shape (n_columns, n_samples)
        The columns in the order they entered, as rows.
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    fit_intercept : bool
    n_threads : int
    """

    def __init__(
        self, rows: Array, Y: Array, weight: Array, fit_intercept: bool, n_threads: int = 1
    ) -> None:
        self._n_threads = n_threads
        share = weight / weight.sum() if fit_intercept else np.zeros(len(weight))
        self._Y, self._weight, self._means = Y, weight, share @ Y
        self._root = np.sqrt(weight)
        self._Q, self._R = np.linalg.qr(((rows - (rows @ share)[:, None]) * self._root).T)
        targets = (self._root[:, None] * self._Q).T @ Y
        self._targets = targets - np.outer(self._root @ self._Q, self._means)
        self._loo_weight = loo_weights(weight)
        self._denominators = loo_denominators(weight, fit_intercept)

    @property
    def squares(self) -> Array:
        """Weighted sum of squares of each output."""
        return np.einsum("i,il,il->l", self._weight, self._Y, self._Y, optimize=False)

    def sums(self, alpha: float, sizes: Array) -> Array:
        """Return the weighted sums of squared errors with the first so many columns.

        Parameters
        ----------
        alpha : float
        sizes : ndarray of int64
            Numbers of columns, ascending.

        Returns
        -------
        sums : ndarray of shape (n_sizes, n_outputs)
        """
        basis = ridge_factors(self._R, alpha)[0][:, : sizes[-1]]  # Q_1 in that of the columns
        C = basis.T @ self._targets
        blocks = [_Block.of(block, sizes) for block in _neighbours(sizes)]

        def sums_over(part: list[slice]) -> Array:
            sums = np.zeros((len(sizes), self._Y.shape[1]))
            for rows in part:
                U = self._root[rows, None] * (self._Q[rows] @ basis)
                V = self._factors(rows, U, sizes)
                A = np.subtract(self._Y[rows], self._means, order="C")
                A *= self._weight[rows, None]
                n_in = 0
                for block in blocks:
                    first = block.columns.start
                    A -= U[:, n_in:first] @ C[n_in:first]
                    sums[block.lengths] += block.sums(A, U, C, V)
                    n_in = first
            return sums

        # The products are too small for BLAS to share.
        return np.add.reduce(map_apart(sums_over, self._parts(max(C.shape)), self._n_threads))

    def _factors(self, rows: slice, U: Array, sizes: Array) -> Array:
        """Return v for some samples, a column for each length: what their squared residuals count."""
        before = self._denominators[rows, None]
        left = before - np.cumsum(U * U, axis=1)[:, sizes - 1]
        return self._loo_weight[rows, None] / np.maximum(left, LEAST_SHARE * before) ** 2

    def _parts(self, width: int) -> list[list[slice]]:
        """Cut the samples into chunks, and these into parts: the same for any number of threads."""
        n_rows = max(1, current_sizes().residual_entries // width)
        chunks = list(slices(len(self._Y), n_rows))
        return [chunks[part] for part in slices(len(chunks), -(-len(chunks) // PARTS))]


class _Block:
    """Lengths that share the residuals of the first of them.

    Attributes
    ----------
    lengths : slice
        Their places among all lengths.
    columns : slice
        The columns that the first does not have and the last has.
    """

    def __init__(self, lengths: slice, columns: slice, n_more: Array) -> None:
        self.lengths, self.columns = lengths, columns
        # A pair for each length and each column that it has beyond the first.
        self._length, self._column = np.nonzero(np.arange(n_more[-1]) < n_more[:, None])
        self._has = np.arange(n_more[-1]) < n_more[self._length, None]
        self._of_length = np.equal.outer(np.arange(len(n_more)), self._length).astype(np.float64)

    @classmethod
    def of(cls, lengths: slice, sizes: Array) -> _Block:
        own = sizes[lengths]
        return cls(lengths, slice(int(own[0]), int(own[-1])), own - own[0])

    def sums(self, A: Array, U: Array, C: Array, V: Array) -> Array:
        """Return the sums over some samples; A are residuals of the first length."""
        U, C, V = U[:, self.columns], C[self.columns], V[:, self.lengths]
        sums = V.T @ (A * A)
        if len(self._length):
            weighted = (U[:, self._column] * V[:, self._length]).T
            inner = np.where(self._has, weighted @ U, 0.0) @ C - 2.0 * (weighted @ A)
            sums += self._of_length @ (C[self._column] * inner)
        return np.asarray(sums)


def _neighbours(sizes: Array) -> Iterator[slice]:
    """Cut ascending sizes where SPAN is reached."""
    first = 0
    while first < len(sizes):
        stop = int(np.searchsorted(sizes, sizes[first] + SPAN))
        yield slice(first, stop)
        first = stop

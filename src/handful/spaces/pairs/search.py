"""Which id stands for which product of columns; what a search for the best of them must provide, and what it fills."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from handful.kernels.pairs import pair_number, pairs_of_numbers
from handful.spaces.base import NO_IDS, Array, ascending, best_of

ALONE = -1  # in place of the second column of a linear feature


@dataclass(frozen=True)
class PairNumbering:
    """Ids of the linear features, then of the pairs, row by row of the upper triangle.

    For three columns these are x0, x1, x2, x0 x0, x0 x1, x0 x2, x1 x1, x1 x2, x2 x2; without squares
    x0, x1, x2, x0 x1, x0 x2, x1 x2; without linear features the pairs start at id 0.

    Parameters
    ----------
    n_columns : int
    apart : int
        0 when a column pairs with itself, 1 when not.
    n_linear : int
        ``n_columns`` or 0.
    """

    n_columns: int
    apart: int
    n_linear: int

    @property
    def n_features(self) -> int:
        n_rows = self.n_columns - self.apart
        return self.n_linear + n_rows * (n_rows + 1) // 2

    def encode(self, left: Array, right: Array) -> Array:
        """Return the ids of pairs of columns, ``left <= right``."""
        numbers: Array = pair_number(left, right, self.n_columns, self.apart)
        return self.n_linear + numbers

    def decode(self, ids: Array) -> tuple[Array, Array]:
        """Return both columns of each feature; the second is ``ALONE`` for a linear one."""
        left, right = ids.copy(), np.full_like(ids, ALONE)
        paired = ids >= self.n_linear
        left[paired], right[paired] = pairs_of_numbers(
            ids[paired] - self.n_linear, self.n_columns, self.apart
        )
        return left, right


class Best:
    """The k best of all features it was shown, best first, ties to the lower id.

    Parameters
    ----------
    k : int
    exclude : ndarray of int64, optional
        Ids to pass over.

    Attributes
    ----------
    ids, scores : ndarray
    exclude : ndarray of int64, ascending
    """

    def __init__(self, k: int, exclude: Array | None = None) -> None:
        self.k = k
        self.exclude = ascending(exclude)
        self.ids = NO_IDS
        self.scores = np.empty(0)

    @property
    def floor(self) -> float:
        """A score below this is of no interest any more."""
        return float(self.scores[-1]) if len(self.ids) == self.k else 0.0

    def add(self, ids: Array, scores: Array) -> None:
        """Take in features that were not shown before."""
        self.ids, self.scores = best_of(
            np.concatenate([self.ids, ids]),
            np.concatenate([self.scores, scores]),
            self.k,
            self.exclude,
        )


@dataclass(frozen=True)
class PairQuery:
    """What pairs are searched for.

    Attributes
    ----------
    a : ndarray of shape (n_samples, n_outputs)
    reach : ndarray of shape (n_columns,)
        Of each column, as :meth:`PairSearch.column_sums` tells it.
    factor : float
        What the squared product of a pair with a is multiplied by.
    numbering : PairNumbering
    n_threads : int
    """

    a: Array
    reach: Array
    factor: float
    numbering: PairNumbering
    n_threads: int


class PairSearch(ABC):
    """The products of two columns of a matrix, searched in the way that suits its storage."""

    @abstractmethod
    def column_sums(self, a: Array, n_threads: int) -> Array:
        """Return three rows: linear score, square score and reach of each column.

        No pair of two columns scores more than ``(reach_i reach_j)^2``.
        """

    @abstractmethod
    def add_best(self, best: Best, query: PairQuery) -> None:
        """Show ``best`` the pairs of two columns that it may want, with their scores."""


class TiledPairs(PairSearch):
    """Searched tile by tile of ``X' diag(a) X``.

    Columns are ranked by their reach; a tile whose best conceivable score is too low is not computed, nor are
    those beyond it.
    """

    @abstractmethod
    def tile_sizes(self, n_outputs: int) -> tuple[int, int, int]:
        """Return the height of tiles, the width of the first, and what widths double to at most."""

    @abstractmethod
    def add_tile(self, best: Best, query: PairQuery, tile: Tile) -> None:
        """Show ``best`` the pairs of a tile that it may want."""

    def add_best(self, best: Best, query: PairQuery) -> None:
        reach, factor = query.reach, query.factor
        order = np.argsort(-reach, kind="stable")
        order = order[reach[order] > 0]
        height, width, most = self.tile_sizes(query.a.shape[1])
        for top in range(0, len(order), height):
            side = top
            while side < len(order):
                if factor * (reach[order[top]] * reach[order[side]]) ** 2 < best.floor:
                    break
                tile = Tile(order[top : top + height], order[side : side + width], side == top)
                self.add_tile(best, query, tile)
                side, width = side + width, min(2 * width, most)
            if side == top:
                return


@dataclass(frozen=True)
class Tile:
    """Some columns and those they are paired with.

    Attributes
    ----------
    upper, lower : ndarray of int64
    is_first : bool
        Whether lower begins with upper: of these every pair counts once.
    """

    upper: Array
    lower: Array
    is_first: bool

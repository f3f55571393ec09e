"""Of columns that are nearly multiples of each other one is enough: which it is, and what it carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from handful.sizes import current_sizes, slices
from handful.spaces.base import Array, ExplicitSpace

#: Columns compared with all others at a time.
BLOCK = 500


@dataclass(frozen=True)
class Copies:
    """Columns of a ranking, best first, each with the one that stands for it.

    Attributes
    ----------
    leaders : ndarray of int64
        For each the first that it is a copy of and that is not a copy itself; its own position where
        there is none.
    slopes : ndarray
        What each column is in units of its leader, about their means: 1 for a leader.
    """

    leaders: Array
    slopes: Array

    @classmethod
    def among(
        cls, moments: Iterable[Array], deviations: Array, limit: float | None = None
    ) -> Copies:
        """Walk down a ranking.

        Parameters
        ----------
        moments : iterable of ndarray
            Rows of the matrix of covariances, some at a time.
        deviations : ndarray
            Roots of its diagonal.
        limit : float, optional
            Of the correlation, from which on columns are copies, whatever its sign.
        """
        limit = current_sizes().copies_correlation if limit is None else limit
        leaders = np.arange(len(deviations))
        slopes = np.ones(len(deviations))
        start = 0
        for rows in moments:
            for at, row in enumerate(rows, start):
                alike = np.abs(row[:at]) >= limit * deviations[at] * deviations[:at]
                ahead = np.flatnonzero(alike & (deviations[:at] > 0))
                ahead = ahead[leaders[ahead] == ahead]
                if len(ahead):
                    leaders[at] = ahead[0]
                    slopes[at] = row[ahead[0]] / deviations[ahead[0]] ** 2
            start += len(rows)
        return cls(leaders, slopes)

    @property
    def is_leader(self) -> Array:
        """Which columns are no copies of a better one."""
        return np.asarray(self.leaders == np.arange(len(self.leaders)))

    @property
    def n_different(self) -> int:
        """How many columns are no copies of a better one."""
        return int(np.count_nonzero(self.is_leader))

    def together(self, weights: Array) -> Array:
        """Let leaders carry the weights, one row for each column, of their copies, which then have none."""
        total = np.where(self.is_leader[:, None], weights, 0.0)
        copies = np.flatnonzero(~self.is_leader)
        np.add.at(total, self.leaders[copies], self.slopes[copies, None] * weights[copies])
        return total

    def best(self, scores: Array, k: int) -> Array:
        """Return the positions of the k leaders with the largest scores; then copies follow, as they rank."""
        order = np.argsort(np.where(self.is_leader, -scores, np.inf), kind="stable")
        return order[:k]

    def unless(self, taken: Array) -> Copies:
        """Return the same, but that columns at these positions stand for themselves."""
        leaders, slopes = self.leaders.copy(), self.slopes.copy()
        leaders[taken], slopes[taken] = taken, 1.0
        return Copies(leaders, slopes)


def depth(n_rows: int, k: int) -> int:
    """Return how many columns of a ranking are compared where k are wanted."""
    most = current_sizes()
    return max(2 * k, min(most.compared_columns, most.compared_entries // n_rows))


def covariances(space: ExplicitSpace, ids: Array, means: Array, weight: Array) -> Iterator[Array]:
    """Make rows of the covariances of some columns; sparse ones stay sparse.

    Parameters
    ----------
    space : ExplicitSpace
    ids : ndarray of int64
    means : ndarray
        Of these columns.
    weight : ndarray of shape (n_samples,)
    """
    share = weight / weight.sum()
    columns = space.columns(ids)
    is_sparse = sp.issparse(columns)
    columns = sp.csc_array(columns) if is_sparse else columns - means
    for part in slices(len(ids), BLOCK):
        some = columns[:, part]
        if is_sparse:
            found = (some.T @ (sp.diags_array(share) @ columns)).toarray()
            yield found - np.outer(means[part], means)
        else:
            yield (share[:, None] * some).T @ columns

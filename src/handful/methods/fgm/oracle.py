"""The oracle: which features would help most right now (the paper's worst-case analysis)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.spaces.active import ActiveColumns
from handful.spaces.base import Array, FeatureSpace, sum_runs

# A column whose correlation with a is below this is noise of the arithmetic, not signal:
# constant columns under an intercept, for instance.
NO_CORRELATION = 1e-9


@dataclass(frozen=True)
class Cut:
    """The best-scoring features for a dual point, best first."""

    ids: Array
    scores: Array

    def best(self, count: int) -> Cut:
        """Keep the first ``count``."""
        return Cut(self.ids[:count], self.scores[:count])


def find_cut(space: FeatureSpace, a: Array, count: int, exclude: Array | None = None) -> Cut:
    """Return the ``count`` features with the largest scores ``|x_j' a|^2``, passing over some."""
    return Cut(*space.top(a, count, exclude))


def has_signal(active: ActiveColumns, positions: Array, a: Array) -> Array:
    """Say which of the active features at some positions correlate with a beyond rounding."""
    columns = active.columns_of(positions)
    dots = np.asarray(active.matrix[:, columns].T @ a)
    squares = np.einsum("jk,jk->j", dots, dots)
    reach = active.squared_norms[columns] * np.einsum("ik,ik->", a, a)
    is_useful = squares > NO_CORRELATION**2 * reach
    return sum_runs(is_useful, active.widths[positions]) > 0

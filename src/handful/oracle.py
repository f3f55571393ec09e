"""The oracle: which features would help most right now (the paper's worst-case analysis)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.spaces.base import FeatureSpace

Array = np.ndarray

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


def has_signal(dots: Array, squared_norms: Array, a: Array) -> Array:
    """Say which of a few columns correlate with a beyond rounding.

    Parameters
    ----------
    dots : ndarray of shape (n_columns, n_outputs)
        Their products with a, in float64.
    squared_norms : ndarray of shape (n_columns,)
    a : ndarray of shape (n_samples, n_outputs)
    """
    squares = np.einsum("jk,jk->j", dots, dots)
    reach = squared_norms * np.einsum("ik,ik->", a, a)
    return squares > NO_CORRELATION**2 * reach

"""Whether columns of X seem to be told in different units, from a part of X."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from handful.spaces.base import NO_IDS, Array, dense
from handful.spaces.resolve import columns_of, is_sparse, source_of

ROWS = 64  # of a dense matrix that are looked at
LEAST_COLUMNS, MOST_ENTRIES = 20, 20_000  # and of a sparse one
# Zeros and ones, shares, tf-idf, levels of grey and expression levels stay far below; incomes beside shares do not.
OF_ONE_KIND = 1e3


class DifferentUnits(NamedTuple):
    """Two columns whose values range over very different widths.

    Attributes
    ----------
    wide, narrow : int
    widest, narrowest : float
        Their ranges.
    """

    wide: int
    narrow: int
    widest: float
    narrowest: float


def are_of_one_kind(squares: Array) -> bool:
    """Whether columns with these sums of squares may have one unit.

    Sums of squares of standardised columns are equal, those of tf-idf and of zeros and ones differ by the shares of rows that
    have them: up to ten thousand times among the best, where the limit is a million.
    """
    present = squares[squares > 0.0]
    return not len(present) or bool(present.max() <= OF_ONE_KIND**2 * present.min())


def different_units(X: Any, rows: Array, chosen: Array = NO_IDS) -> DifferentUnits | None:
    """Return the columns that range most and least if these differ a thousand times; None otherwise.

    Some evenly spread rows of a dense matrix are looked at, and some columns of a sparse one; nothing that is not in memory. It
    is the range that tells a unit: the variance of a column of zeros and ones falls with the rows that have a one.

    Parameters
    ----------
    X : ndarray, CSR or CSC matrix or array, or Source
    rows : ndarray of int64
        Those that count.
    chosen : ndarray of int64
        Columns of a sparse matrix to look at in any case.

    Examples
    --------
    >>> import numpy as np
    >>> different_units(np.array([[20, 1e5], [50, 2e5], [30, 9e5]]), np.arange(3))
    DifferentUnits(wide=1, narrow=0, widest=800000.0, narrowest=30.0)
    """
    if source_of(X) is not None:
        return None
    ids = np.arange(X.shape[1])
    if is_sparse(X):
        ids = np.union1d(
            _evenly_spaced(ids, max(LEAST_COLUMNS, MOST_ENTRIES // X.shape[0])), chosen
        )
        some = columns_of(X, ids)
    else:
        some = X[_evenly_spaced(rows, ROWS)]
    with np.errstate(over="ignore"):  # numbers too large are told as such
        ranges = dense(some.max(axis=0) - some.min(axis=0)).ravel()
    varying = np.flatnonzero(ranges > 0.0)
    if not len(varying):
        return None
    wide, narrow = varying[ranges[varying].argmax()], varying[ranges[varying].argmin()]
    if ranges[wide] <= OF_ONE_KIND * ranges[narrow]:
        return None
    return DifferentUnits(
        int(ids[wide]), int(ids[narrow]), float(ranges[wide]), float(ranges[narrow])
    )


def _evenly_spaced(numbers: Array, most: int) -> Array:
    """Return all numbers, or so many of them from the first to the last."""
    return numbers[np.unique(np.linspace(0, len(numbers) - 1, min(len(numbers), most)).astype(int))]

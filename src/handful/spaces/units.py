"""Whether columns of X seem to be told in different units, from a few of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from handful.spaces.base import Array, dense
from handful.spaces.resolve import columns_of, source_of

LEAST_COLUMNS, MOST_ENTRIES = 20, 20_000  # that are looked at
# Zeros and ones, shares, tf-idf, levels of grey and expression levels stay far below; incomes beside shares do not.
OF_ONE_KIND = 1e3


class Units(NamedTuple):
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


def different_units(X: Any, chosen: Array) -> Units | None:
    """Return the columns that range most and least if these differ a thousand times; None otherwise.

    The chosen columns and some evenly spread ones are looked at, in memory only. It is the range that tells a unit: the variance of a
    column of zeros and ones falls with the rows that have a one.

    Examples
    --------
    >>> import numpy as np
    >>> different_units(np.array([[20, 1e5], [50, 2e5], [30, 9e5]]), np.array([1]))
    Units(wide=1, narrow=0, widest=800000.0, narrowest=30.0)
    """
    if source_of(X) is not None:
        return None
    n_samples, n_columns = X.shape
    n_looked_at = min(n_columns, max(LEAST_COLUMNS, MOST_ENTRIES // n_samples))
    spread = np.linspace(0, n_columns - 1, n_looked_at).astype(np.int64)
    ids = np.union1d(spread, chosen)
    columns = columns_of(X, ids)
    ranges = dense(columns.max(axis=0) - columns.min(axis=0)).ravel()
    varying = np.flatnonzero(ranges > 0.0)
    if not len(varying):
        return None
    wide, narrow = varying[ranges[varying].argmax()], varying[ranges[varying].argmin()]
    if ranges[wide] <= OF_ONE_KIND * ranges[narrow]:
        return None
    return Units(int(ids[wide]), int(ids[narrow]), float(ranges[wide]), float(ranges[narrow]))

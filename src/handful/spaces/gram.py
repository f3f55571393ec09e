"""Weighted Gram matrices of a few columns, whatever holds them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, Columns
from handful.spaces.groups import LazyProduct


def weighted_gram(columns: Columns, weight: Array) -> tuple[Array, Array]:
    """Return ``X' diag(weight) X`` and ``X' weight``; sparse columns stay sparse on the way.

    Columns on a device make both there.
    """
    if hasattr(columns, "weighted_gram"):
        made: tuple[Array, Array] = columns.weighted_gram(weight)
        return made
    if isinstance(columns, LazyProduct):  # of columns that several groups share
        gram, sums = weighted_gram(columns.left, weight)
        copies = columns.right.T
        return np.asarray(copies @ (copies @ gram).T), np.asarray(copies @ sums)
    if sp.issparse(columns):
        weighted = sp.diags_array(weight) @ columns
        return (columns.T @ weighted).toarray(), np.asarray(weighted.sum(axis=0)).ravel()
    weighted = weight[:, None] * columns
    return columns.T @ weighted, weighted.sum(axis=0)

"""Weighted Gram matrices of a few columns, whatever holds them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from handful.kernels.sparse import csr_gram
from handful.spaces.base import Array, Columns
from handful.spaces.groups.space import LazyProduct

FEW_ROWS = 0.8  # share of rows with weight below which the others are left out


def weighted_gram(columns: Columns, weight: Array) -> tuple[Array, Array]:
    """Return ``X' diag(weight) X`` and ``X' weight``; sparse columns stay sparse on the way.

    Columns on a device make both there.
    """
    if hasattr(columns, "weighted_gram"):
        return columns.weighted_gram(weight)
    if isinstance(columns, LazyProduct):  # of columns that several groups share
        gram, sums = weighted_gram(columns.left, weight)
        copies = columns.right.T
        return np.asarray(copies @ (copies @ gram).T), np.asarray(copies @ sums)
    if sp.issparse(columns):
        rows, size = columns.tocsr(), columns.shape[1]
        gram, sums = np.zeros((size, size)), np.zeros(size)
        csr_gram(rows.indptr, rows.indices, rows.data, np.ascontiguousarray(weight), gram, sums)
        return gram + np.tril(gram, -1).T, sums
    if weight.min(initial=0.0) < 0.0:
        weighted = weight[:, None] * columns
        return columns.T @ weighted, weighted.sum(axis=0)
    roots = np.sqrt(weight)
    if np.count_nonzero(weight) < FEW_ROWS * len(weight):  # rows beyond the margin, say
        rows = np.flatnonzero(weight)
        columns, roots = columns[rows], roots[rows]
    half = roots[:, None] * columns
    return half.T @ half, roots @ half  # a product with itself is half the work

"""From the user's X to a feature space: the only place that looks at the type of X."""

from __future__ import annotations

import os
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, FeatureSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.sparse import CSCSpace, CSRSpace

# A CSR matrix with few entries per row and column is turned into columns once: each round is then
# several times faster, and the copy is no larger than a few numbers per row and column.
TRANSPOSE_ENTRIES = 4


def resolve_space(
    X: Any,
    *,
    normalize: bool = False,
    n_jobs: int | None = None,
    sample_weight: Array | None = None,
) -> FeatureSpace:
    """Return the space that holds X, without a copy unless X is a very sparse CSR matrix.

    Parameters
    ----------
    X : ndarray, CSR or CSC matrix or array, already checked
    normalize : bool
        Scale columns to unit length on the fly.
    n_jobs : int or None
        Threads; see :func:`n_threads`.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in the lengths of columns.
    """
    if sp.issparse(X):
        if normalize and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.format == "csr" and X.nnz <= TRANSPOSE_ENTRIES * sum(X.shape):
            X = X.tocsc()
        space = CSCSpace if X.format == "csc" else CSRSpace
        return space(X, normalize, n_threads(n_jobs), sample_weight)
    if X.strides[0] != X.itemsize and X.strides[1] != X.itemsize:
        X = np.ascontiguousarray(X)  # a strided view: BLAS would copy it in every round
    return DenseSpace(X, normalize, sample_weight)


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads to use.

    None means all cores this process may use, like the BLAS beneath it (and like it, OMP_NUM_THREADS
    limits them); a number is as in joblib, with -1 for all cores.
    """
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(joblib.cpu_count())
    return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores

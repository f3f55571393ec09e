"""From the user's X to a feature space: the only place that looks at the type of X."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import joblib
import numpy as np
import scipy.sparse as sp

from handful.sizes import blocks
from handful.spaces.base import Array, ExplicitSpace, Unit
from handful.spaces.dense import DenseSpace
from handful.spaces.source import Source
from handful.spaces.sparse import CSCSpace, CSRSpace
from handful.spaces.strings.documents import Documents
from handful.threads import limited_threads
from handful.validation.strings import not_strings

Made = TypeVar("Made")


class Kind(NamedTuple):
    """Matrices that are somewhere else, known by the package that their type is defined in.

    Attributes
    ----------
    package : str
        The first part of the name of the module of type(X) or of a class it inherits from.
    module, name : str
        Where to find the :class:`Source` that is made of such an X. It is imported when one
        comes along, so nothing else needs the package.
    """

    package: str
    module: str
    name: str


#: What can be X beside arrays of NumPy and SciPy. A new kind is one line.
KINDS: tuple[Kind, ...] = (
    Kind("dask", "handful.sources.dask.matrix", "DaskMatrix"),
    Kind("torch", "handful.sources.device.matrix", "DeviceMatrix"),
    Kind("cupy", "handful.sources.device.matrix", "DeviceMatrix"),
    Kind("cupyx", "handful.sources.device.matrix", "DeviceMatrix"),
    Kind("anndata", "handful.sources.anndata", "of_object"),
)

#: What :func:`resolve_space` takes as it is, in the words of ``check_array``: all else in memory is copied into one of these.
USED_IN_PLACE: dict[str, Any] = {
    "accept_sparse": ("csr", "csc"),
    "dtype": [np.float64, np.float32],
}

# A CSR matrix with few entries per row and column is turned into columns once: each round is then
# several times faster, and the copy is no larger than a few numbers per row and column.
TRANSPOSE_ENTRIES = 4
# A dense matrix with fewer non-zeros than this share is searched for pairs by those: products are a
# matter of the share squared, though each costs more than in a dense product.
SPARSE_ENOUGH = 0.25


def source_of(X: Any) -> Source | None:
    """Return X as a matrix that is somewhere else; None when it is in memory."""
    if isinstance(X, Source):
        return X
    packages = {cls.__module__.partition(".")[0] for cls in type(X).__mro__}
    for kind in KINDS:
        if kind.package in packages:
            return getattr(import_module(kind.module), kind.name)(X)
    return None


def names_of_table(X: Any) -> list[str] | None:
    """Return the names of the columns of a table of pandas or polars; None when they are not all text."""
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def resolve_space(
    X: Any,
    *,
    unit: Unit | None = None,
    n_jobs: int | None = None,
    sample_weight: Array | None = None,
) -> ExplicitSpace:
    """Return the space that holds X, without a copy unless X is a very sparse CSR matrix.

    Parameters
    ----------
    X : ndarray, CSR or CSC matrix or array, already checked, or Source
    unit : {None, "norm", "std"}
        What is made one of every column on the fly: its length, or its standard deviation.
    n_jobs : int or None
        Threads; None is all cores.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows in that.
    """
    if isinstance(X, Source):
        return X.space(unit, n_threads(n_jobs), sample_weight)
    if sp.issparse(X):
        if unit and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.format == "csr" and X.nnz <= TRANSPOSE_ENTRIES * sum(X.shape):
            X = X.tocsc()
        space = CSCSpace if X.format == "csc" else CSRSpace
        return space(X, unit, n_threads(n_jobs), sample_weight)
    if X.strides[0] != X.itemsize and X.strides[1] != X.itemsize:
        X = np.ascontiguousarray(X)  # a strided view: BLAS would copy it in every round
    return DenseSpace(X, unit, sample_weight)


def space_in_place(X: Any) -> DenseSpace | CSCSpace | CSRSpace:
    """Return the space that holds a matrix in memory as it is, for a method that goes through all of it."""
    if not sp.issparse(X):
        return DenseSpace(X)
    return (CSCSpace if X.format == "csc" else CSRSpace)(X)


def as_documents(X: Any, *, shared: bool = False) -> Documents:
    """Return X as strings: from a list, an array, or a column of pandas, polars or Arrow; ValueError for anything else.

    ``shared`` strings remember what they are part of when some of the rows are taken.
    """
    if isinstance(X, Documents):
        return X
    shape = getattr(X, "shape", None)
    if isinstance(X, str | bytes) or sp.issparse(X) or source_of(X) is not None:
        raise not_strings(f"a {type(X).__name__}")
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        X = np.asarray(X, dtype=object)[:, 0]
    elif shape is not None and len(shape) != 1:
        raise not_strings(f"an array of shape {shape}")
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(X, name):
            X = getattr(X, name)()
            break
    # A set has no order, and an iterator is at its end when it is asked a second time.
    if not isinstance(X, Iterable) or isinstance(X, Mapping | set | frozenset | Iterator):
        raise not_strings(f"a {type(X).__name__}")
    return Documents(X, shared=shared)


def columns_of(X: Any, ids: Array) -> Any:
    """Return some columns of X, to be read once: rows are not turned into columns for that."""
    if sp.issparse(X) and X.format == "csr":
        return CSRSpace(X).columns(ids)
    return resolve_space(X).columns(ids)


def by_storage(X: Any, dense: Callable[[Array], Made], sparse: Callable[[Any], Made]) -> Made:
    """Return ``dense(X)``, or ``sparse(X)`` with X by columns, sorted and without duplicates.

    A sparse matrix that is not so already is copied.
    """
    if not sp.issparse(X):
        return dense(X)
    if X.format == "csc" and X.has_canonical_format:
        return sparse(X)
    X = X.tocsc(copy=True)
    X.sum_duplicates()
    return sparse(X)


def without_duplicates(X: Any) -> Any:
    """Return X with every stored entry once, by columns if it is sparse."""
    return X if isinstance(X, Source) else by_storage(X, np.asarray, lambda columns: columns)


def mostly_zeros(X: Any) -> bool:
    """Whether the non-zero entries alone are the quicker way to go through X."""
    return not sp.issparse(X) and np.count_nonzero(X) <= SPARSE_ENOUGH * X.size


def is_sparse(X: Any) -> bool:
    """Whether X is stored by its non-zero entries."""
    return bool(sp.issparse(X))


def as_csc(X: Any) -> sp.csc_array:
    """Return X by columns, every entry once and rows ascending; X itself is not changed.

    A CSC matrix in that form is used in place. Anything else is copied, a dense matrix without its
    zeros: an entry takes 4 bytes more than its value (8 where rows or entries exceed 2^31).
    """
    return by_storage(X, _nonzeros, sp.csc_array)


def with_small_indices(X: Any) -> Any:
    """Return X, of sparse matrices with indices of 32 bits where these are enough: some estimators take no others."""
    if not sp.issparse(X):
        return X
    kind = sp.get_index_dtype(maxval=max(X.nnz, *X.shape))
    indices, indptr = (part.astype(kind, copy=False) for part in (X.indices, X.indptr))
    return type(X)((X.data, indices, indptr), shape=X.shape)


def _nonzeros(X: Array) -> sp.csc_array:
    """Return the non-zero entries of a dense matrix, a block of columns at a time."""
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(X, axis=0))])
    fits = max(indptr[-1], X.shape[0]) <= np.iinfo(np.int32).max
    indptr = indptr.astype(np.int32 if fits else np.int64)
    indices, data = np.empty(indptr[-1], dtype=indptr.dtype), np.empty(indptr[-1], dtype=X.dtype)
    rows = np.arange(X.shape[0], dtype=indptr.dtype)
    for columns in blocks(X.shape[1], X.shape[0]):
        block = np.ascontiguousarray(X[:, columns].T)
        part = slice(indptr[columns.start], indptr[columns.stop])
        filled = block != 0
        indices[part], data[part] = np.broadcast_to(rows, block.shape)[filled], block[filled]
    return sp.csc_array((data, indices, indptr), shape=X.shape)


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


def threads_for(n_jobs: int | None) -> AbstractContextManager[Any]:
    """Limit linear algebra to the threads that n_jobs asks for, for a while; None leaves it alone."""
    return nullcontext() if n_jobs is None else limited_threads(n_threads(n_jobs))

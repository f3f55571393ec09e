"""How far bags are from instances: blocks of products, then the nearest instance of each bag."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.bags import Bags
from handful.kernels import bags as kernels
from handful.spaces.base import BLOCK_ENTRIES
from handful.spaces.sparse import in_threads

Array = np.ndarray
ATOMS_AT_ONCE = 512  # enough for a matrix product at full speed
# The median of distances is that of the pairs of so many instances.
SAMPLE = 1000
# The finalizer of splitmix64.
MIXING = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
TINY = 1e-70  # where a median distance is too small to divide by


class BagDistances:
    """Squared distances from bags to any points: ``min over x in the bag of |x - d|^2``.

    With c the mean of the instances, ``|x - d|^2 = |x - c|^2 + |d - c|^2 - 2 (x - c)'(d - c)``: the
    products come from one matrix product, block by block, and stay exact to rounding when all
    instances lie far from the origin. Sums are float64. Sparse instances stay sparse, and c is 0.

    What depends on the bags alone is computed once, here.

    Parameters
    ----------
    bags : Bags
    n_threads : int

    Examples
    --------
    >>> import numpy as np
    >>> from handful.bags import as_bags
    >>> bags = as_bags([np.array([[0.0], [5.0]]), np.array([[2.0]])])
    >>> BagDistances(bags).nearest(np.array([[1.0], [4.0]]))
    (array([[1., 1.],
           [1., 4.]]), array([[0, 1],
           [2, 2]]))
    """

    def __init__(self, bags: Bags, n_threads: int = 1) -> None:
        self.bags = bags
        self.n_threads = n_threads
        self._is_sparse = sp.issparse(bags.instances)
        self._center = np.zeros(bags.n_features)
        if not self._is_sparse:
            self._center = bags.instances.mean(axis=0, dtype=np.float64)
        self._squares = np.empty(bags.n_instances)
        for rows in self._row_blocks(bags.n_features):
            block = self._rows(rows)
            self._squares[rows] = squared_lengths(
                block if self._is_sparse else block - self._center
            )

    def nearest(self, atoms: Any) -> tuple[Array, Array]:
        """Return the squared distance of every bag to every atom, and the instance that is nearest.

        Parameters
        ----------
        atoms : ndarray or CSR array of shape (n_atoms, n_features)

        Returns
        -------
        distances : ndarray of float64, shape (n_bags, n_atoms)
        rows : ndarray of int64, shape (n_bags, n_atoms)
            Rows of ``bags.instances``; of equally near ones the first.
        """
        shape = (len(self.bags), atoms.shape[0])
        distances = np.full(shape, np.inf)
        rows = np.zeros(shape, dtype=np.int64)
        for start in range(0, atoms.shape[0], ATOMS_AT_ONCE):
            some = slice(start, start + ATOMS_AT_ONCE)
            self._add_atoms(atoms[some], distances[:, some], rows[:, some])
        np.maximum(distances, 0.0, out=distances)
        return distances, rows

    def _add_atoms(self, atoms: Any, distances: Array, rows: Array) -> None:
        """Fill in what belongs to a few atoms."""
        offsets = self.bags.offsets
        moved = _float64(atoms)
        if not self._is_sparse:
            moved = (moved.toarray() if sp.issparse(moved) else moved) - self._center
        shift = -(self._center @ moved.T)
        for part in self._row_blocks(moved.shape[0]):
            products = self._rows(part) @ moved.T
            products = products.toarray() if sp.issparse(products) else products
            if not self._is_sparse:
                products += shift

            def keep(
                start: int, stop: int, products: Array = products, first: int = part.start
            ) -> None:
                kernels.keep_nearest(
                    products, self._squares, offsets, first, start, stop, distances, rows
                )

            in_threads(keep, offsets, self.n_threads)
        distances += squared_lengths(moved)

    def _row_blocks(self, width: int) -> list[slice]:
        """Return parts of the instances whose blocks of that width fit in memory."""
        step = max(1, BLOCK_ENTRIES // max(width, 1))
        n_rows = self.bags.n_instances
        return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]

    def _rows(self, rows: slice) -> Any:
        return _float64(self.bags.instances[rows])


def squared_lengths(rows: Any) -> Array:
    """Return the sum of squares of each row, in float64."""
    if sp.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def median_gamma(bags: Bags, rows: Array | None = None) -> float:
    """Return ``4 / median of |x - x'|^2`` over pairs of different instances.

    Of more than a thousand of them, a thousand at even steps are taken. 1 where all are the same.

    Parameters
    ----------
    bags : Bags
    rows : ndarray of int64, optional
        The different instances, where they are known: see :func:`distinct_rows`.
    """
    rows = distinct_rows(bags.instances) if rows is None else rows
    picked = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64)]
    sample = Bags.of_sizes(bags.instances[picked], np.ones(len(picked)))
    distances = BagDistances(sample).nearest(sample.instances)[0]
    pairs = distances[np.triu_indices(len(picked), 1)]
    return 4.0 / max(float(np.median(pairs)), TINY) if len(pairs) else 1.0


def column_factors(bags: Bags, rows: Array | None = None) -> Array:
    """Return one divided by the standard deviation of each column, over the different instances.

    1 for a constant column. ``rows`` are as for :func:`median_gamma`.
    """
    from sklearn.preprocessing import StandardScaler

    rows = distinct_rows(bags.instances) if rows is None else rows
    instances = bags.instances if len(rows) == bags.n_instances else bags.instances[rows]
    deviations = StandardScaler(with_mean=False).fit(instances).scale_
    return np.asarray(1.0 / deviations, dtype=np.float64)


def distinct_rows(instances: Any) -> Array:
    """Return the first row of each kind, ascending: rows that differ in no number are the same.

    Rows are told apart by 64-bit fingerprints.
    """
    keys = np.random.default_rng(0).integers(1, 2**63, instances.shape[1], dtype=np.uint64)
    prints = np.zeros(instances.shape[0], dtype=np.uint64)
    if sp.issparse(instances):
        words = _mixed(instances.data) * keys[instances.indices]
        filled = np.diff(instances.indptr) > 0
        prints[filled] = np.add.reduceat(words, instances.indptr[:-1][filled])
    else:
        step = max(1, BLOCK_ENTRIES // instances.shape[1])
        for start in range(0, len(instances), step):
            block = instances[start : start + step]
            prints[start : start + step] = (_mixed(block) * keys).sum(axis=1)
    return np.sort(np.unique(prints, return_index=True)[1])


def _mixed(values: Array) -> Array:
    """Return numbers as words whose bits depend on all bits of the number; zero, -0.0 too, is 0."""
    words = np.add(values, 0.0, dtype=np.float64).view(np.uint64)
    for shift, factor in MIXING:
        words ^= words >> shift
        words *= factor
    words ^= words >> np.uint64(31)
    return words


def _float64(rows: Any) -> Any:
    return rows if rows.dtype == np.float64 else rows.astype(np.float64)

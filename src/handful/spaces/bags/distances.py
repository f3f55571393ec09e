"""How far bags are from instances: blocks of products, then the nearest instance of each bag."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels import bags as kernels
from handful.sizes import blocks, current_sizes, slices
from handful.spaces.bags import Bags
from handful.spaces.base import Array, dense, row_squares
from handful.spaces.sparse import map_ranges


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
    >>> from handful.spaces.bags import as_bags
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
        for rows in blocks(bags.n_instances, bags.n_features):
            block = self._instances(rows)
            self._squares[rows] = row_squares(block if self._is_sparse else block - self._center)

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
        for some in slices(atoms.shape[0], current_sizes().atoms_at_once):
            self._add_atoms(atoms[some], distances[:, some], rows[:, some])
        np.maximum(distances, 0.0, out=distances)
        return distances, rows

    def _add_atoms(self, atoms: Any, distances: Array, rows: Array) -> None:
        """Fill in what belongs to a few atoms."""
        offsets = self.bags.offsets
        moved = _float64(atoms)
        if not self._is_sparse:
            moved = dense(moved) - self._center
        shift = -(self._center @ moved.T)
        for part in blocks(self.bags.n_instances, moved.shape[0]):
            products = dense(self._instances(part) @ moved.T)
            if not self._is_sparse:
                products += shift

            def keep(
                start: int, stop: int, products: Array = products, first: int = part.start
            ) -> None:
                kernels.keep_nearest(
                    products, self._squares, offsets, first, start, stop, distances, rows
                )

            map_ranges(keep, offsets, self.n_threads)
        distances += row_squares(moved)

    def _instances(self, rows: slice) -> Any:
        return _float64(self.bags.instances[rows])


def _float64(rows: Any) -> Any:
    return rows if rows.dtype == np.float64 else rows.astype(np.float64)

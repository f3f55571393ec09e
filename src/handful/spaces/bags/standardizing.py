"""What is read off the instances of bags before anything is compared: numbers, units, a width.

None of it depends on the order of the bags, or on how often an instance is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.sizes import blocks
from handful.spaces.bags import Bags
from handful.spaces.bags.distances import BagDistances
from handful.spaces.base import Array, Unit, digest_of

# The median of distances is that of the pairs of so many instances.
SAMPLE = 1000
# The finalizer of splitmix64.
MIXING = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
TINY = 1e-70  # where a median distance is too small to divide by


class StandardDistances(BagDistances):
    """Distances in columns that are divided by their standard deviations, unless they are left as they are.

    Parameters
    ----------
    bags : Bags
    unit : {None, "std"}
        What is made one of every column.
    n_threads : int

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
        What columns were divided by.
    different : ndarray of int64
        The different instances, in the order of :func:`along_a_line`.
    """

    def __init__(self, bags: Bags, unit: Unit | None, n_threads: int = 1) -> None:
        rows, _ = number(bags.instances)
        self.scale = np.ones(bags.n_features)
        if unit is not None:
            self.scale = 1.0 / column_factors(bags, rows)
        super().__init__(bags.scaled(1.0 / self.scale), n_threads)
        self.different = along_a_line(self.bags.instances, rows)

    def fingerprint(self) -> str:
        """Return text that differs for other bags: a saved step is not for them."""
        arrays = [self.scale, *self.bags.stored()]
        return digest_of(" ".join(f"{array.dtype.str} {array.shape}" for array in arrays), arrays)


def median_gamma(bags: Bags, rows: Array | None = None) -> float:
    """Return ``4 / median of |x - x'|^2`` over pairs of different instances.

    Of more than a thousand of them, a thousand at even steps are taken. 1 where all are the same.

    Parameters
    ----------
    bags : Bags
    rows : ndarray of int64, optional
        The different instances in the order of :func:`along_a_line`, where they are known.
    """
    if rows is None:
        rows = along_a_line(bags.instances, number(bags.instances)[0])
    picked = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64)]
    sample = Bags.of_sizes(bags.instances[picked], np.ones(len(picked)))
    distances = BagDistances(sample).nearest(sample.instances)[0]
    pairs = distances[np.triu_indices(len(picked), 1)]
    return 4.0 / max(float(np.median(pairs)), TINY) if len(pairs) else 1.0


def column_factors(bags: Bags, rows: Array | None = None) -> Array:
    """Return one divided by the standard deviation of each column, over the different instances.

    1 for a constant column. ``rows`` are the different instances, where they are known.
    """
    from sklearn.preprocessing import StandardScaler

    rows = number(bags.instances)[0] if rows is None else rows
    instances = bags.instances if len(rows) == bags.n_instances else bags.instances[rows]
    deviations = StandardScaler(with_mean=False).fit(instances).scale_
    return np.asarray(1.0 / deviations, dtype=np.float64)


def number(instances: Any) -> tuple[Array, Array]:
    """Number the different instances; those that differ in no entry are the same.

    Numbers go by 64-bit fingerprints of the entries, so that they depend on nothing but what
    different instances there are: not on their order, on repetitions, or on how they are stored.

    Returns
    -------
    rows : ndarray of int64
        Where the instance of each number is first.
    numbers : ndarray of int64
        The number of each row.
    """
    prints = _fingerprints(instances)
    _, rows, numbers = np.unique(prints, return_index=True, return_inverse=True)
    return rows, numbers


def merge_equal(bags: Bags, signs: Array, weight: Array) -> tuple[Bags, Array, Array]:
    """Make one bag of those that are equal and of one class, with the weight of all of them.

    What is left is in an order that depends on nothing but the bags: a bag with weight two, and the bag twice in
    other places, are then the same numbers in the same order, and every sum over them is the same to the
    last bit.

    Parameters
    ----------
    bags : Bags
    signs : ndarray of shape (n_bags, n_outputs)
        +1 in the column of the class.
    weight : ndarray of shape (n_bags,)
    """
    codes = signs[:, 0] if signs.shape[1] == 1 else signs.argmax(axis=1)
    prints = np.add.reduceat(_mixed_words(_fingerprints(bags.instances)), bags.offsets[:-1])
    keys = (prints, bags.sizes, codes)
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    first = np.flatnonzero(is_new)
    kept = order[first]
    return bags[kept], signs[kept], np.add.reduceat(weight[order], first)


def along_a_line(instances: Any, rows: Array) -> Array:
    """Put numbered instances in the order in which they lie along one direction.

    Even steps then take some from everywhere.
    """
    along = np.cos(1.0 + np.arange(instances.shape[1]))  # any direction without ties will do
    return rows[np.argsort((instances @ along)[rows], kind="stable")]


def _fingerprints(instances: Any) -> Array:
    keys = np.random.default_rng(0).integers(1, 2**63, instances.shape[1], dtype=np.uint64)
    prints = np.zeros(instances.shape[0], dtype=np.uint64)
    if sp.issparse(instances):
        words = _mixed(instances.data) * keys[instances.indices]
        filled = np.diff(instances.indptr) > 0
        prints[filled] = np.add.reduceat(words, instances.indptr[:-1][filled])
    else:
        for rows in blocks(*instances.shape):
            prints[rows] = (_mixed(instances[rows]) * keys).sum(axis=1)
    return prints


def _mixed(values: Array) -> Array:
    """Return numbers as words whose bits depend on all bits of the number; zero, -0.0 too, is 0."""
    return _mixed_words(np.add(values, 0.0, dtype=np.float64).view(np.uint64))


def _mixed_words(words: Array) -> Array:
    for shift, factor in MIXING:
        words ^= words >> shift
        words *= factor
    words ^= words >> np.uint64(31)
    return words

"""Bags of instances, stored as one matrix of all instances and where each bag begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import Array, slices_joined
from handful.validation import bags as checks
from handful.validation.indices import checked


class Bags:
    """Bags of instances: one row of ``instances`` for each, and the bag that it belongs to.

    Bags come in the order of their ids, ascending (``bag_ids`` says it), instances in the order in
    which they were given. Data that are in this order already are used in place.

    scikit-learn's splitters take this for a list of bags: ``KFold``, ``cross_val_score``,
    ``GridSearchCV`` and ``train_test_split`` keep each bag whole.

    Parameters
    ----------
    instances : array-like or sparse matrix of shape (n_instances, n_features)
        float32 stays float32, anything else becomes float64; sparse data become CSR.
    bag_ids : array-like of shape (n_instances,)
        Numbers or text: instances with the same id are in the same bag.
    feature_names : sequence of str, optional
        Names of the columns.

    Attributes
    ----------
    instances : ndarray or CSR array of shape (n_instances, n_features)
        All instances, bag by bag; read-only.
    offsets : ndarray of int64, shape (n_bags + 1,)
        Bag b holds the rows ``offsets[b]:offsets[b + 1]``.
    bag_ids : ndarray of shape (n_bags,)
        What each bag is called.
    feature_names : tuple of str or None
    n_instances, n_features : int
    dtype : dtype of the instances
    shape : (n_bags,)

    Examples
    --------
    >>> import numpy as np
    >>> from handful import Bags
    >>> bags = Bags(np.arange(8.0).reshape(4, 2), ["b", "a", "b", "c"])
    >>> len(bags), bags.bag_ids.tolist()
    (3, ['a', 'b', 'c'])
    >>> bags[1]  # the instances of one bag
    array([[0., 1.],
           [4., 5.]])
    >>> bags[[2, 0]]  # some of the bags
    Bags(2 bags of 2 instances, 2 columns)
    """

    def __init__(
        self, instances: Any, bag_ids: Any, *, feature_names: Sequence[str] | None = None
    ) -> None:
        matrix = as_instances(instances)
        ids = checks.check_bag_ids(bag_ids, matrix.shape[0])
        names, codes = np.unique(ids, return_inverse=True)
        order = None
        if (codes[1:] < codes[:-1]).any():
            order = np.argsort(codes, kind="stable")
            matrix = matrix[order]
        sizes = np.bincount(codes, minlength=len(names))
        self._set(matrix, sizes, names, feature_names, order)
        checks.check_contents(self)

    @classmethod
    def of_sizes(
        cls,
        instances: Any,
        sizes: Any,
        bag_ids: Any = None,
        feature_names: Sequence[str] | None = None,
    ) -> Bags:
        """Return bags of so many instances each, which lie bag by bag; ids are 0, 1, ... if not given."""
        matrix, sizes = as_instances(instances), np.asarray(sizes, dtype=np.int64)
        ids = np.arange(len(sizes), dtype=np.int64) if bag_ids is None else np.asarray(bag_ids)
        checks.check_sizes(sizes, ids, matrix.shape[0])
        bags = cls._made(matrix, sizes, ids, feature_names)
        checks.check_contents(bags)
        return bags

    @classmethod
    def _made(cls, *parts: Any) -> Bags:
        """Return bags of parts that need no check."""
        bags = cls.__new__(cls)
        bags._set(*parts)
        return bags

    def _set(
        self,
        instances: Any,
        sizes: Array,
        bag_ids: Array,
        feature_names: Sequence[str] | None,
        order: Array | None = None,
    ) -> None:
        self.offsets = read_only(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        self.bag_ids = read_only(bag_ids)
        self.feature_names = None if feature_names is None else tuple(map(str, feature_names))
        self._order = order  # the rows as they were given, where they had to be sorted
        if sp.issparse(instances):
            parts = (instances.data, instances.indices, instances.indptr)
            self.instances = sp.csr_array(
                tuple(read_only(part) for part in parts), shape=instances.shape
            )
        else:
            self.instances = read_only(instances)

    def stored(self) -> Iterator[Array]:
        """Yield the arrays that hold the bags."""
        yield self.offsets
        if sp.issparse(self.instances):
            yield from (self.instances.indptr, self.instances.indices, self.instances.data)
        else:
            yield self.instances

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            raise AttributeError(f"Bags do not change; make new ones to set {name}.")
        self.__dict__[name] = value

    @property
    def n_instances(self) -> int:
        """How many instances there are in all bags."""
        return int(self.instances.shape[0])

    @property
    def n_features(self) -> int:
        """How many columns each instance has."""
        return int(self.instances.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.instances.dtype

    @property
    def shape(self) -> tuple[int]:
        """The number of bags, as of a vector with one entry for each."""
        return (len(self),)

    @property
    def sizes(self) -> Array:
        """How many instances each bag has."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        return (self[bag] for bag in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Return the instances of one bag for a number, and bags for a slice, mask or list of numbers."""
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:  # scikit-learn's way
            key = key[0]
        chosen = np.arange(len(self))[key]
        if chosen.ndim == 0:
            return self.instances[self.offsets[chosen] : self.offsets[chosen + 1]]
        instances = self.instances[self.rows_of(chosen)]
        return Bags._made(instances, self.sizes[chosen], self.bag_ids[chosen], self.feature_names)

    def __repr__(self) -> str:
        return f"Bags({len(self)} bags of {self.n_instances} instances, {self.n_features} columns)"

    def rows_of(self, chosen: Array) -> Array:
        """Return the rows of some bags, bag by bag."""
        return slices_joined(self.offsets[chosen], self.sizes[chosen])

    def places(self, rows: Array) -> tuple[Array, Array]:
        """Return the bag of each row (its position), and where in that bag it is."""
        bags = np.searchsorted(self.offsets, rows, side="right") - 1
        return bags, rows - self.offsets[bags]

    def locate(self, places: Iterable[tuple[Any, int]]) -> Array:
        """Return the rows of instances that are given as the id of a bag and the row in it.

        Examples
        --------
        >>> bags = Bags([[0.0], [1.0], [2.0]], bag_ids=["b", "a", "b"])
        >>> bags.locate([("b", 1), ("a", 0)])
        array([2, 0])
        """
        positions = {bag: position for position, bag in enumerate(self.bag_ids.tolist())}
        rows = []
        for bag, row in places:
            checks.check_place(bag, row, positions, self.sizes)
            rows.append(self.offsets[positions[bag]] + row)
        return np.array(rows, dtype=np.int64)

    def scaled(self, factors: Array) -> Bags:
        """Return the same bags with each column multiplied by a factor."""
        instances = with_factors(self.instances, factors)
        return Bags._made(instances, self.sizes, self.bag_ids, self.feature_names, self._order)

    def per_bag(self, values: Any, name: str = "y") -> Array:
        """Return one value for each bag from one for each instance, in the order they were given.

        ValueError where the instances of a bag disagree.

        Examples
        --------
        >>> bags = Bags([[0.0], [1.0], [2.0]], bag_ids=["b", "a", "b"])
        >>> bags.per_bag([True, False, True])
        array([False,  True])
        """
        given = np.asarray(values)
        checks.check_one_per_instance(given, self, name)
        if self._order is not None:
            given = given[self._order]
        firsts = given[self.offsets[:-1]]
        checks.check_agreement(given != np.repeat(firsts, self.sizes), self, name)
        return firsts


def as_instances(given: Any) -> Any:
    """Return a matrix of instances: CSR if sparse, else row-major; float32 or float64."""
    if sp.issparse(given):
        checks.check_numbers(given)
        matrix = sp.csr_array(checked(given, "instances"))
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        matrix = np.asarray(given)
        checks.check_matrix(matrix)
        matrix = np.ascontiguousarray(matrix)
    return matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)


def with_factors(instances: Any, factors: Array) -> Any:
    """Return instances with each column multiplied by a factor, in their own type."""
    factors = factors.astype(instances.dtype)
    return instances @ sp.diags_array(factors) if sp.issparse(instances) else instances * factors


def read_only(array: Array) -> Array:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view

"""Every form of data that can be bags, turned into one container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.bags.container import Bags, as_instances
from handful.spaces.bags.tables import has_lists, is_table, table_bags
from handful.validation import bags as checks

Array = np.ndarray


def as_bags(X: Any, *, bag_column: str | None = None) -> Bags:
    """Return X as :class:`~handful.Bags`, whatever form it has.

    Parameters
    ----------
    X : one of

        - :class:`~handful.Bags`;
        - a list (or tuple, or array of objects) of 2-D arrays or sparse matrices, one for each bag;
        - a tuple ``(instances, bag_ids)``: a matrix, and a vector with an id for each of its rows;
        - a data frame (pandas, polars, Arrow) with a row for each instance, and a ``bag_column``;
        - a data frame with a row for each bag, whose cells are lists: one column of lists of
          instances, or a column for each feature with the values of all instances;
        - such a column of lists of instances alone (polars, Arrow);
        - a 3-D array, of as many instances in every bag;
        - a matrix or data frame of numbers: each row is a bag of one instance.
    bag_column : str, optional
        The column of a data frame that says which bag a row belongs to (or is).

    Returns
    -------
    Bags

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces.bags import as_bags
    >>> as_bags([np.zeros((3, 2)), np.ones((1, 2))])
    Bags(2 bags of 4 instances, 2 columns)
    >>> as_bags((np.zeros((4, 2)), [7, 7, 7, 9])).bag_ids
    array([7, 9])
    """
    if isinstance(X, Bags):
        return X
    if is_table(X):
        return table_bags(X, bag_column)
    if bag_column is not None:
        raise checks.column_without_frame(bag_column, type(X).__name__)
    if sp.issparse(X):
        return singletons(X)
    if isinstance(X, np.ndarray) and X.dtype != object:
        return _array_bags(X)
    if _is_pair(X):
        instances, bag_ids = X
        if is_table(instances):
            return Bags(instances, bag_ids, feature_names=list(instances.columns))
        return Bags(instances, bag_ids)
    return _listed_bags(X)


def is_matrix(X: Any, bag_column: str | None = None) -> bool:
    """Whether X is, to scikit-learn, one matrix (or nothing that could be bags): rows are bags of one."""
    if isinstance(X, Bags):
        return False
    if is_table(X):
        return bag_column is None and len(getattr(X, "shape", ())) == 2 and not has_lists(X)
    if bag_column is not None:
        return False
    if sp.issparse(X):
        return True
    if isinstance(X, (list, tuple)):
        kinds = {0 if sp.issparse(row) or is_table(row) else _n_dimensions(row) for row in X[:2]}
        return kinds == {1} and len({len(row) for row in X}) == 1
    array = np.asarray(X)
    return array.ndim == 2 or (array.ndim != 3 and array.dtype.kind != "O")


def _n_dimensions(row: Any) -> int:
    try:
        return np.ndim(row)
    except ValueError:  # ragged
        return 2


def singletons(X: Any, feature_names: Sequence[str] | None = None) -> Bags:
    """Return each row of a matrix as a bag of one instance."""
    return Bags.of_sizes(X, np.ones(X.shape[0], dtype=np.int64), None, feature_names)


def _array_bags(X: Array) -> Bags:
    if X.ndim == 2:
        return singletons(X)
    if X.ndim != 3:
        raise checks.not_a_bag(0, f"an entry of an array of {X.ndim} dimension(s)")
    if X.shape[1] == 0:
        raise checks.empty_bag(0)
    return Bags.of_sizes(X.reshape(-1, X.shape[2]), np.full(len(X), X.shape[1]))


def _is_pair(X: Any) -> bool:
    """Whether X is a tuple whose second part is a vector, which no bag can be."""
    if not isinstance(X, tuple) or len(X) != 2:
        return False
    first, second = X
    if not (isinstance(first, np.ndarray) or sp.issparse(first) or is_table(first)):
        return False
    return not sp.issparse(second) and np.ndim(second) == 1


def _listed_bags(X: Any) -> Bags:
    parts = [_bag(number, bag) for number, bag in enumerate(X)]
    if not parts:
        raise checks.no_bags()
    width = parts[0].shape[1]
    for number, part in enumerate(parts):
        if part.shape[1] != width:
            raise checks.different_widths(number, part.shape[1], 0, width)
    sizes = np.array([part.shape[0] for part in parts], dtype=np.int64)
    if any(sp.issparse(part) for part in parts):
        return Bags.of_sizes(sp.vstack(parts, format="csr"), sizes)
    return Bags.of_sizes(np.concatenate(parts), sizes)


def _bag(number: int, bag: Any) -> Any:
    """Return the instances of one bag of a list."""
    if not sp.issparse(bag):
        try:
            bag = np.asarray(bag)
        except ValueError:  # rows of different lengths
            raise checks.not_a_bag(number, "ragged") from None
        if bag.size == 0:
            raise checks.empty_bag(number)
        if bag.ndim != 2:
            raise checks.not_a_bag(number, f"of {bag.ndim} dimension(s)")
    if bag.shape[0] == 0:
        raise checks.empty_bag(number)
    return as_instances(bag)

"""Every form of data that can be bags, turned into one container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.bags.container import Bags, as_instances
from handful.validation import bags as checks
from handful.validation.cells import not_numbers_but_dates, short
from handful.validation.names import first_repeated, two_of_a_name

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
    given = list(X)
    parts = [_bag(number, bag) for number, bag in enumerate(given)]
    if not parts:
        raise checks.no_bags()
    width = parts[0].shape[1]
    for number, part in enumerate(parts):
        if part.shape[1] != width:
            raise checks.different_widths(number, part.shape[1], 0, width)
    names = _shared_names(given)
    sizes = np.array([part.shape[0] for part in parts], dtype=np.int64)
    if any(sp.issparse(part) for part in parts):
        return Bags.of_sizes(sp.vstack(parts, format="csr"), sizes)
    return Bags.of_sizes(np.concatenate(parts), sizes, None, names)


def _shared_names(bags: list[Any]) -> list[str] | None:
    """Return the names of the columns where all bags have them; ValueError where two bags differ in them."""
    named = {number: names for number, bag in enumerate(bags) if (names := _names(bag)) is not None}
    if not named:
        return None
    first, names = next(iter(named.items()))
    for number, others in named.items():
        if others != names:
            raise checks.different_names(number, others, first, names)
    return names if len(named) == len(bags) else None


def _names(bag: Any) -> list[str] | None:
    """Return the names of the columns of a data frame; None of anything else, and where they are not all text."""
    if not is_table(bag):
        return None
    names = _all_names(bag)
    return names if all(isinstance(name, str) for name in names) else None


def _all_names(X: Any) -> list[Any]:
    """Return the names of the columns of a data frame; a column alone has none."""
    return list(
        X.column_names if hasattr(X, "column_names") else getattr(X, "columns", ())
    )  # Arrow, or not


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


def is_table(X: Any) -> bool:
    """Whether X is a data frame, or a column, of pandas, polars or pyarrow."""
    return type(X).__module__.split(".")[0] in ("pandas", "polars", "pyarrow")


def has_lists(X: Any) -> bool:
    """Whether there are lists in the cells."""
    return any(_is_nested(column) for column in _columns(X).values())


def table_bags(X: Any, bag_column: str | None) -> Bags:
    """Return the bags of a data frame, or of a column of lists of instances."""
    columns = _columns(X)
    ids = None
    if bag_column is not None:
        if bag_column not in columns:
            raise checks.no_bag_column(bag_column, list(columns))
        ids = _plain(columns.pop(bag_column))
    if any(_is_nested(column) for column in columns.values()):
        return _ragged(columns, ids)
    names = list(columns)
    matrix = np.column_stack([_numbers(name, column) for name, column in columns.items()])
    if ids is None:
        ids = np.arange(len(matrix), dtype=np.int64)
    return Bags(matrix, ids, feature_names=names)


def _ragged(columns: dict[str, Any], ids: Array | None) -> Bags:
    """Return bags from rows of lists: one list of instances, or a list for each feature."""
    if ids is not None:
        checks.check_unique(ids)
    parts = {name: _flatten(column) for name, column in columns.items()}
    first_name, (sizes, values) = next(iter(parts.items()))
    labels = np.arange(len(sizes)) if ids is None else ids
    if sizes.min(initial=1) < 1:
        raise checks.empty_bag(labels[np.argmax(sizes < 1)])
    if len(parts) == 1 and _is_nested(values):
        return Bags.of_sizes(_instances(values, sizes, labels), sizes, ids)
    for name, (others, _) in parts.items():
        if (others != sizes).any():
            bag = int(np.argmax(others != sizes))
            raise checks.different_lengths(
                labels[bag], name, int(others[bag]), first_name, int(sizes[bag])
            )
    matrix = np.column_stack([_numbers(name, values) for name, (_, values) in parts.items()])
    return Bags.of_sizes(matrix, sizes, ids, list(parts))


def _instances(values: Any, sizes: Array, labels: Array) -> Array:
    """Return the matrix of lists of numbers, all of one length."""
    widths, numbers = _flatten(values)
    if (widths != widths[0]).any():
        row = int(np.argmax(widths != widths[0]))
        bag = int(np.searchsorted(np.cumsum(sizes), row, side="right"))
        raise checks.different_widths(labels[bag], int(widths[row]), labels[0], int(widths[0]))
    return _plain(numbers).reshape(len(widths), -1)


def _columns(X: Any) -> dict[str, Any]:
    """Return the columns by name; a column alone is called by its own name, or "bags"."""
    twice = first_repeated(_all_names(X))
    if twice is not None:
        raise two_of_a_name(twice)
    if hasattr(X, "column_names"):  # Arrow
        return {name: X.column(name).combine_chunks() for name in X.column_names}
    if hasattr(X, "columns"):
        return {str(name): X[name] for name in X.columns}
    column = X.combine_chunks() if hasattr(X, "combine_chunks") else X
    return {str(getattr(X, "name", "") or "bags"): column}


def _is_nested(column: Any) -> bool:
    """Whether the cells are lists."""
    if hasattr(column, "type"):  # Arrow
        return hasattr(column.type, "value_type")
    if column.dtype == object:
        return len(column) > 0 and isinstance(next(iter(column)), (list, tuple, np.ndarray))
    return str(column.dtype).startswith(("List", "Array"))  # polars


def _flatten(column: Any) -> tuple[Array, Any]:
    """Return how many values each cell has, and all values in order."""
    if hasattr(column, "type"):  # Arrow
        return np.asarray(column.value_lengths().fill_null(0), dtype=np.int64), column.flatten()
    if column.dtype == object:
        return _flatten_objects(list(column))
    lists = column.arr.to_list() if str(column.dtype).startswith("Array") else column
    sizes = lists.list.len().fill_null(0)
    # An empty list would explode to a missing value.
    return sizes.to_numpy().astype(np.int64), lists.filter(sizes > 0).explode()


def _flatten_objects(cells: list[Any]) -> tuple[Array, Array]:
    sizes = np.array([len(cell) for cell in cells], dtype=np.int64)
    values = [value for cell in cells for value in cell]
    if not values or not isinstance(values[0], (list, tuple, np.ndarray)):
        return sizes, np.asarray(values)
    nested = np.empty(len(values), dtype=object)
    nested[:] = values
    return sizes, nested


def _numbers(name: str, column: Any) -> Array:
    """Return a column of instances as a NumPy array; ValueError for dates, which stand beside no number."""
    values = _plain(column)
    if values.dtype.kind in "mM":
        raise not_numbers_but_dates(f"column {short(name)}", values.dtype)
    return values


def _plain(column: Any) -> Array:
    """Return a column as a NumPy array."""
    if hasattr(column, "type"):  # Arrow
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)

"""Bags from data frames: a row for each instance, or a row of lists for each bag.

pandas, polars and pyarrow are told by what their objects can do, so that none has to be installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.spaces.bags.container import Bags
from handful.validation import bags as checks

Array = np.ndarray


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
    matrix = np.column_stack([_plain(column) for column in columns.values()])
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
    matrix = np.column_stack([_plain(values) for _, values in parts.values()])
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


def _plain(column: Any) -> Array:
    """Return a column as a NumPy array."""
    if hasattr(column, "type"):  # Arrow
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)

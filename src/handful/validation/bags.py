"""Checks of bags of instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful.validation.cells import first_not_finite, first_wrong
from handful.validation.weights import plain

Array = np.ndarray


def called(bag_id: Any) -> str:
    """Return how a bag is named in a message."""
    return f"bag {plain(bag_id)!r}"


def check_matrix(matrix: Array) -> None:
    """Raise unless instances are a matrix of numbers."""
    if matrix.ndim != 2:
        raise ValueError(
            f"instances must be a matrix with a row for each; got {matrix.ndim} dimension(s)."
        )
    check_numbers(matrix)


def check_numbers(matrix: Any) -> None:
    """Raise unless instances are numbers and have a column at least."""
    if matrix.dtype.kind not in "biuf":
        raise ValueError(
            f"instances must be numbers; got {first_wrong(matrix) or f'{matrix.dtype} values'}, so turn text into numbers "
            "first."
        )
    if matrix.shape[1] == 0:
        raise ValueError(f"instances have 0 columns (shape {matrix.shape}); give at least one.")


def check_bag_ids(given: Any, n_instances: int) -> Array:
    """Return the ids as a vector; raise unless there is one for each instance."""
    ids = np.asarray(given)
    if ids.shape != (n_instances,):
        raise ValueError(
            f"bag_ids must hold one id for each of the {n_instances} instances; "
            f"got {len(ids) if ids.ndim == 1 else f'shape {ids.shape}'}."
        )
    missing = [value is None or value != value for value in ids] if ids.dtype.kind in "fO" else []
    if any(missing):
        raise ValueError(
            f"bag_ids has no id for instance {missing.index(True)}; every instance needs one."
        )
    return ids.astype(str) if ids.dtype.kind == "O" and not _sortable(ids) else ids


def _sortable(ids: Array) -> bool:
    try:
        np.unique(ids)
    except TypeError:  # numbers and text together
        return False
    return True


def check_sizes(sizes: Array, bag_ids: Array, n_instances: int) -> None:
    """Raise unless every bag has instances, and together they have all."""
    if bag_ids.shape != sizes.shape:
        raise ValueError(
            f"bag_ids must hold one id for each of the {len(sizes)} bags; got {len(bag_ids)}."
        )
    if sizes.min(initial=1) < 1:
        raise empty_bag(bag_ids[np.argmax(sizes < 1)])
    if sizes.sum() != n_instances:
        raise ValueError(f"the sizes of bags add up to {sizes.sum()}, not {n_instances} instances.")


def check_contents(bags: Any) -> None:
    """Raise for no bags, for a wrong number of names, and for numbers that are not finite."""
    if not len(bags):
        raise no_bags()
    names = bags.feature_names
    if names is not None and len(names) != bags.n_features:
        raise ValueError(
            f"feature_names has {len(names)} names for the {bags.n_features} columns of the instances."
        )
    place = first_not_finite(bags.instances)
    if place is not None:
        row, column = place
        bag, row_of_bag = bags.places(row)
        name = column if names is None else str(names[column])
        raise ValueError(
            f"row {row_of_bag} of {called(bags.bag_ids[bag])} holds NaN or an infinite number in column {name!r}; drop or "
            "fill such instances first."
        )


def no_bags() -> ValueError:
    """Return the error for nothing at all."""
    return ValueError("there are no bags (0 samples); give at least one.")


def empty_bag(bag_id: Any) -> ValueError:
    """Return the error for a bag without instances."""
    return ValueError(
        f"{called(bag_id)} is empty; drop it and its label, since a bag needs at least one instance."
    )


def not_a_bag(bag: int, found: str) -> ValueError:
    """Return the error for an element that cannot be a bag."""
    return ValueError(
        f"bag {bag} is {found}; expected a 2-D array with a row for each of its instances."
    )


def different_widths(bag_id: Any, width: int, first_id: Any, first_width: int) -> ValueError:
    """Return the error for bags whose instances have different columns."""
    return ValueError(
        f"{called(bag_id)} has instances of {width} columns, but {called(first_id)} has {first_width}; "
        "all instances need the same columns."
    )


def different_names(
    bag_id: Any, names: list[str], first_id: Any, first_names: list[str]
) -> ValueError:
    """Return the error for data frames whose columns are not the same, or in another order."""
    j = next(j for j, name in enumerate(names) if name != first_names[j])
    return ValueError(
        f"column {j} of {called(bag_id)} is named {names[j]!r}, but that of {called(first_id)} {first_names[j]!r}; "
        "all instances need the same columns in the same order."
    )


def different_lengths(
    bag_id: Any, column: str, length: int, first_column: str, first_length: int
) -> ValueError:
    """Return the error for lists of one bag that do not belong together."""
    return ValueError(
        f"{called(bag_id)} has {length} values in column {column!r}, but {first_length} in "
        f"{first_column!r}; each of its instances needs a value in every column."
    )


def check_unique(bag_ids: Array) -> None:
    """Raise when two rows that are bags have the same id."""
    ids, counts = np.unique(bag_ids, return_counts=True)
    if counts.max(initial=1) > 1:
        raise ValueError(
            f"{called(ids[np.argmax(counts > 1)])} comes more than once, though each row of lists is "
            "a whole bag."
        )


def no_bag_column(column: Any, names: Sequence[str]) -> ValueError:
    """Return the error for a bag column that the data do not have."""
    some = ", ".join(repr(name) for name in names[:5])
    return ValueError(f"there is no bag column {column!r}; the columns begin with {some}.")


def column_without_frame(column: Any, kind: str) -> ValueError:
    """Return the error for a bag column where columns have no names."""
    return ValueError(
        f"bag_column={column!r} is for data frames; got {kind}, so give Bags(instances, bag_ids)."
    )


def check_one_per_instance(values: Array, bags: Any, name: str) -> None:
    """Raise unless there is one value for each instance."""
    if values.shape != (bags.n_instances,):
        raise ValueError(
            f"{name} must hold one value for each of the {bags.n_instances} instances; "
            f"got shape {values.shape}."
        )


def check_agreement(differs: Array, bags: Any, name: str) -> None:
    """Raise when an instance has another value than the first of its bag."""
    if differs.any():
        bag, row = bags.places(int(np.argmax(differs)))
        raise ValueError(
            f"{name} must be the same for all instances of a bag; row {row} of "
            f"{called(bags.bag_ids[bag])} has another value than row 0."
        )


def in_order_of_bags(values: Any, bag_ids: Array) -> Any:
    """Return a Series or frame of pandas whose index is exactly the bags in the order of the bags; others as they are."""
    if not hasattr(values, "reindex"):
        return values
    index = values.index
    if not index.is_unique or len(index) != len(bag_ids):
        return values
    places = index.get_indexer(bag_ids)
    return values if (places < 0).any() else values.iloc[places]


def check_labels_of_bags(n_labels: int, bags: Any) -> None:
    """Raise unless there is one label for each bag."""
    if n_labels == len(bags):
        return
    if n_labels == bags.n_instances:
        raise ValueError(
            f"y has a label for each of the {n_labels} instances, but labels belong to the {len(bags)} "
            "bags; reduce them with bags.per_bag(y), where bags is Bags(instances, bag_ids)."
        )
    raise ValueError(f"y must hold one label for each of the {len(bags)} bags; got {n_labels}.")


def check_place(bag: Any, row: int, positions: Mapping[Any, int], sizes: Array) -> None:
    """Raise unless there is such a bag, and such a row in it."""
    if bag not in positions:
        raise ValueError(f"there is no {called(bag)}; see bag_ids for those there are.")
    if not 0 <= row < sizes[positions[bag]]:
        raise ValueError(
            f"{called(bag)} has no row {row}; its rows go from 0 to {sizes[positions[bag]] - 1}."
        )


def check_n_columns(n_columns: int, expected: int) -> None:
    """Raise unless instances have as many columns as those that were chosen."""
    if n_columns != expected:
        raise ValueError(
            f"instances have {n_columns} columns, but those that were chosen have {expected}."
        )


def not_chosen(row: int) -> ValueError:
    """Return the error for an instance that is not among those a fit has kept."""
    return ValueError(f"instance {row} was not chosen; only those in support_ids_ are kept.")


def check_n_bags(n_bags: int, least: int) -> None:
    """Raise when there are too few bags to learn from."""
    if n_bags < least:
        there = f"there is {n_bags} bag" if n_bags == 1 else f"there are {n_bags} bags"
        raise ValueError(f"{there}, and at least {least} are needed; give more.")

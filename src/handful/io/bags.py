"""Read bags of instances from a file: a row for each instance, and a column that names its bag."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handful.io.errors import InputError
from handful.io.labels import LabelRules, check_labels, rows_without
from handful.io.npz import read_key
from handful.io.opening import check_file
from handful.io.readers import find_format, read_column, read_table
from handful.io.table import Table
from handful.spaces.bags import Bags

_WITH_COLUMNS = ("csv", "tsv", "parquet", "npz")


@dataclass(frozen=True)
class BagTable:
    """Bags with what is known about them.

    Attributes
    ----------
    bags : Bags
    y : ndarray of shape (n_bags,) or None
        One label for each bag; None when the file has none.
    table : Table
        The instances as they are in the file, a row for each.
    """

    bags: Bags
    y: np.ndarray | None
    table: Table


def read_bags(
    path: str | os.PathLike[str],
    bag_column: str,
    target: str | None = None,
    *,
    file_format: str | None = None,
    target_optional: bool = False,
    drop: Sequence[str] = (),
    only: Sequence[str] | None = None,
    header: bool | None = None,
    n_features: int | None = None,
    left_out: Sequence[int] = (),
    labels: LabelRules | None = None,
) -> BagTable:
    r"""Read bags and their labels from csv, tsv, parquet or npz.

    Parameters
    ----------
    path : str or path
    bag_column : str
        The column (npz: the key) that says which bag each row belongs to: numbers or text.
    target : str, optional
        The column of labels, the same for all rows of a bag. npz: a key, "y" by default, with a
        label for each row or for each bag in the order of their ids.
    file_format, target_optional, drop, only, header, n_features, left_out, labels
        As of :func:`handful.io.read_table`.

    Returns
    -------
    BagTable
        `bags`, `y`, `table`.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("who,size,kind\nrex,1,dog\nrex,2,dog\ntom,3,cat\n")
    >>> read = read_bags(file, "who", target="kind")
    >>> read.bags.bag_ids.tolist(), read.y.tolist()
    (['rex', 'tom'], ['dog', 'cat'])
    """
    file = check_file(path)
    kind = find_format(file, file_format)
    if kind not in _WITH_COLUMNS:
        raise InputError(
            f"{file}: {kind} files have no columns with names, so none can say the bag"
        )
    if kind == "npz":
        return _of_keys(file, bag_column, target or "y", target_optional, drop, only, labels)
    ids = read_column(file, bag_column, "bag", file_format=file_format, header=header)
    table = read_table(
        file,
        target,
        file_format=file_format,
        target_optional=target_optional,
        drop=(*drop, bag_column),
        only=only,
        header=header,
        n_features=n_features,
        left_out=left_out,
        labels=labels,
    )
    return _bags_of(file, table, ids)


def _of_keys(
    file: Path,
    bag_column: str,
    target: str,
    target_optional: bool,
    drop: Sequence[str],
    only: Sequence[str] | None,
    labels: LabelRules | None,
) -> BagTable:
    """Read an npz file, whose target may have one entry for each bag."""
    ids = read_key(file, bag_column)
    if ids is None:
        raise InputError(f"{file} has no key {bag_column!r} that says the bag of each row")
    # The ids are a vector for the rows, which the target need not be.
    X = read_table(file, bag_column, file_format="npz", drop=drop, only=only)
    y = read_key(file, target)
    if y is None and not target_optional:
        raise InputError(f"{file} has no target {target!r}")
    read = _bags_of(file, replace(X, y=None, target_name=None if y is None else target), ids)
    if y is None:
        return read
    gaps = labels is not None and labels.may_be_missing
    y = check_labels(file, target, y, may_be_missing=gaps)
    is_of_bags = y.shape == (len(read.bags),)
    return replace(read, y=y if is_of_bags else _per_bag(file, read.bags, y, read.table))


def _bags_of(file: Path, table: Table, ids: np.ndarray | None) -> BagTable:
    """Put the rows of a table into bags, and one label on each."""
    try:
        bags = Bags(table.X, ids, feature_names=table.feature_names)
    except ValueError as error:
        raise InputError(f"{file}: {str(error).rstrip('.')}") from error
    y = None if table.y is None else _per_bag(file, bags, table.y, table)
    return BagTable(bags, y, table)


def _per_bag(file: Path, bags: Bags, y: np.ndarray, table: Table) -> np.ndarray:
    gone = rows_without(y)
    try:
        if not gone.any():
            return bags.per_bag(y, f"the target {table.target_name!r}")
        # Numbers in place of labels: one that is missing may be NaN, which is not even itself.
        labels, codes = np.unique(y[~gone], return_inverse=True)
        of_rows = np.full(len(y), len(labels))
        of_rows[~gone] = codes
        of_bags = bags.per_bag(of_rows, f"the target {table.target_name!r}")
    except ValueError as error:
        raise InputError(f"{file}: {str(error).rstrip('.')}") from error
    none = np.array([np.nan if y.dtype.kind == "f" else None])
    return np.asarray(np.concatenate([labels, none])[of_bags])

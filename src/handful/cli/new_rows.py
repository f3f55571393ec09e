"""New rows for a saved model: the columns that it needs, as those that it was fitted on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from handful.cli.console import say
from handful.cli.feature_names import targets_of, used_names
from handful.cli.options import NewRows, refuse
from handful.estimators._narrow import narrowed, used_columns
from handful.io import InputError, ModelFile, Table, read_bags, read_strings, read_table
from handful.io.decimals import COMMA, has_fraction
from handful.io.labels import LabelRules
from handful.io.mixed import Encoding, has_cells
from handful.io.mixed import read_new_rows as read_mixed_rows
from handful.io.mixed.kinds import is_number
from handful.io.strings import holds_strings
from handful.io.table import Request
from handful.validation.plural import plural


def read_new_rows(
    saved: ModelFile,
    rows: NewRows,
    id_column: str | None = None,
    *,
    target_may_be_missing: bool = False,
) -> tuple[Any, Any, Table]:
    """Read the columns that the model needs, and the target if it is there; the column of ids is no feature.

    With ``target_may_be_missing`` some rows, or all, may lack the target: it is then None or NaN there.

    Returns the model of the columns that were read, rows or bags of them, and the table that they are from,
    with a label for each.
    """
    read = _read(saved, rows, id_column, target_may_be_missing=target_may_be_missing)
    if not hasattr(saved.estimator, "classes_"):
        _check_quantities(rows, read[2])
    return read


def _check_quantities(rows: NewRows, table: Table) -> None:
    """Refuse a target of text where the model predicts numbers."""
    if table.y is None or table.y.dtype.kind not in "OUS":
        return
    texts = [str(text) for text in table.y if text is not None]
    odds = [text for text in texts if not is_number(text)]
    # Beside a word, numbers with a comma are none of the mistakes.
    odd = next((text for text in odds if not has_fraction(text, COMMA)), next(iter(odds), None))
    if odd is not None:
        name = "" if table.target_name is None else f" {table.target_name!r}"
        raise InputError(
            f"{rows.data}: the target{name} holds {odd!r}, and the model predicts numbers; correct it, leave it empty where "
            "it is not known, or leave the target out"
        )


def _read(
    saved: ModelFile, rows: NewRows, id_column: str | None, *, target_may_be_missing: bool
) -> tuple[Any, Any, Table]:
    targets = targets_of(saved)
    if targets is not None and rows.target is not None:
        raise InputError("the model has several targets, found by their names; leave --target out")
    bag_column, n_expected = saved.about.get("bag_column"), saved.estimator.n_features_in_
    is_of_bags = isinstance(bag_column, str)
    if rows.bags is not None and not is_of_bags:
        raise refuse("bags", "the model was not fitted on bags")
    classes = None if targets is not None else getattr(saved.estimator, "classes_", None)
    labels = LabelRules.of_classes(classes, may_be_missing=target_may_be_missing)
    if isinstance(saved.about.get("strings"), str):
        return _read_strings(saved, rows, labels)
    used = used_names(saved, used_columns(saved.estimator)) or None
    if rows.target is not None and rows.target in _looked_at(saved, used):
        raise refuse("target", f"{rows.target!r} is a column that the model predicts from")
    target = rows.target or (saved.about.get("target") if targets is None else None)
    has_names = used is not None if saved.encoding is None else saved.encoding.has_names
    is_a_column = id_column is not None and has_cells(rows.data, rows.file_format)
    beside: dict[str, Any] = {
        "target_optional": rows.target is None,
        "header": rows.header,
        "drop": (id_column,) if is_a_column and not has_names else (),
        "left_out": tuple(saved.about.get("left_out") or ()),
        "labels": labels,
    }
    if saved.encoding is not None:
        several = None if targets is None else tuple(targets)
        request = Request(target=target, targets=several, **beside)
        return _read_encoded(saved.encoding, saved.estimator, rows, request)
    how = {"file_format": rows.file_format, "only": used, "n_features": n_expected, **beside}
    if is_of_bags:
        read = read_bags(rows.data, str(rows.bags or bag_column), target, **how)
        X, table, n_columns = read.bags, replace(read.table, y=read.y), read.bags.n_features
    else:
        first = saved.about.get("first_index")
        table = read_table(rows.data, target, targets=targets, first_index=first, **how)
        if used is not None:
            return narrowed(saved.estimator), table.X, table
        X, n_columns = table.X, table.X.shape[1]
        if table.n_beyond:
            say(
                f"{rows.data}: the model was fitted on {plural(n_expected, 'feature')}; "
                f"{plural(table.n_beyond, 'other')} beyond these in the file, left out"
            )
    if n_columns != n_expected:
        raise InputError(
            f"{rows.data} has {plural(n_columns, 'column')} of features, the model was fitted on {n_expected}"
        )
    return saved.estimator, X, table


def _looked_at(saved: ModelFile, used: list[str] | None) -> list[str]:
    """Return the names of columns of the file that a model predicts from; those that it was fitted on may be made of them."""
    encoding = saved.encoding
    if encoding is None:
        return used or []
    if not encoding.has_names:  # a position is another column where others are left out
        return []
    made_of = encoding.columns_of_features[used_columns(saved.estimator)]
    return [encoding.names[j] for j in np.unique(made_of)]


def _read_strings(saved: ModelFile, rows: NewRows, labels: LabelRules) -> tuple[Any, Any, Table]:
    """Read the strings, and their labels if they are there."""
    column, noted = saved.about["strings"] or None, saved.about.get("target")
    is_alone = holds_strings(rows.data, rows.file_format)
    if column is None and not is_alone:
        raise InputError(
            f"{rows.data}: the model is from FASTA or from lines of text, not from a column of a table; new strings in a "
            "file of lines are read with --format lines"
        )
    if column is not None and is_alone:
        noted = None  # a column of the table that the model is from, and this is no table
    table = read_strings(
        rows.data,
        column,
        rows.target or noted,
        file_format=rows.file_format,
        target_optional=rows.target is None,
        header=rows.header,
        labels=labels,
    )
    return saved.estimator, table.X, table


def _read_encoded(
    encoding: Encoding, estimator: Any, rows: NewRows, request: Request
) -> tuple[Any, Any, Table]:
    """Read the columns that the features of a model are made from.

    Returns the model of these features alone, the features, and the table they are from. Texts that the model has
    not seen are told of.
    """
    ids = used_columns(estimator)
    # A model without features needs rows all the same, to have so many predictions.
    used = np.unique(encoding.columns_of_features[ids]) if len(ids) else np.array([0])
    table, warnings = read_mixed_rows(rows.data, encoding, used.tolist(), request, rows.file_format)
    for warning in warnings:
        say(f"warning: {warning}")
    if not len(ids):
        return estimator, csr_array((table.X.shape[0], estimator.n_features_in_)), table
    there = np.flatnonzero(np.isin(encoding.columns_of_features, used))
    return narrowed(estimator), table.X[:, np.searchsorted(there, ids)], table

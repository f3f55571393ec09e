"""New rows of a mixed table, encoded as those that a model was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from handful.cli.console import say
from handful.cli.options import NewRows
from handful.estimators._narrow import narrowed, used_columns
from handful.io import Table
from handful.io.mixed import Encoding, read_new_rows
from handful.io.table import Request


def read_encoded(
    encoding: Encoding,
    estimator: Any,
    rows: NewRows,
    target: str | None,
    targets: Sequence[str] | None,
    *,
    drop: Sequence[str] = (),
    left_out: Sequence[int] = (),
) -> tuple[Any, Any, Table]:
    """Read the columns that the features of a model are made from.

    Returns the model of these features alone, the features, and the table they are from. Texts that the model has
    not seen are told of. ``drop`` are columns that are no features, ``left_out`` the positions of those that were not
    when the model was fitted.
    """
    ids = used_columns(estimator)
    # A model without features needs rows all the same, to have so many predictions.
    used = np.unique(encoding.columns_of_features[ids]) if len(ids) else np.array([0])
    request = Request(
        target=target,
        targets=None if targets is None else tuple(targets),
        target_optional=rows.target is None,
        header=rows.header,
        drop=tuple(drop),
        left_out=tuple(left_out),
    )
    table, warnings = read_new_rows(rows.data, encoding, used.tolist(), request, rows.file_format)
    for warning in warnings:
        say(f"warning: {warning}")
    if not len(ids):
        return estimator, csr_array((table.X.shape[0], estimator.n_features_in_)), table
    there = np.flatnonzero(np.isin(encoding.columns_of_features, used))
    return narrowed(estimator), table.X[:, np.searchsorted(there, ids)], table

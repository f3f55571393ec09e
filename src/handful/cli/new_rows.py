"""New rows of a mixed table, encoded as those that a model was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handful.cli.console import say
from handful.cli.options import NewRows
from handful.io import Table
from handful.io.mixed import Encoding, read_new_rows
from handful.io.table import Request

__all__ = ["read_encoded"]


def read_encoded(
    encoding: Encoding,
    ids: np.ndarray,
    rows: NewRows,
    target: str | None,
    targets: Sequence[str] | None,
) -> tuple[Table, np.ndarray]:
    """Read the columns that the features with these ids are made from.

    Returns the features of these columns, and their ids. Texts that the model has not seen are told of.
    """
    # A model without features needs rows all the same, to have so many predictions.
    used = np.unique(encoding.columns_of_features[ids]) if len(ids) else np.array([0])
    request = Request(
        target=target,
        targets=None if targets is None else tuple(targets),
        target_optional=rows.target is None,
        header=rows.header,
    )
    table, warnings = read_new_rows(rows.data, encoding, used.tolist(), request, rows.file_format)
    for warning in warnings:
        say(f"warning: {warning}")
    return table, np.flatnonzero(np.isin(encoding.columns_of_features, used))

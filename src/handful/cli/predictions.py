"""The table that ``handful predict`` writes: whose row it is, and a column for each figure."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

import typer

from handful.cli.options import NewRows

if TYPE_CHECKING:
    import numpy as np


# With these begins what spreadsheets compute, or lets a formula begin after it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def row_ids(rows: NewRows, column: str | None, X: Any) -> dict[str, np.ndarray]:
    """Return a column that says what each prediction is of: a bag, an id from the file, or a row's number."""
    import numpy as np

    from handful.io.readers import read_ids

    if hasattr(X, "bag_ids"):
        if column is not None:
            message = "a model of bags predicts a label for each bag, which is named in its place"
            raise typer.BadParameter(message, param_hint="--id")
        return {"bag": X.bag_ids}
    if column is None:
        return {"row": np.arange(X.shape[0])}
    ids = read_ids(rows.data, column, file_format=rows.file_format, header=rows.header)
    return {column: ids}


def with_ids(ids: Mapping[str, np.ndarray], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return all columns, ids first."""
    for name in ids:
        if name in columns:
            message = f"the predictions have a column {name!r} too; rename that of DATA"
            raise typer.BadParameter(message, param_hint="--id")
    return {**ids, **columns}


def columns_of_classes(
    title: str, values: np.ndarray, labels: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Return a column for each class, or the one there is."""
    if labels is None:
        return {title: values}
    return {f"{title} {label}": own for label, own in zip(labels, values.T, strict=True)}


def write_csv(file: IO[str], columns: Mapping[str, Any], escape_formulas: bool) -> None:
    """Write columns with their names; formulas are escaped where that is wanted."""
    writer = csv.writer(file, lineterminator="\n")
    cells = {name: values.tolist() for name, values in columns.items()}
    if escape_formulas:
        cells = {
            _escaped(name): [_escaped(cell) for cell in values] for name, values in cells.items()
        }
    writer.writerow(cells)
    writer.writerows(zip(*cells.values(), strict=True))


def _escaped(cell: Any) -> Any:
    """Put a quotation mark before text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell

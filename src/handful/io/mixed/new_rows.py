"""Read new rows for a model that was fitted on a mixed table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handful.io.columns import Columns, list_names
from handful.io.errors import InputError
from handful.io.labels import number_or_gap
from handful.io.mixed.cells import CategoryCodes, Cells, Reader, open_cells
from handful.io.mixed.encoding import Encoding
from handful.io.table import Request, Table
from handful.validation.plural import plural


def read_new_rows(
    path: str | os.PathLike[str],
    encoding: Encoding,
    used: Sequence[int],
    request: Request,
    file_format: str | None = None,
) -> tuple[Table, list[str]]:
    """Read the columns that a model uses, encoded as those that it was fitted on.

    The encoding is that of the model, of which the columns in ``used``, ascending, are read; the request says the target.

    Returns all features of the used columns, and a warning for each column with categories that the model has not seen.
    """
    own = encoding.restricted(used)
    wanted = own.names if encoding.has_names else None
    request = replace(
        request,
        only=wanted,
        n_features=len(encoding.names),
        text=tuple(own.names[j] for j in own.texts),
    )
    cells = open_cells(path, request, file_format)
    if not encoding.has_names:
        cells.columns = _by_position(cells, encoding, used)
    codes = {j: CategoryCodes(own.categories[j]) for j in own.texts}
    readers: dict[int, Reader] = {**dict.fromkeys(own.numbers, number_or_gap), **codes}
    rows, y = cells.read(readers)
    _check_new(cells, own, rows)
    table = cells.columns.table(own.encode(rows), y, own.feature_names)
    warnings = [_unseen(own.names[j], codes[j]) for j in own.texts if codes[j].unseen]
    return table, warnings


def _by_position(cells: Cells, encoding: Encoding, used: Sequence[int]) -> Columns:
    """Choose columns of a file without names: those that stand where the model's stood."""
    columns = cells.columns
    if len(columns.features) != len(encoding.names):
        raise InputError(
            f"{cells.path} has {plural(len(columns.features), 'column')} of features, the model was fitted on {len(encoding.names)}"
        )
    names = columns.feature_names
    return replace(
        columns,
        features=tuple(columns.features[j] for j in used),
        feature_names=None if names is None else tuple(names[j] for j in used),
    )


def _check_new(cells: Cells, encoding: Encoding, rows: np.ndarray) -> None:
    """Refuse what is missing where the model has no rule for it, and infinities."""
    wrong = np.isinf(rows)
    if encoding.missing in ("error", "drop-rows"):
        wrong |= np.isnan(rows)
    if not wrong.any():
        return
    row = int(wrong.any(axis=1).argmax())
    j = int(wrong[row].argmax())
    where = f"{cells.path}, {cells.where(row)}, column {encoding.names[j]!r}"
    if np.isinf(rows[row, j]):
        raise InputError(f"{where}: expected a finite number, found {rows[row, j]:g}")
    raise InputError(
        f"{where}: the value is missing, and the model has no rule for that; fill it in, or select again with "
        "--missing mean"
    )


def _unseen(name: str, codes: CategoryCodes) -> str:
    texts = sorted(codes.unseen, key=lambda text: (-codes.unseen[text], text))
    n_rows = codes.unseen.total()
    rows, count = (
        ("1 row has a text", "counts") if n_rows == 1 else (f"{n_rows} rows have texts", "count")
    )
    shown = list_names(texts, "text").removeprefix("the ")
    return f"column {name!r}: {rows} that the model has not seen, which {count} as no category: {shown}"

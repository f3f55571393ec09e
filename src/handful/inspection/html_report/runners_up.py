"""Which feature that was not chosen is nearest to each chosen one, and could have its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.inspection.correlation import correlations_with
from handful.inspection.html_report.subject import Subject
from handful.spaces.base import dense
from handful.spaces.columns import lengths_about_means

Array = np.ndarray
#: Chosen columns that are compared with all others at a time.
BLOCK = 64
#: Multiplications that the comparison may take; beyond, only the strongest features are compared.
MOST_WORK = 2e11
#: Of features that are made: chosen ones that are compared, and others that each is compared with.
MOST_MADE, MOST_OTHERS = 60, 40


@dataclass(frozen=True)
class Runner:
    """A feature that was not chosen, and its correlation with one that was."""

    name: str
    correlation: float


def runners_up(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    """Return the nearest other feature of each chosen one, by its position in the model.

    Columns are compared with all columns. Features that are made from the data are compared with those
    that have the largest products with them, since nobody can make all of them. ``order`` says which are
    compared first where that is too much work.
    """
    if not hasattr(subject.selector, "support_ids_") or not len(order):
        return {}
    return _of_columns(subject, order) if subject.has_own_columns else _of_made(subject, order)


def _of_columns(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    X, chosen = subject.columns_of_X  # type: ignore[misc]
    n_rows, n_columns = X.shape
    names = subject.names_of_columns()
    most = int(max(1, MOST_WORK // (n_rows * n_columns)))
    found: dict[int, Runner] = {}
    for start in range(0, min(most, len(order)), BLOCK):
        part = list(order[start : min(start + BLOCK, most)])
        correlations = correlations_with(X, chosen[part])
        sizes = np.abs(correlations)
        sizes[:, chosen] = -1.0
        for row, place in enumerate(part):
            nearest = int(np.argmax(sizes[row]))
            if sizes[row, nearest] > 0:
                found[place] = Runner(names[nearest], float(correlations[row, nearest]))
    return found


def _of_made(subject: Subject, order: Sequence[int]) -> dict[int, Runner]:
    space = subject.space()
    chosen = np.asarray(subject.selector.support_ids_)
    found: dict[int, Runner] = {}
    if int(space.widths(chosen).max()) > 1:  # a feature of several columns has no correlation
        return found
    columns = _standardized(dense(space.columns(chosen[list(order[:MOST_MADE])])))
    for place, column in zip(order[:MOST_MADE], columns.T, strict=True):
        ids, _ = space.top(column, MOST_OTHERS, chosen)
        if not len(ids):
            continue
        correlations = column @ _standardized(dense(space.columns(ids)))
        nearest = int(np.argmax(np.abs(correlations)))
        if abs(correlations[nearest]) > 0:
            [name] = space.names(ids[nearest : nearest + 1], subject.selection.names)  # type: ignore[arg-type]
            found[place] = Runner(str(name), float(np.clip(correlations[nearest], -1, 1)))
    return found


def _standardized(columns: Array) -> Array:
    """Return columns about their means, of length one; constant ones are zero."""
    centred = columns - columns.mean(axis=0)
    squares, about_means = (np.square(part).sum(axis=0) for part in (columns, centred))
    lengths = lengths_about_means(about_means, squares)
    return np.asarray(centred / lengths)

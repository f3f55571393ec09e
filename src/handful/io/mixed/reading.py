"""Read a mixed table to learn from."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.io.columns import check_names, near_names
from handful.io.errors import InputError, NoRoomError
from handful.io.labels import AS_TEXT, LabelRules, number_or_gap, split_targets
from handful.io.mixed.cells import CategoryCodes, Cells, open_cells
from handful.io.mixed.encoding import MISSING_RULES, Encoding
from handful.io.mixed.kinds import NUMBER, TEXT, Tally, are_like_ids, decide
from handful.io.table import Request, Table
from handful.validation.plural import plural

_AMOUNT = re.compile(r"[^\w\s]?\s*[+-]?\d")
_LONGEST_ID = 40  # a column of texts that are all longer holds sequences or sentences


@dataclass(frozen=True, eq=False)
class MixedTable:
    """A table whose features were made from columns of several kinds.

    Attributes
    ----------
    table : Table
        The features, made with what all rows tell.
    encoding : Encoding or None
        How they were made; None when every column holds numbers and no value is missing.
    rows : ndarray of shape (n_samples, n_columns) or None
        The columns as numbers, codes of categories, and NaN where a value is missing.
    notes : tuple of str
        What was done about missing values, in sentences.
    kept : ndarray of bool or None
        Which rows of the file are there; None when all are.
    """

    table: Table
    encoding: Encoding | None = None
    rows: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    kept: np.ndarray | None = None

    def split(self, train: np.ndarray, test: np.ndarray) -> tuple[Any, Any]:
        """Return the features of some rows and of others, made with what the first tell alone."""
        if self.encoding is None or self.rows is None or not self.encoding.learns:
            return self.table.X[train], self.table.X[test]
        transformer = self.encoding.transformer()
        X = transformer.fit_transform(self.rows[train])
        return X, transformer.transform(self.rows[test])


def read_mixed_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    targets: str | Sequence[str] | None = None,
    file_format: str | None = None,
    missing: str = "error",
    text: Collection[str] = (),
    drop: Sequence[str] = (),
    header: bool | None = None,
) -> MixedTable:
    r"""Read csv, tsv or parquet with columns of numbers, of true and false, and of text.

    Numbers are features as they are, true and false are 1 and 0, and a text is one-hot: a feature
    for each category, named ``colour=red``. What a column is, is decided by all its cells: see
    ``handful.io.mixed.kinds``. Texts are compared without the white space around them.

    Parameters
    ----------
    path : str or path
    target, targets, file_format, drop, header
        As of :func:`handful.io.read_table`.
    missing : {"error", "mean", "median", "category", "drop-rows"}, default="error"
        What a missing value is. ``error`` refuses the file and names the cell. ``mean`` and ``median`` fill in
        numbers; a missing text has no category. ``category`` makes it a category of its own, and gives a
        number, filled in with the mean, a second feature that says that it was missing. ``drop-rows`` leaves
        such rows out.
    text : collection of str, default=()
        Columns to take as text whatever they look like, such as postcodes. The target may be among them: then
        ``none`` and ``NA`` are classes, and only an empty field is missing.

    Returns
    -------
    MixedTable
        `table`, `encoding`, `rows`, `notes`.

    Raises
    ------
    InputError
        One sentence that names the file, the line and the column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("age,colour,ill\n30,red,yes\n,blue,no\n50,red,no\n")
    >>> read = read_mixed_table(file, target="ill", missing="mean")
    >>> read.table.feature_names
    ('age', 'colour=blue', 'colour=red')
    >>> read.table.X.tolist()
    [[30.0, 0.0, 1.0], [40.0, 1.0, 0.0], [50.0, 0.0, 1.0]]
    """
    if missing not in MISSING_RULES:
        raise InputError(f"missing is {missing!r}, which is none of {', '.join(MISSING_RULES)}")
    request = Request(
        target=target,
        targets=split_targets(target, targets),
        drop=tuple(drop),
        header=header,
        labels=LabelRules(text_can_be_said=True),
        text=tuple(text),
    )
    cells = open_cells(path, request, file_format)
    if cells.columns.target_name in text:
        text = [name for name in text if name != cells.columns.target_name]
        cells = open_cells(path, replace(request, labels=AS_TEXT), file_format)
    names = cells.columns.feature_names or tuple(str(j) for j in cells.columns.features)
    forced = {_position(cells, names, name) for name in text}
    trouble = None
    if not forced:
        try:
            return MixedTable(cells.plain())
        except NoRoomError:
            raise
        except InputError as error:
            trouble = error
    tallies = cells.tallies()
    kinds = _kinds(cells, names, tallies, forced)
    gaps = tuple(j for j, tally in enumerate(tallies) if tally.n_missing)
    if trouble is not None and not gaps and set(kinds) == {NUMBER}:
        raise trouble  # it is not the columns: the target, perhaps
    codes = {j: CategoryCodes() for j, kind in enumerate(kinds) if kind == TEXT}
    others = (j for j, kind in enumerate(kinds) if kind != TEXT and (kind != NUMBER or j in gaps))
    rows, y = cells.read({**dict.fromkeys(others, number_or_gap), **codes})
    notes: tuple[str, ...] = ()
    kept = None
    if gaps and missing == "drop-rows":
        kept = ~np.isnan(rows).any(axis=1)
    if gaps:
        rows, y, notes = _treat_missing(cells, names, rows, y, missing)
    if missing == "drop-rows":
        gaps = ()
    categories = _categories(cells, names, rows, codes, forced)
    encoding = Encoding(names, cells.has_names, kinds, categories, missing, gaps)
    check_names(cells.path, encoding.feature_names)
    transformer = encoding.transformer()
    X = transformer.fit_transform(rows)
    table = cells.columns.table(X, y, encoding.feature_names)
    return MixedTable(table, encoding.learned(transformer), rows, notes, kept)


def _position(cells: Cells, names: Sequence[str], wanted: str) -> int:
    if wanted not in names:
        hint = near_names(wanted, names)
        raise InputError(f"{cells.path}: there is no column {wanted!r} to take as text; {hint}")
    return names.index(wanted)


def _kinds(
    cells: Cells, names: Sequence[str], tallies: Sequence[Tally], forced: Collection[int]
) -> tuple[str, ...]:
    kinds = []
    for j, (name, tally) in enumerate(zip(names, tallies, strict=True)):
        if j in forced and tally.n_present:
            kinds.append(TEXT)
            continue
        kinds.append(decide(cells.path, name, tally, cells.where))
    return tuple(kinds)


def _treat_missing(
    cells: Cells, names: Sequence[str], rows: np.ndarray, y: np.ndarray | None, rule: str
) -> tuple[np.ndarray, np.ndarray | None, tuple[str, ...]]:
    """Refuse missing values, leave out their rows, or only say how many there are."""
    gaps = np.isnan(rows)
    touched = gaps.any(axis=1)
    if rule == "error":
        row = int(touched.argmax())
        name = names[int(gaps[row].argmax())]
        raise InputError(
            f"{cells.path}, {cells.where(row)}, column {name!r}: the value is missing; fill it in, leave the column out with "
            "--drop, or say what it is to count as with --missing mean, median, category or drop-rows"
        )
    n_touched = int(touched.sum())
    if rule != "drop-rows":
        n_columns = int(gaps.any(axis=0).sum())
        told = f"{plural(int(gaps.sum()), 'missing value')} in {plural(n_touched, 'row')}, {plural(n_columns, 'column')}"
        return rows, y, (f"{told}: {_TOLD[rule]}",)
    if n_touched == len(rows):
        raise InputError(
            f"{cells.path}: every row has a missing value, so --missing drop-rows leaves none"
        )
    note = f"left out {n_touched} of {plural(len(rows), 'row')}, in which a value is missing"
    return rows[~touched], None if y is None else y[~touched], (note,)


_TOLD = {
    "mean": "numbers are the mean of their column, texts have no category",
    "median": "numbers are the median of their column, texts have no category",
    "category": "a category of their own; numbers are the mean, and a feature says that they were missing",
}


def _categories(
    cells: Cells,
    names: Sequence[str],
    rows: np.ndarray,
    codes: dict[int, CategoryCodes],
    forced: Collection[int],
) -> tuple[tuple[str, ...], ...]:
    """Return the categories of each column in order, and write their codes into the rows."""
    found: list[tuple[str, ...]] = [()] * len(names)
    for j, own in codes.items():
        found[j], rows[:, j] = own.sort(rows[:, j])
        n_present = int((~np.isnan(rows[:, j])).sum())
        if are_like_ids(len(found[j]), n_present) and j not in forced:
            is_long = min(map(len, found[j])) > _LONGEST_ID
            what = "text or sequences" if is_long else "an identifier"
            remedy = ", select from its substrings with --strings" if is_long else ""
            if 2 * sum(_AMOUNT.match(text) is not None for text in found[j]) > len(found[j]):
                remedy = ", write quantities as numbers alone"  # such as 12 % and € 3.50
            raise InputError(
                f"{cells.path}: the column {names[j]!r} looks like {what}, with {len(found[j])} different texts in "
                f"{n_present} rows; leave it out with --drop{remedy}, or keep all of them with --text"
            )
        if not found[j]:
            raise InputError(
                f"{cells.path}: the column {names[j]!r} holds no value in the rows that are left; leave it out with "
                "--drop"
            )
    return tuple(found)

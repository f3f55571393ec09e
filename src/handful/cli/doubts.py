"""What a table holds that is hardly meant.

Said are numbers of rows, the target in other words, classes that differ in capitals, and several units. Refused is a target of text
that is no list of classes: numbers with a mistake among them, or a text of its own for most rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lgamma, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.estimators._spaces import UnitsMixin
from handful.io import InputError
from handful.io.columns import list_names
from handful.io.decimals import COMMA, has_fraction
from handful.io.labels import tidy_labels
from handful.io.layout import parse_number
from handful.io.mixed.kinds import Tally, are_like_ids, is_number
from handful.spaces.units import different_units
from handful.validation.spaces import columns_in_units, scaled_columns

if TYPE_CHECKING:
    from handful.cli.problem import Problem


#: With fewer rows chance alone makes columns rise, or split them as the target does.
FEWEST_ROWS = 10
#: A column that splits rows as the classes do is doubted if chance makes one in so many tables of its width.
_CHANCE = 1000.0
_LOOKED_AT = 50  # rows that rule most columns out
_IF_CLASSES = "or, if they are classes, say --classification"


def doubts_of(problem: Problem) -> Iterator[str]:
    """Say what in the target, and in a table of columns, is hardly meant."""
    mixed, encoding = problem.mixed, problem.encoding
    if not problem.regression:
        yield from doubts_of_classes(problem.y)
    if mixed is not None:
        rows = problem.X if encoding is None or mixed.rows is None else mixed.rows
        name = problem.names.__getitem__ if encoding is None else encoding.names.__getitem__
        yield from doubts_of_columns(rows, problem.y, name, regression=problem.regression)


def found_in_units(problem: Problem, estimator: Any) -> tuple[str, bool] | None:
    """Say that columns have different units, by their names, and whether that is to be doubted: what was asked for is not, nor what is scaled."""
    is_table = problem.bag_column is None and problem.names.strings is None
    if not is_table or not isinstance(estimator, UnitsMixin):
        return None
    rows = np.arange(len(problem.y))
    is_open = getattr(estimator, "space", None) is None and estimator.scale is None
    found = different_units(problem.X, rows) if is_open else None
    if found is None:
        return None
    names = [problem.names[found.wide], problem.names[found.narrow]]
    ranges = found.widest, found.narrowest
    is_scaled = estimator.unit_for(problem.X, np.ones(len(rows))) is not None
    sentence = scaled_columns(names, ranges) if is_scaled else columns_in_units(names, ranges)
    return sentence.rstrip("."), not is_scaled


def doubts_of_classes(y: np.ndarray) -> Iterator[str]:
    """Say which classes are probably one."""
    if y.dtype.kind not in "OUS":
        return
    alike: dict[str, list[str]] = {}
    for label in np.unique(y):
        alike.setdefault(" ".join(str(label).casefold().split()), []).append(str(label))
    for labels in alike.values():
        if len(labels) > 1:
            shown = " and ".join(map(repr, labels))
            yield f"classes {shown} differ in capitals or blanks alone: write them alike if they are one"


def doubts_of_columns(
    columns: np.ndarray, y: np.ndarray, name: Callable[[int], str], *, regression: bool
) -> Iterator[str]:
    """Say which columns number the rows, and which say the target in other words; texts are codes here, and gaps NaN."""
    if len(columns) < FEWEST_ROWS:
        return
    numbering = [name(j) for j in _numbers_of_rows(columns)]
    if numbering:
        verb = "numbers" if len(numbering) == 1 else "number"
        yield (
            f"{list_names(numbering)} {verb} rows or groups of them, as identifiers do: --drop what was not measured, "
            "and name rows of one patient by --row-groups"
        )
    if y.ndim > 1:
        return
    copies = _same_quantity(columns, y) if regression else _same_classes(columns, y)
    if len(copies):
        verb = "says" if len(copies) == 1 else "say"
        yield (
            f"{list_names([name(int(j)) for j in copies])} {verb} the target in other words: --drop what is not known of "
            "new rows"
        )


def _numbers_of_rows(columns: np.ndarray) -> list[int]:
    """Find columns of whole numbers that look like those of rows, or of patients with several rows each."""
    few = columns[:_LOOKED_AT]
    whole = np.flatnonzero((few == np.rint(few)).all(axis=0))
    steps, gaps = (np.diff(one, axis=0) for one in (few[:, whole], np.sort(few[:, whole], axis=0)))
    may_be = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0) | (gaps > 0).all(axis=0)
    return [int(j) for j in whole[may_be] if _is_numbering(columns[:, j])]


def _is_numbering(values: np.ndarray) -> bool:
    """Whether whole numbers are all there from the least to the largest, or never fall, or never rise, from row to row."""
    different = np.unique(values)
    if len(different) < FEWEST_ROWS or not np.array_equal(values, np.rint(values)):
        return False
    steps = np.diff(values)
    if (steps >= 0).all() or (steps <= 0).all():
        return True
    return bool(len(different) == len(values) == different[-1] - different[0] + 1)


def _same_classes(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Find columns with one value for each class, and another for each, where that is no chance."""
    classes, counts = np.unique(y, return_counts=True)
    ways = lgamma(len(y) + 1) - sum(lgamma(count + 1) for count in counts.tolist())
    if ways < log(_CHANCE * columns.shape[1]):
        return np.array([], dtype=np.intp)
    first = np.array([columns[(y == label).argmax()] for label in classes])
    is_same = np.asarray((np.diff(np.sort(first, axis=0), axis=0) > 0).all(axis=0))
    for label, value in zip(classes, first, strict=True):
        kept = np.flatnonzero(is_same)
        is_same[kept] = (columns[np.ix_(y == label, kept)] == value[kept]).all(axis=0)
    return np.flatnonzero(is_same)


def _same_quantity(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Find columns that are the target in another unit."""
    target = y - y.mean()
    means, products = columns.mean(axis=0), target @ columns
    squares = np.einsum("ij,ij->j", columns, columns) - len(y) * means**2
    close = np.flatnonzero(products**2 > 0.99 * squares * (target @ target))
    about = columns[:, close] - means[close]
    sizes = np.sqrt((about**2).sum(axis=0) * (target @ target))
    return close[(sizes > 0) & (np.abs(target @ about) >= (1 - 1e-9) * sizes)]


def check_texts(
    path: Path, name: str | None, y: np.ndarray, are_quantities: Callable[[np.ndarray], bool]
) -> None:
    """Refuse texts that are quantities in an unlucky spelling, and those of which most rows have one of their own.

    Grades such as 0, 1, 2 and 3+ are classes: ``are_quantities`` says whether numbers alone would not be.
    """
    target = "the target" if name is None else f"the target {name!r}"
    texts = [str(text) for text in y]
    tally = Tally()
    tally.add(texts, 0)
    if 2 * (tally.n_numbers + tally.n_other_marks) >= len(texts):
        read = (parse_number(text.replace(",", ".")) for text in texts)
        numbers = np.array([one for one in read if one is not None])
        if len(numbers) and are_quantities(tidy_labels(numbers)):
            raise _mistake(path, target, tally, texts)
    n_texts = len(set(texts))
    if are_like_ids(n_texts, len(texts)):
        raise InputError(
            f"{path}: {target} has {n_texts} different texts in {len(texts)} rows, such as {texts[0]!r}; name another one, "
            f"write quantities as numbers alone {_IF_CLASSES}"
        )


def _mistake(path: Path, target: str, tally: Tally, texts: list[str]) -> InputError:
    # Numbers with a comma are no mistakes where all have one: something else must be.
    cells = (text.strip() for text in texts)
    odd = next((cell for cell in cells if not (is_number(cell) or has_fraction(cell, COMMA))), None)
    if tally.first_other_mark is not None and odd is None:
        return InputError(
            f"{path}: {target} holds numbers with a comma such as {tally.first_other_mark[1]!r}; write them with a decimal point "
            f"{_IF_CLASSES}"
        )
    return InputError(
        f"{path}: {target} holds {odd!r}, and most of its values are numbers; correct it, remove the row {_IF_CLASSES}"
    )

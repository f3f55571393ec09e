"""What a command is to learn: a table, and whether it is classification or regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.cli.console import progress, say
from handful.cli.doubts import check_texts, doubts_of
from handful.cli.feature_names import FeatureNames
from handful.cli.options import Source
from handful.cli.row_groups import RowGroups, read_group_column, read_row_groups
from handful.io import InputError, Table, read_bags, read_strings, read_table
from handful.io.mixed import Encoding, MixedTable, has_cells, read_mixed_table
from handful.validation.plural import plural

_MOST_CLASSES = 100


@dataclass(frozen=True)
class Problem:
    """Features, a target or several, and which of the two tasks it is."""

    table: Table
    X: Any
    y: np.ndarray
    names: FeatureNames
    regression: bool
    bag_column: str | None = None
    mixed: MixedTable | None = None
    row_groups: RowGroups | None = None
    doubts: tuple[str, ...] = ()

    @property
    def encoding(self) -> Encoding | None:
        """How the features were made from a table; None when they are its columns."""
        return None if self.mixed is None else self.mixed.encoding

    def split(self, train: np.ndarray, test: np.ndarray) -> tuple[Any, Any]:
        """Return the features of some rows and of others; what is learned from rows is from the first."""
        if self.mixed is None:
            return self.X[train], self.X[test]
        return self.mixed.split(train, test)

    @property
    def n_classes(self) -> int | None:
        """How many classes there are; None for regression."""
        return None if self.regression else len(np.unique(self.y))

    @property
    def cases(self) -> str:
        """What has a label each."""
        return "rows" if self.bag_column is None else "bags"

    @property
    def has_several_labels(self) -> bool:
        """Whether a row may have several labels, or none."""
        return self.y.ndim == 2 and not self.regression


def load_problem(source: Source) -> Problem:
    """Read the data and say what they are taken for."""
    how: dict[str, Any] = {"file_format": source.file_format, "header": source.header}
    of_columns, mixed = {**how, "drop": _dropped(source)}, None
    bags = None if source.has_strings else source.bags
    _check_cells(source)
    with progress(f"reading {source.data}"):
        of_groups = None if source.row_groups is None else read_group_column(source)
        if source.has_strings:
            table = read_strings(source.data, source.strings, source.target, **how)
            X, y, n_characters = table.X, table.y, sum(map(len, table.X))
            size = f"{plural(len(X), 'string')} of {plural(n_characters, 'character')}"
        elif bags is not None:
            read = read_bags(source.data, bags, source.target, **of_columns)
            table, X, y = read.table, read.bags, read.y
            size = f"{plural(len(X), 'bag')} of {plural(X.n_instances, 'row')}, {plural(X.n_features, 'column')}"
        else:
            targets = {"targets": source.targets, **of_columns}
            if has_cells(source.data, source.file_format):
                rules: dict[str, Any] = {"missing": source.missing, "text": source.text or ()}
                mixed = read_mixed_table(source.data, source.target, **rules, **targets)
                table = mixed.table
            else:
                table = read_table(source.data, source.target, **targets)
            X, y = table.X, table.y
            size = f"{plural(X.shape[0], 'row')}, {plural(X.shape[1], 'feature')}"
    if y is None:
        raise InputError(f"{source.data} has no target")
    is_said = source.regression is not None or table.target_name in (source.text or ())
    if y.ndim == 1 and y.dtype.kind in "OUS" and not is_said:  # unless the user calls it classes
        check_texts(source.data, table.target_name, y, lambda some: is_regression(some, None)[0])
    decide = is_regression if y.ndim == 1 else several_targets
    regression, sentence = decide(y, source.regression)
    sizes, strings = (table.X.shape[1], table.first_index), source.strings or ""
    names = FeatureNames(table.feature_names, *sizes, target_names=table.target_names)
    if source.has_strings:
        names = replace(names, strings=strings)
    if mixed is not None and mixed.encoding is not None:
        size = f"{plural(X.shape[0], 'row')}, {mixed.encoding.describe()}"
        together = source.categories == "together"
        names = replace(names, encoded_columns=mixed.encoding.encoded_columns if together else ())
    say(f"{size}: {sentence}")
    for note in () if mixed is None else mixed.notes:
        say(note)
    problem = Problem(table, X, y, names, regression, bags, mixed)
    problem = replace(problem, doubts=tuple(doubts_of(problem)))
    for doubt in problem.doubts:
        say(f"warning: {doubt}")
    if source.row_groups is None:
        return problem
    groups = _row_groups(source, problem, of_groups)
    say(groups.note)
    return replace(problem, row_groups=groups)


def _dropped(source: Source) -> tuple[str, ...]:
    """Return the columns that are no features; what says which rows belong together is none."""
    drop = tuple(source.drop or ())
    if source.row_groups is None or source.has_strings:
        return drop
    return (*drop, source.row_groups) if has_cells(source.data, source.file_format) else drop


def _row_groups(source: Source, problem: Problem, column: np.ndarray | None) -> RowGroups:
    """Return which rows belong together, of those that are there; ``column`` says it, or else a file beside the data."""
    name, table, mixed = str(source.row_groups), problem.table, problem.mixed
    if name in (source.target, table.target_name, *(table.target_names or ())):
        raise InputError(
            f"{source.data}: {name!r} is the target, and cannot say which rows belong together"
        )
    kept = None if mixed is None else mixed.kept
    n_rows = table.X.shape[0] if kept is None else len(kept)
    labels = read_row_groups(source, n_rows, column)
    if problem.bag_column is not None:
        try:
            labels = problem.X.per_bag(labels, f"--row-groups {name!r}")
        except ValueError as error:
            raise InputError(f"{source.data}: {str(error).rstrip('.')}") from error
    return RowGroups(name, labels if kept is None else labels[kept], problem.cases)


def _check_cells(source: Source) -> None:
    """Refuse options about text and missing values where there can be none."""
    option = source.wants_cells
    if option is None:
        return
    if source.bags is not None:
        raise InputError(f"{option} cannot go with --bags, whose columns hold numbers")
    if source.has_strings:
        raise InputError(f"{option} cannot go with strings, which are read as they are")
    if not has_cells(source.data, source.file_format):
        raise InputError(f"{option} is for csv, tsv and parquet, and {source.data} is none of them")


def is_regression(y: np.ndarray, wanted: bool | None) -> tuple[bool, str]:
    """Decide what the target is, and say it in a sentence.

    Text, true/false, and up to 100 different whole numbers with at least two rows each on
    average are classes; any other numbers are quantities.
    """
    is_text = y.dtype.kind in "OUS"
    values = np.unique(y)
    if wanted is None:
        whole = y.dtype.kind in "biu"
        few = len(values) <= min(_MOST_CLASSES, max(2, len(y) // 2))
        regression = not (is_text or (whole and few))
    else:
        regression = wanted
    if regression and is_text:
        raise InputError(f"the target is text such as {values[0]!r}; regression needs numbers")
    if regression:
        sentence = f"regression on a target with {plural(len(values), 'different value')}"
        return True, sentence + ("" if wanted else " (--classification if they are classes)")
    shown = ", ".join(str(value) for value in values[:5]) + (", ..." if len(values) > 5 else "")
    sentence = f"classification into {plural(len(values), 'class', 'classes')} ({shown})"
    is_number = not is_text and y.dtype.kind != "b"
    hint = wanted is None and is_number and len(values) > 10
    return False, sentence + (" (--regression if they are quantities)" if hint else "")


def several_targets(y: np.ndarray, wanted: bool | None) -> tuple[bool, str]:
    """Decide whether the targets are quantities or labels, and say it in a sentence.

    Nothing but 0 and 1, or -1 and 1, are labels that a row has or has not.
    """
    values = np.unique(y)
    is_binary = set(values.tolist()) <= {0, 1} or set(values.tolist()) <= {-1, 1}
    regression = not is_binary if wanted is None else wanted
    n_targets = plural(y.shape[1], "target")
    if regression:
        return True, f"regression on {n_targets}"
    if not is_binary:
        odd = next(value for value in values.tolist() if value not in (-1, 0, 1))
        raise InputError(
            f"the targets hold {odd:g}; labels are 0 and 1 or -1 and 1 (--regression for quantities)"
        )
    share = float((y == 1).sum(axis=1).mean())
    return False, f"{n_targets} as labels, {share:.3g} for a row on average"

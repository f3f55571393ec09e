"""Turn the target into labels of the plainest type that holds them; of several targets, which names are meant, and matrices of them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from handful.files import open_regular
from handful.io.errors import InputError
from handful.io.opening import bounded_lines, check_file, open_bytes, reading
from handful.validation.npy import read_npy
from handful.validation.plural import plural

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "?", "."})
TRUTH = {"true": 1.0, "false": 0.0}


def is_missing(text: str) -> bool:
    """Whether a field is one of the usual ways to write "no value"."""
    return text.strip().lower() in MISSING


@dataclass(frozen=True)
class LabelRules:
    """How labels are read."""

    #: Texts that stand for "no value", in small letters.
    no_value: frozenset[str] = MISSING
    #: Whether labels are text, also those that look like numbers: 007 is not 7.
    as_text: bool = False
    #: Whether rows without a label are welcome: they have None among texts and NaN among numbers.
    may_be_missing: bool = False
    #: Whether ``--text`` can say that such a text is the name of a class.
    text_can_be_said: bool = False
    #: What messages call the column: other things than targets are read as labels too.
    role: str = "target"

    @classmethod
    def of_classes(cls, classes: Any, *, may_be_missing: bool) -> LabelRules:
        """Return the rules for new rows of a model: what it knows as a class is one; None for quantities."""
        texts = [] if classes is None else [one for one in classes if isinstance(one, str)]
        known = frozenset(text.strip().lower() for text in texts)
        return cls(MISSING - known, as_text=bool(texts), may_be_missing=may_be_missing)

    def is_missing(self, text: str) -> bool:
        """Whether a text stands for "no value"."""
        return text.strip().lower() in self.no_value

    def refusal(self, where: str, what: str, text: str = "", name: str | None = None) -> InputError:
        """Return the error for a label that is missing; ``name`` is that of its column."""
        said = text.strip()
        if not said:
            return InputError(f"{where}: {what} is missing; fill it in or remove the row")
        otherwise = "write it in another way"
        if self.text_can_be_said and name is not None:
            otherwise = f"keep it with --text {shlex.quote(name)}"
        return InputError(
            f"{where}: {what} is missing, for {said!r} stands for no value; remove the row or, if it is a class, {otherwise}"
        )


#: For what is no label: every text is what it is.
AS_WRITTEN = LabelRules(no_value=frozenset(), as_text=True)
#: For a column of labels that the user calls text: an empty field is still none.
AS_TEXT = LabelRules(no_value=frozenset({""}), as_text=True)


def rows_without(y: np.ndarray) -> np.ndarray:
    """Return which rows have no label, or lack one of several."""
    if y.dtype.kind == "O":
        return np.array([label is None for label in y], dtype=bool)
    if y.dtype.kind != "f":
        return np.zeros(len(y), dtype=bool)
    gaps = np.isnan(y)
    return gaps if y.ndim == 1 else gaps.any(axis=1)


def tidy_labels(values: np.ndarray) -> np.ndarray:
    """Whole numbers become int64, so that a class reads 1 and not 1.0; the rest is kept."""
    if values.dtype.kind == "f" and np.all(np.isfinite(values)):
        whole = np.rint(values)
        if np.array_equal(whole, values) and np.all(np.abs(whole) < 2**53):
            return whole.astype(np.int64)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    return values


def check_labels(
    path: Path, name: str, values: np.ndarray, *, may_be_missing: bool = False
) -> np.ndarray:
    """Refuse what is neither text nor finite numbers; return tidy labels, text as objects."""
    if values.dtype.kind == "U":
        return values.astype(object)
    if values.dtype.kind == "O":
        kinds = (str, type(None)) if may_be_missing else str
        if all(isinstance(value, kinds) for value in values):
            return values
    elif values.dtype.kind in "biuf":
        check_finite(path, name, values, may_be_missing=may_be_missing)
        return tidy_labels(values)
    raise InputError(f"{path}: the target {name!r} holds neither numbers nor text")


def check_finite(path: Path, name: str, values: np.ndarray, *, may_be_missing: bool) -> None:
    """Refuse numbers that are infinite, and NaN unless a missing one is welcome."""
    bad = np.flatnonzero(np.isinf(values) if may_be_missing else ~np.isfinite(values))
    if len(bad):
        raise InputError(f"{path}, row {bad[0] + 1}: the target {name!r} is NaN or infinite")


class LabelCodes:
    """Collect text labels as numbers while a file streams by.

    Call it with each label's text; it returns a code. `decode` turns the codes into
    numbers when every label is a number, by the reader of numbers that was given, else into text.
    """

    def __init__(
        self, rules: LabelRules | None = None, read: Callable[[str], float] = float
    ) -> None:
        self.rules = rules or LabelRules()
        self._read = read
        self._codes: dict[str, int] = {}

    @classmethod
    def of(cls, labels: Iterable[str], read: Callable[[str], float] = float) -> LabelCodes:
        """Return those of labels that are known already, in order of their codes."""
        made = cls(read=read)
        for label in labels:
            made(label)
        return made

    def __call__(self, text: str) -> int:
        """Return the code of a label."""
        return self._codes.setdefault(text.strip(), len(self._codes))

    @property
    def labels(self) -> list[str]:
        """The labels so far, in order of their codes."""
        return list(self._codes)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels that the codes stand for; None or NaN for those that are missing."""
        gone, places = self.missing(), codes.astype(np.intp)
        texts = [None if code in gone else text for code, text in enumerate(self.labels)]
        if not self.rules.as_text:
            try:
                numbers = [np.nan if text is None else self._read(text) for text in texts]
            except ValueError:
                pass
            else:
                return tidy_labels(np.array(numbers)[places])
        return np.array(texts, dtype=object)[places]

    def missing(self) -> set[int]:
        """Return the codes of the labels that stand for "no value"."""
        return {code for text, code in self._codes.items() if self.rules.is_missing(text)}


def labels_of_rows(
    texts: Iterable[str],
    rules: LabelRules,
    where: Callable[[int], str],
    read: Callable[[str], float] = float,
) -> np.ndarray:
    """Return the labels that texts stand for; one that is missing is refused, unless that is welcome.

    ``where`` says the place of a row, which is counted from 1.
    """
    codes = LabelCodes(rules, read)
    found = [codes(text) for text in texts]
    missing = set() if rules.may_be_missing else codes.missing()
    for row, code in enumerate(found, start=1):
        if code in missing:
            raise rules.refusal(where(row), "the label", codes.labels[code])
    return codes.decode(np.array(found))


def read_labels(
    path: str | Path, n_rows: int, data: str | Path, rules: LabelRules | None = None
) -> np.ndarray:
    """Read one label per line from a text file, or a one-dimensional ``.npy`` array."""
    file = check_file(path)
    rules = rules or LabelRules()
    is_array = file.suffix == ".npy"
    labels = (_load_npy if is_array else _load_lines)(file, rules)
    if len(labels) != n_rows:
        raise InputError(
            f"{path} has {plural(len(labels), 'label')} but {data} has {plural(n_rows, 'row')}"
        )
    return labels


def _load_npy(file: Path, rules: LabelRules) -> np.ndarray:
    try:
        with reading(file), open_regular(file) as stream:
            labels = read_npy(stream, os.fstat(stream.fileno()).st_size)
    except ValueError as error:
        raise InputError(f"{file} is not a plain npy array of numbers or text ({error})") from error
    if labels.ndim != 1:
        raise InputError(f"{file} holds an array of shape {labels.shape}, expected one dimension")
    return check_labels(file, file.name, labels, may_be_missing=rules.may_be_missing)


def _load_lines(file: Path, rules: LabelRules) -> np.ndarray:
    with reading(file), open_bytes(file) as stream:
        lines = enumerate(bounded_lines(file, stream))
        texts = (line.decode("utf-8" if number else "utf-8-sig") for number, line in lines)
        return labels_of_rows(texts, rules, lambda row: f"{file}, line {row}")


def split_targets(
    target: str | None, targets: str | Sequence[str] | None
) -> tuple[str, ...] | None:
    """Return the names and patterns one by one; None when one target or none is meant."""
    if targets is None:
        return None
    if target is not None:
        raise InputError("either --target or --targets can be given, not both")
    words = targets.split(",") if isinstance(targets, str) else targets
    names = tuple(word.strip() for word in words if word.strip())
    if not names:
        raise InputError("--targets names no target; give names, or a pattern such as 'label_*'")
    return names


def expand(
    path: Path, wanted: Sequence[str], known: Sequence[str], noun: str, *, optional: bool = False
) -> list[str]:
    """Replace each pattern by the known names that fit, in their order; other words stay as they are.

    Where targets are optional, there are none unless all are known.
    """
    if optional and not set(wanted) <= set(known):
        return []
    found: dict[str, None] = {}
    for word in wanted:
        fitting = [word]
        if "*" in word and word not in known:
            fitting = [name for name in known if fnmatchcase(name, word.replace("[", "[[]"))]
            if not fitting:
                raise InputError(f"{path}: no {noun} fits the target {word!r}")
        found.update(dict.fromkeys(fitting))
    return list(found)


def number_or_truth(text: str) -> float:
    """Read a field of a target: a number, or the words true and false."""
    word = text.strip().strip('"').lower()
    return TRUTH[word] if word in TRUTH else float(word)


def number_or_gap(text: str) -> float:
    """Read a field that may be missing, and is NaN then; ValueError for anything else that is no finite number."""
    if is_missing(text.strip().strip('"')):
        return np.nan
    number = number_or_truth(text)
    if not np.isfinite(number):
        raise ValueError(f"{text!r} is no finite number")
    return number


def target_matrix(
    path: Path,
    names: Sequence[str],
    columns: Sequence[np.ndarray],
    *,
    may_be_missing: bool = False,
) -> np.ndarray:
    """Put targets side by side; refuse what is not a finite number."""
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind not in "biuf":
            raise InputError(
                f"{path}: the target {name!r} holds text; several targets must be numbers, or labels that are written as 0 and 1 "
                "or as true and false"
            )
        check_finite(path, name, column, may_be_missing=may_be_missing)
    return tidy_labels(np.column_stack([column.astype(np.float64) for column in columns]))

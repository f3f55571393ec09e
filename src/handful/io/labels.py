"""Turn the target into labels of the plainest type that holds them; of several targets, which names are meant, and matrices of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from handful.files import open_regular
from handful.io.compression import check_file, open_bytes, reading
from handful.io.errors import InputError
from handful.io.lines import bounded_lines
from handful.validation.npy import read_npy

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "."})
TRUTH = {"true": 1.0, "false": 0.0}


def is_missing(text: str) -> bool:
    """Whether a field is one of the usual ways to write "no value"."""
    return text.strip().lower() in MISSING


def tidy_labels(values: np.ndarray) -> np.ndarray:
    """Whole numbers become int64, so that a class reads 1 and not 1.0; the rest is kept."""
    if values.dtype.kind == "f" and np.all(np.isfinite(values)):
        whole = np.rint(values)
        if np.array_equal(whole, values) and np.all(np.abs(whole) < 2**53):
            return whole.astype(np.int64)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    return values


def check_labels(path: Path, name: str, values: np.ndarray) -> np.ndarray:
    """Refuse what is neither text nor finite numbers; return tidy labels, text as objects."""
    if values.dtype.kind == "U":
        return values.astype(object)
    if values.dtype.kind == "O":
        if all(isinstance(value, str) for value in values):
            return values
    elif values.dtype.kind in "biuf":
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InputError(f"{path}, row {bad[0] + 1}: the target {name!r} is NaN or infinite")
        return tidy_labels(values)
    raise InputError(f"{path}: the target {name!r} holds neither numbers nor text")


class LabelCodes:
    """Collect text labels as numbers while a file streams by.

    Call it with each label's text; it returns a code. `decode` turns the codes into
    numbers when every label is a number, else into text.
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Return the code of a label."""
        return self._codes.setdefault(text.strip(), len(self._codes))

    @property
    def labels(self) -> list[str]:
        """The labels so far, in order of their codes."""
        return list(self._codes)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the labels that the codes stand for."""
        texts = self.labels
        try:
            labels = tidy_labels(np.array([float(text) for text in texts]))
        except ValueError:
            labels = np.array(texts, dtype=object)
        return labels[codes.astype(np.intp)]

    def missing(self) -> set[int]:
        """Return the codes of the labels that stand for "no value"."""
        return {code for text, code in self._codes.items() if is_missing(text)}


class TextCodes(LabelCodes):
    """The same for text that means nothing but itself: 007 is not 7, and nothing is missing."""

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the texts that the codes stand for."""
        return np.array(self.labels, dtype=object)[codes.astype(np.intp)]

    def missing(self) -> set[int]:
        """Return no codes."""
        return set()


def read_labels(
    path: str | Path, n_rows: int, data: str | Path, *, as_written: bool = False
) -> np.ndarray:
    """Read one label per line from a text file, or a one-dimensional ``.npy`` array."""
    file = check_file(path)
    codes = TextCodes() if as_written else LabelCodes()
    labels = _load_npy(file) if file.suffix == ".npy" else _load_lines(file, codes)
    if len(labels) != n_rows:
        raise InputError(f"{path} has {len(labels)} labels but {data} has {n_rows} rows")
    return labels


def _load_npy(file: Path) -> np.ndarray:
    try:
        with reading(file), open_regular(file) as stream:
            labels = read_npy(stream, os.fstat(stream.fileno()).st_size)
    except ValueError as error:
        raise InputError(f"{file} is not a plain npy array of numbers or text ({error})") from error
    if labels.ndim != 1:
        raise InputError(f"{file} holds an array of shape {labels.shape}, expected one dimension")
    return check_labels(file, file.name, labels)


def _load_lines(file: Path, codes: LabelCodes) -> np.ndarray:
    collected = []
    with reading(file), open_bytes(file) as stream:
        for number, raw in enumerate(bounded_lines(file, stream), start=1):
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            collected.append(codes(text))
    missing = codes.missing()
    for number, code in enumerate(collected, start=1):
        if code in missing:
            raise InputError(f"{file}, line {number}: the label is missing")
    return codes.decode(np.array(collected))


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


def expand(path: Path, wanted: Sequence[str], known: Sequence[str], noun: str) -> list[str]:
    """Replace each pattern by the known names that fit, in their order; other words stay as they are."""
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


def target_matrix(path: Path, names: Sequence[str], columns: Sequence[np.ndarray]) -> np.ndarray:
    """Put targets side by side; refuse what is not a finite number."""
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind not in "biuf":
            raise InputError(
                f"{path}: the target {name!r} holds text; several targets must be numbers"
            )
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise InputError(f"{path}, row {bad[0] + 1}: the target {name!r} is NaN or infinite")
    return tidy_labels(np.column_stack([column.astype(np.float64) for column in columns]))

"""Several targets: which names are meant, and matrices of them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from handful.io.errors import InputError
from handful.io.labels import tidy_labels

_TRUTH = {"true": 1.0, "false": 0.0}


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
    return _TRUTH[word] if word in _TRUTH else float(word)


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

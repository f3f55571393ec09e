"""A target of text that is no list of classes: numbers with a mistake among them, or a text of its own for most rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from handful.io import InputError
from handful.io.labels import tidy_labels
from handful.io.layout import parse_number
from handful.io.mixed.kinds import Tally, are_like_ids

_IF_CLASSES = "or, if they are classes, say --classification"


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
    if 2 * (tally.n_numbers + tally.n_commas) >= len(texts):
        read = (parse_number(text.replace(",", ".")) for text in texts)
        numbers = np.array([one for one in read if one is not None])
        if len(numbers) and are_quantities(tidy_labels(numbers)):
            raise _mistake(path, target, tally)
    n_texts = len(set(texts))
    if are_like_ids(n_texts, len(texts)):
        raise InputError(
            f"{path}: {target} has {n_texts} different texts in {len(texts)} rows, such as {texts[0]!r}; name another one, "
            f"write quantities as numbers alone {_IF_CLASSES}"
        )


def _mistake(path: Path, target: str, tally: Tally) -> InputError:
    if tally.first_comma is not None:
        return InputError(
            f"{path}: {target} holds numbers with a comma such as {tally.first_comma!r}; write them with a decimal point "
            f"{_IF_CLASSES}"
        )
    odd = "" if tally.first_odd is None else tally.first_odd[1]
    return InputError(
        f"{path}: {target} holds {odd!r}, and most of its values are numbers; correct it, remove the row {_IF_CLASSES}"
    )

"""Checks of a matrix that is not in memory: on disk, on a cluster, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation import Array


class NotInMemoryError(TypeError, ValueError):
    """What was asked for needs an array, and X is not in memory."""


def check_shape(shape: tuple[int, ...], least_samples: int) -> None:
    """Raise unless there are rows and columns enough."""
    if len(shape) != 2:
        raise ValueError(f"X must have rows and columns; got an array of {len(shape)} dimensions.")
    for size, least, what in zip(shape, (least_samples, 1), ("sample", "feature"), strict=True):
        if size < least:
            raise ValueError(
                f"Found array with {size} {what}(s) while a minimum of {least} is required."
            )


def check_dtype(dtype: Any) -> None:
    """Raise unless the numbers are of a type that is computed with."""
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"X must hold float32 or float64 numbers; got {dtype}, convert it first.")


def check_n_rows(n_samples: int, y: Any) -> None:
    """Raise unless there is one target for each row."""
    if y.shape[0] != n_samples:
        raise ValueError(
            f"y must have one entry for each of the {n_samples} rows of X; got {y.shape[0]}."
        )


def check_n_features(n_features: int, expected: int, owner: str) -> None:
    """Raise unless X has as many columns as the data of the fit."""
    if n_features != expected:
        raise ValueError(
            f"X has {n_features} features, but {owner} is expecting {expected} features as input."
        )


def check_names(names: Sequence[str] | Array | None, expected: Array | None) -> None:
    """Raise when columns have other names than in the fit; those without names are taken in order."""
    if names is None or expected is None:
        return
    for j, (name, known) in enumerate(zip(names, expected, strict=True)):
        if name != known:
            raise ValueError(
                f"column {j} of X is named {str(name)!r} and was {str(known)!r} in fit; give the same columns "
                "in the same order."
            )


def no_pairs(matrix: Any) -> NotInMemoryError:
    """Return the error for products of two columns where there is no search for them."""
    return NotInMemoryError(
        f"the pairs of a {type(matrix).__name__} cannot be searched; bring the columns of interest into memory."
    )


def not_in_memory(matrix: Any) -> NotInMemoryError:
    """Return the error for an attempt to have all of the matrix as an array."""
    return NotInMemoryError(
        f"a {type(matrix).__name__} is not in memory, where this is computed; use FGM, greedy RLS or the lasso of "
        "several tasks, or select columns first and give those as an array."
    )


def only_in_memory(space: Any) -> NotInMemoryError:
    """Return the error for features that are made from a sorted copy of X."""
    return NotInMemoryError(
        f"{type(space).__name__} sorts a copy of X in memory and X is not there; use space=None, "
        "groups or Polynomial, or give X as an array."
    )

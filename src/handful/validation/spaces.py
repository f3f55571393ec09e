"""Checks of spaces whose features are made of columns: products of two, and columns under kernels; and words on units of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation import LARGEST
from handful.validation.counts import is_number, is_whole

Array = np.ndarray


def space_without_data(space: Any) -> TypeError:
    """Return the error for a feature space that is asked before it has data."""
    return TypeError(f"{space!r} has no data yet; use what its on(X) returns.")


def unknown_parameter(space: Any, name: str, known: list[str]) -> ValueError:
    """Return the error for a parameter that is set and that a space does not have."""
    return ValueError(f"{space!r} has no parameter {name!r}; it has {', '.join(known)}.")


def not_remembered(space: Any, feature: int) -> ValueError:
    """Return the error for a feature whose columns cannot be made from new rows."""
    return ValueError(
        f"{space!r} remembers nothing of feature {feature}; name it in remembering, or put a new "
        "space on the data."
    )


def check_entries_not_negative(X: Any, ids: Array, owner: str) -> None:
    """Raise at the first negative entry of a CSC matrix; ``ids`` are the columns it holds."""
    places = np.flatnonzero(X.data < 0)
    if len(places):
        place = places[0]
        column = ids[np.searchsorted(X.indptr, place, side="right") - 1]
        raise ValueError(
            f"{owner} takes no negative entries, but row {X.indices[place]}, column {column} of X "
            f"has {X.data[place]:g}; scale the columns to [0, 1] or use kind='gaussian'."
        )


def check_powers(powers: Array, exponent: float) -> None:
    """Raise when entries of X leave the range of floats once they are raised to a power."""
    if not np.isfinite(powers.max(initial=0.0)):
        raise ValueError(
            f"An entry of X is too large to be raised to the power beta={exponent:g}; rescale X or "
            "choose a smaller beta."
        )


def check_degree(got: Any) -> None:
    """Raise unless products of two columns are asked for."""
    if not is_whole(got) or got != 2:
        raise ValueError(
            f"degree must be 2, because Polynomial makes products of two columns only; got {got!r}."
        )


def check_not_negative(name: str, got: Any) -> None:
    """Raise unless the parameter is zero or a positive number."""
    if not is_number(got) or not 0 <= got <= LARGEST:
        raise ValueError(f"{name} must be a number from 0 to {LARGEST:g}; got {got!r}.")


def check_n_pairs(n_columns: int, n_features: int) -> None:
    """Raise when columns give no features at all, or more than can be numbered."""
    if n_features == 0:
        raise ValueError(
            "X has one column, which makes no pair with another; set interaction_only=False or "
            "include_linear=True."
        )
    if n_features > np.iinfo(np.int64).max:
        raise ValueError(
            f"X has {n_columns} columns, whose pairs are more than 64-bit ids can number; "
            "drop columns first."
        )


def columns_in_units(names: Sequence[str], ranges: Sequence[float]) -> str:
    """Return the warning for columns that are compared as they are and differ by their units."""
    return (
        f"{_units(names, ranges)}, and large numbers are preferred: scale='std' has every column count as if its standard deviation "
        "were one, and scale='raw' says that they are meant as they are."
    )


def scaled_columns(names: Sequence[str], ranges: Sequence[float]) -> str:
    """Return the note on columns that are scaled since they differ by their units."""
    return f"{_units(names, ranges)}, and each counts as if its standard deviation were one: scale='raw' would compare them as they are."


def _units(names: Sequence[str], ranges: Sequence[float]) -> str:
    """Say which columns differ most, of those looked at."""
    wide, narrow = (f"{one:.3g}" for one in ranges)
    return f"Columns seem to have different units ({names[0]!r} ranges over {wide}, {names[1]!r} over {narrow})"

"""Checks of the spaces that put each column of X under a kernel of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def space_without_data(space: Any) -> TypeError:
    """Return the error for a feature space that is asked before it has data."""
    return TypeError(f"{space!r} has no data yet; use what its on(X) returns.")


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

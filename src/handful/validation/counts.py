"""What is a number, and how many features are wanted: a number of them, or a share of those there are."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def is_number(given: Any) -> bool:
    """Whether it is a real number; to Python True is one, and to users it is not."""
    return isinstance(given, numbers.Real) and not isinstance(given, bool)


def is_whole(given: Any) -> bool:
    """Whether it is a whole number by its type, as 2 is and 2.0 is not."""
    return isinstance(given, numbers.Integral) and not isinstance(given, bool)


def check_wanted(given: Any) -> None:
    """Raise unless n_features_to_select is a whole number, a share between 0 and 1, or None."""
    if given is None or (is_whole(given) and int(given) >= 1) or is_share(given):
        return
    raise ValueError(
        "n_features_to_select must be a whole number of at least 1, a share between 0 and 1, or None; "
        f"got {given!r}."
    )


def is_share(given: Any) -> bool:
    """Whether a share is meant; 1.0 is none, since it may be meant as one feature or as all."""
    is_real = isinstance(given, numbers.Real) and not isinstance(given, numbers.Integral)
    return bool(is_real and 0 < given < 1)


def n_wanted(given: Any, n_there: int) -> int | None:
    """Return how many of those there are is meant: of a share the whole part as RFE has it, at least 1."""
    if given is None:
        return None
    return max(int(given * n_there), 1) if is_share(given) else int(given)


def may_be_one(given: Any) -> bool:
    """Whether a single feature may be wanted; what a share is depends on the data."""
    return bool(given == 1 or is_share(given))


def n_named(given: Any) -> int:
    """Return how many features ``include`` or ``exclude`` names, by ids, names or a mask."""
    if given is None:
        return 0
    values = np.asarray(given)
    return int(values.sum()) if values.dtype == bool else values.size


def check_n_features_to_select(
    k: int | None, n_features: int, n_include: int, n_exclude: int, *, grouped: bool = False
) -> None:
    """Raise when k features, or groups, cannot be chosen from those there are."""
    if k is None:
        return
    what = "columns and groups of columns" if grouped else "features"
    if k > n_features:
        there = f"the {n_features} {what} there are to choose from"
        if n_features == 1:  # in the words that scikit-learn's checks look for
            there = "n_features=1, all there is to choose from"
        raise ValueError(
            f"n_features_to_select={k} is more than {there}; ask for fewer or leave it None."
        )
    if k > n_features - n_exclude:
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_features - n_exclude} {what} that "
            f"are left of {n_features} after exclude."
        )
    if k < n_include:
        raise ValueError(
            f"n_features_to_select={k} is fewer than the {n_include} {what} of include; ask for at least as many."
        )

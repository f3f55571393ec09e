"""Checks of what products of two columns are made from."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from handful.validation import LARGEST


def check_degree(got: Any) -> None:
    """Raise unless products of two columns are asked for."""
    if isinstance(got, bool) or not isinstance(got, numbers.Integral) or got != 2:
        raise ValueError(
            f"degree must be 2, because Polynomial makes products of two columns only; got {got!r}."
        )


def check_not_negative(name: str, got: Any) -> None:
    """Raise unless the parameter is zero or a positive number."""
    is_number = isinstance(got, numbers.Real) and not isinstance(got, bool)
    if not is_number or not 0 <= got <= LARGEST:
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

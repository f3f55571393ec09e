"""Checks of what chooses the number of features, and their messages."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray


def no_selector(estimator: Any) -> ValueError:
    """Return the error for an estimator that cannot be told how many features to select."""
    return ValueError(
        f"estimator must be a selector with n_features_to_select, or a Pipeline with such a step; "
        f"got {type(estimator).__name__}."
    )


def no_targets() -> ValueError:
    """Return the error for a choice without targets."""
    return ValueError(
        "requires y to be passed, but the target y is None: held-out rows are judged by it."
    )


def check_same_length(found: int, n_samples: int, name: str) -> None:
    """Raise unless there is one number for each sample."""
    if found != n_samples:
        raise ValueError(f"{name} has {found} entries for {n_samples} samples; give one for each.")

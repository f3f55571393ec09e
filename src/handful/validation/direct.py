"""Checks and messages of direct sparsity and robust feature selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.validation import check_share, grid_of
from handful.validation.weights import plain

Array = np.ndarray
MARGINS = ("auto", "hard", "projected", "soft")


def powers(given: Any) -> Array:
    """Return the grid that is meant by a number in (0, 1] or a list of such numbers."""
    meant = "a number above 0 and at most 1, or a list of such numbers"
    return grid_of("p", given, check_share, meant)


def lonely_class(label: Any) -> str:
    """Return the warning for a class with a single sample."""
    return (
        f"Class {plain(label)!r} has one sample only, so what sets it apart rests on that sample alone; "
        "add samples or leave the class out."
    )


def class_too_small(label: Any, count: int, name: str) -> ValueError:
    """Return the error for a class that cannot be split for cross-validation."""
    return ValueError(
        f"Class {plain(label)!r} has {count} sample{'s' if count > 1 else ''}, too few to choose {name} by "
        f"cross-validation; give one {name} or add samples."
    )


def too_few_samples(n_samples: int, name: str) -> ValueError:
    """Return the error for data that cannot be split for cross-validation."""
    return ValueError(
        f"{n_samples} samples are too few to choose {name} by cross-validation; give one {name}."
    )


def weights_do_not_count() -> str:
    """Return the warning for weights of samples whose margins must hold anyway."""
    return (
        "Hard margins hold for every sample whatever its sample_weight or class_weight, so only weights "
        "of zero count; set margin='soft' to weigh samples."
    )


def shrunk_to_nothing(name: str, value: float, *, is_scaled: bool) -> str:
    """Return the warning for a penalty beside which weights are next to nothing."""
    other = f"a {'smaller' if name == 'alpha' else 'larger'} {name}"
    unit = "" if is_scaled else ", or set scale='std' where columns are in small units"
    return (
        f"{name}={value:g} shrinks weights until predictions of the samples differ by less than 1 % of what y does; choose {other}"
        f"{unit}."
    )

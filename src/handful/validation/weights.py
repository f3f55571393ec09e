"""Checks and messages of weights, and how large numbers may be."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_class_weight

from handful.validation.names import SHOWN
from handful.validation.sources import in_memory

Array = np.ndarray
# Products of four of the numbers at hand must not overflow or vanish.
LARGEST = 1e75


def sample_weights(given: Any, n_samples: int) -> Array:
    """Return the weights as float64, ones when there are none."""
    if given is None:
        return np.ones(n_samples)
    weights = given if _are_floats(given) else _as_floats(given, n_samples)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must hold one number for each of the {n_samples} samples; "
            f"got shape {weights.shape}."
        )
    if not np.isfinite(weights).all():
        where = int(np.argmin(np.isfinite(weights)))
        raise ValueError(f"sample_weight must be finite; sample {where} has {weights[where]:g}.")
    if (weights < 0).any():
        where = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight must not be negative; sample {where} has {weights[where]:g}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample; give at least one a weight.")
    beyond = _out_of_range(weights)
    if beyond.any():
        where = int(np.argmax(beyond))
        raise ValueError(
            f"sample_weight must be 0 or lie between {1 / LARGEST:g} and {LARGEST:g}; sample {where} has "
            f"{weights[where]:g}, so multiply all by one number."
        )
    return weights


def _are_floats(given: Any) -> bool:
    """Whether nothing is to be converted, as in every round of a fit, where finding that out takes longest."""
    return (
        type(given) is np.ndarray
        and given.dtype == np.float64
        and given.ndim == 1
        and given.size > 0
    )


def _as_floats(given: Any, n_samples: int) -> Array:
    """Return weights in whatever form, or one for all samples, as float64."""
    given = in_memory(given)
    if isinstance(given, numbers.Real):
        given = np.full(n_samples, given)
    try:
        return check_array(
            given,
            ensure_2d=False,
            dtype=np.float64,
            input_name="sample_weight",
            ensure_all_finite=False,
        )
    except ValueError as error:
        if "sample_weight" in str(error):
            raise
        raise ValueError(f"sample_weight must hold numbers: {error}") from error


def class_weights(given: Any, classes: Array, codes: Array, sample_weight: Array) -> Array:
    """Return one factor per class from class_weight; ``codes`` are positions in ``classes``.

    "balanced" gives every class the same total weight.
    """
    if isinstance(given, str) and given == "balanced":
        totals = np.bincount(codes, weights=sample_weight, minlength=len(classes))
        share = totals.sum() / np.count_nonzero(totals)
        return np.divide(share, totals, out=np.zeros(len(classes)), where=totals > 0)
    if not isinstance(given, dict):
        raise ValueError(
            "class_weight must be a dictionary from class to number, 'balanced' or None; "
            f"got {given!r}."
        )
    try:
        factors = np.asarray(compute_class_weight(given, classes=classes, y=classes))
    except ValueError as error:
        known = [plain(label) for label in classes]
        unknown = next(label for label in given if label not in known)
        # As Python writes them: '1' is not 1.
        shown = ", ".join(map(repr, known[:SHOWN])) + (", ..." if len(known) > SHOWN else "")
        raise ValueError(
            f"class_weight has {unknown!r}, which is no class of y; its classes are {shown}."
        ) from error
    wrong = np.flatnonzero(~(np.isfinite(factors) & (factors >= 0)))
    if len(wrong):
        label, factor = plain(classes[wrong[0]]), factors[wrong[0]]
        raise ValueError(
            f"class_weight must be finite and not negative; class {label!r} has {factor:g}."
        )
    beyond = np.flatnonzero(_out_of_range(factors))
    if len(beyond):
        label, factor = plain(classes[beyond[0]]), factors[beyond[0]]
        raise ValueError(
            f"class_weight must be 0 or lie between {1 / LARGEST:g} and {LARGEST:g}; class {label!r} has "
            f"{factor:g}."
        )
    return factors


def _out_of_range(values: Array) -> Array:
    """Mark numbers above zero with which products overflow or vanish."""
    return (values > 0) & ~((values >= 1 / LARGEST) & (values <= LARGEST))


def plain(label: Any) -> Any:
    """Show a label as the user wrote it, not as NumPy's scalar."""
    return label.item() if isinstance(label, np.generic) else label

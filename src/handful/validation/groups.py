"""Checks of ``groups`` and ``group_weights``, and of what may go with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.validation.cells import is_missing

Array = np.ndarray


def wrong_group_labels(given: Any, n_features: int) -> ValueError:
    """Return the error for labels that do not fit the features."""
    shape = np.shape(given)
    got = f"{shape[0]} labels" if len(shape) == 1 else f"shape {shape}"
    if not shape:  # such as a dictionary
        got = f"a {type(given).__name__}"
    return ValueError(
        f"groups must hold one label for each of the {n_features} features, or be a list of id "
        f"arrays; got {got}."
    )


def check_all_labelled(given: Any, labels: Array) -> None:
    """Raise for the first feature without a label: those of no known group would be selected as one."""
    if labels.dtype.kind == "U" and isinstance(given, (list, tuple)):
        labels = np.asarray(given, dtype=object)  # beside words NaN became one
    if labels.dtype.kind not in "fO":
        return
    nowhere = next((j for j, label in enumerate(labels) if is_missing(label)), None)
    if nowhere is not None:
        raise ValueError(
            f"groups has no label for feature {nowhere}; give it one, of its own where it belongs to no other feature."
        )


def mixed_group_labels() -> ValueError:
    """Return the error for labels that cannot be put in order."""
    return ValueError(
        "groups has labels of different types, which cannot be sorted; use only texts or only numbers."
    )


def unknown_groups(given: Any) -> ValueError:
    """Return the error for groups of no known kind."""
    return ValueError(
        "groups must be one label per feature, a list of id arrays, 'columns' or None; "
        f"got {given!r}."
    )


def unnamed_columns() -> ValueError:
    """Return the error for one-hot groups without names to tell them by."""
    return ValueError(
        "groups='columns' needs the names of the columns; give X as a data frame, for example with "
        "ColumnTransformer(...).set_output(transform='pandas')."
    )


def unknown_origins(transformer: Any) -> ValueError:
    """Return the error for a transformer whose columns come from nobody knows which."""
    return ValueError(
        f"original_columns does not know which columns {type(transformer).__name__} makes of which; give groups as one label for "
        "each column instead."
    )


def check_group(number: int, ids: Array, n_features: int) -> None:
    """Raise unless these are ids of features."""
    if ids.size == 0:
        raise ValueError(f"groups has an empty group at position {number}; leave it out.")
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(
            f"groups must hold arrays of feature ids; the group at position {number} has "
            f"{ids.dtype} values of shape {ids.shape}."
        )
    wrong = ids[(ids < 0) | (ids >= n_features)]
    if len(wrong):
        raise ValueError(
            f"groups has the feature id {wrong[0]} in the group at position {number}; ids go from 0 "
            f"to {n_features - 1}."
        )


def group_weights(given: Any, n_groups: int) -> Array:
    """Return one positive number per group."""
    return positive_numbers("group_weights", given, n_groups, "group", ", be 'size' or None")


def positive_numbers(name: str, given: Any, number: int, thing: str, also: str = "") -> Array:
    """Return one positive number for each feature or group; ``also`` is what else may be given."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (number,):
        got = f"shape {values.shape}" if values.size and not also else repr(given)
        raise ValueError(
            f"{name} must hold one number for each of the {number} {thing}s{also}; got {got}."
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        where = f"{thing} {wrong[0]}"
        raise ValueError(f"{name} must be finite and above 0; {where} has {values[wrong[0]]:g}.")
    return values


def by_label(
    name: str, given: Mapping[Any, float], labels: list[Any] | None, noun: str
) -> list[float]:
    """Put numbers given for the labels of groups in the order of the groups."""
    if labels is None:
        raise ValueError(
            f"{name} can be a dictionary only when groups holds labels; give one number per group."
        )
    missing = [label for label in labels if label not in given]
    if missing:
        raise ValueError(f"{name} has no {noun} for the group {missing[0]!r}.")
    return [given[label] for label in labels]


def check_space_choices(space: Any, groups: Any, group_weights: Any, scale: Any) -> None:
    """Raise for choices that exclude each other."""
    if isinstance(space, type):
        raise ValueError(
            f"space must be None or a feature space; got the class {space.__name__}, so write {space.__name__}()."
        )
    if space is not None and not callable(getattr(space, "on", None)):
        raise ValueError(
            "space must be None or a feature space such as handful.spaces.Polynomial(); "
            f"got {space!r}."
        )
    if space is not None and groups is not None:
        raise ValueError(
            "groups are of the columns of X and cannot go with space; leave one of the two None."
        )
    if space is not None and scale is not None:
        raise ValueError(
            f"scale={scale!r} is for the columns of X and cannot go with space; scale X itself, for "
            "example with sklearn.preprocessing.MaxAbsScaler."
        )
    if groups is None and group_weights is not None:
        raise ValueError("group_weights needs groups; give those too, or leave it None.")

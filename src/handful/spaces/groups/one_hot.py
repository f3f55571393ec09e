"""Columns that an encoder made of one, told by their names and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from handful.sizes import slices
from handful.spaces.base import Array, FeatureSpace, dense

COLUMNS_AT_ONCE = 256


def one_hot_groups(space: FeatureSpace, names: Sequence[str]) -> list[str]:
    """Return a label for each column: the name of its group, or its own.

    Encoders put a group side by side, name its columns alike up to an underscore
    ("colour_red", "colour_dark_blue") and fill at most one of them in a row, with one value. Columns for
    which all this holds are a group; "__" only separates the name of a transformer.
    """
    labels: list[str] = []
    group: list[str] = []
    taken = np.zeros(space.n_samples, dtype=bool)
    for name, filled, is_indicator in _indicators(space, names):
        joined = is_indicator and group and _stem([*group, name]) and not (taken & filled).any()
        if not joined:
            labels += _labels(group, labels)
            group, taken = [], np.zeros(space.n_samples, dtype=bool)
        if is_indicator:
            group.append(name)
            taken = taken | filled
        else:
            labels += _labels([name], labels)
    return labels + _labels(group, labels)


def _indicators(space: FeatureSpace, names: Sequence[str]) -> Iterator[tuple[str, Array, bool]]:
    """For each column: its name, its non-zero rows, and whether all of those have one value."""
    for part in slices(space.n_features, COLUMNS_AT_ONCE):
        ids = np.arange(part.start, part.stop)
        values = dense(space.columns(ids))
        for name, column in zip(space.names(ids, names), values.T, strict=True):
            filled = column != 0
            has_one_value = not filled.any() or np.ptp(column[filled]) == 0
            yield name, filled, "_" in name and bool(has_one_value)


def _stem(group: Sequence[str]) -> str:
    """What all names have in common up to an underscore; empty when that is nothing."""
    first, last = min(group), max(group)  # what these two share, all do
    alike = 0
    while alike < len(first) and first[alike] == last[alike]:
        alike += 1
    stem = first[: first.rfind("_", 0, alike) + 1]
    return "" if stem.endswith("__") else stem.rstrip("_")


def _labels(group: Sequence[str], known: Sequence[str]) -> list[str]:
    """The label of a group for each of its columns; never one that is in use."""
    if not group:
        return []
    label = _stem(group) if len(group) > 1 else group[0]
    while label in known:
        label += "'"
    return [label] * len(group)

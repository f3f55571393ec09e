"""The steps of a Pipeline around a selector: what X passes on its way, and which columns were which before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.pipeline import Pipeline

Array = np.ndarray


def steps_before(estimator: Any, selector: Any) -> list[Any]:
    """Return the fitted steps that X passes on the way to the selector."""
    before: list[Any] = []
    for step in flat_steps(estimator):
        if step is selector:
            return before
        before.append(step)
    return []


def flat_steps(estimator: Any) -> Iterator[Any]:
    """Yield the steps of a Pipeline and of those in it; of anything else itself."""
    if not isinstance(estimator, Pipeline):
        yield estimator
        return
    for _, step in estimator.steps:
        if step is not None and step != "passthrough":
            yield from flat_steps(step)


def keeps_columns(step: Any) -> bool:
    """Whether a step gives as many columns as it gets, each made of one, as scalers do."""
    return isinstance(step, OneToOneFeatureMixin)


def pass_columns(steps: Sequence[Any]) -> bool:
    """Whether steps keep the columns, as scalers do, or pick some, and make no others."""
    return all(keeps_columns(step) or hasattr(step, "get_support") for step in steps)


def ids_before(steps: Sequence[Any], ids: Array) -> Array:
    """Return which columns these were before fitted steps that keep the columns or pick some of them.

    Behind a step that makes other columns they are those that it made.
    """
    for step in reversed(steps):
        if hasattr(step, "get_support"):
            ids = own_ids(step)[ids]
        elif not keeps_columns(step):
            break
    return ids


def size_before(steps: Sequence[Any], size: int) -> int:
    """Return how many columns there were where the ids of :func:`ids_before` are counted."""
    for step in reversed(steps):
        if not hasattr(step, "get_support") and not keeps_columns(step):
            break
        size = int(step.n_features_in_)
    return size


def own_ids(selector: Any) -> Array:
    """Return which of the columns that it was given a fitted selector chose."""
    if hasattr(selector, "support_ids_"):
        return np.asarray(selector.support_ids_, dtype=np.int64)
    return np.asarray(selector.get_support(indices=True), dtype=np.int64)

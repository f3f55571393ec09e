"""X, y and numbers for each sample, of any kind, in a form that parts of the rows can be taken of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_array, indexable
from sklearn.utils.validation import _num_samples, column_or_1d

from handful.estimators._inputs import check_documents, check_source, checked_data
from handful.model_selection._wrapped import (
    raise_if_interrupted,
    steps_before,
    taker_of_bags,
    takes_strings,
)
from handful.spaces.bags import Bags, as_bags
from handful.spaces.resolve import USED_IN_PLACE, as_documents, source_of
from handful.spaces.source import Source
from handful.spaces.strings.documents import Documents
from handful.validation import model_selection as checks
from handful.validation.bags import in_order_of_bags
from handful.validation.cells import is_table, validated
from handful.validation.shapes import refuse_lazy

Array = np.ndarray


@dataclass(frozen=True)
class Samples:
    """X, y and numbers for each sample, in a form that parts of the rows can be taken of."""

    #: An array, a sparse matrix by rows, a frame, a list, Bags, Documents or a Source.
    #: Rows of a :class:`~handful.spaces.source.Source` stay where they are: a store is not copied, and
    #: chunks of a dask array do not move.
    X: Any
    #: As given, in memory.
    y: Any
    #: What else goes to ``fit``; what is as long as X is split with it.
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, **more: Any) -> Samples:
        """Take what a user gave for an estimator; ValueError if lengths differ."""
        if y is None:
            raise checks.no_targets()
        refuse_lazy("X", X)
        refuse_lazy("y", y)
        away = source_of(X)
        if away is not None:
            y = np.asarray(away.targets(y))
            given = {
                name: np.asarray(away.targets(value)) if hasattr(value, "__array__") else value
                for name, value in more.items()
            }
            checks.check_same_length(_num_samples(y), away.shape[0], "y")
            return cls(away, y, given)
        taker = taker_of_bags(estimator)
        if taker is not None:
            X = as_bags(X, bag_column=taker.bag_column)
            checks.check_same_length(_num_samples(y), len(X), "y")
            y = as_bags_are(estimator, X, {"y": y})["y"]
            more = as_bags_are(estimator, X, more)
        if takes_strings(estimator):
            X = as_documents(X, shared=True)  # features have the same ids on all of the rows
        X, y = indexable(X, y)
        return cls(X, y, {name: value for name, value in more.items() if value is not None})

    def __len__(self) -> int:
        return int(_num_samples(self.X))

    def take(self, rows: Array) -> Samples:
        """Return some of the rows, in that order; one that is named twice is there twice."""
        more = take_rows(self.more, rows, len(self))
        return Samples(_rows_of(self.X, rows, len(self)), _rows_of(self.y, rows, len(self)), more)

    def fit(self, estimator: Any) -> Any:
        """Fit an estimator to these; KeyboardInterrupt if that is what ended it."""
        estimator.fit(self.X, self.y, **self.more)
        raise_if_interrupted(estimator)
        return estimator


def checked_samples(owner: Any, X: Any, y: Any, **more: Any) -> Samples:
    """Check the data for the estimator of a meta-estimator, and set on the owner what describes them."""
    away, estimator = source_of(X), owner.estimator
    as_is: dict[str, Any] = {"multi_output": True, "y_numeric": False, "ensure_min_samples": 2}
    if away is not None:
        X, y = check_source(owner, away, y=y, **as_is)
    elif takes_strings(estimator):
        X, y = check_documents(owner, as_documents(X, shared=True), y=y, **as_is)
    else:
        numbers_in, y = checked_data(owner, X, y=y, **USED_IN_PLACE, **as_is)
        X = X if is_table(X) else numbers_in  # tables have names
    return Samples.of(estimator, X, _of_one_column(estimator, y), **more)


def with_checked_targets(estimator: Any, samples: Samples) -> Samples:
    """Return samples whose y no fold has to look at again; X is the matter of the estimator."""
    as_is: dict[str, Any] = {"multi_output": True, "y_numeric": False}
    y = validated(clone(estimator), "no_validation", y=samples.y, **as_is)
    return replace(samples, y=_of_one_column(estimator, y))


def _of_one_column(estimator: Any, y: Any) -> Any:
    """Return classes in a column as one class for each sample, and say so."""
    is_column = is_classifier(estimator) and np.ndim(y) == 2 and np.shape(y)[1] == 1
    return column_or_1d(y, warn=True) if is_column else y


def as_bags_are(estimator: Any, X: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known by the ids of bags, as the index of pandas, in the order of the bags; others as they are."""
    taker = taker_of_bags(estimator)
    if taker is None or taker.bag_column is None:
        return dict(values)
    return {name: in_order_of_bags(value, X.bag_ids) for name, value in values.items()}


def passed_to_selector(estimator: Any, samples: Samples) -> Samples:
    """Return what the steps before the selector, fitted to the samples, make of them."""
    X = samples.X
    for step in steps_before(estimator):
        X = clone(step).fit_transform(X, samples.y)
    return Samples(X, samples.y)


def as_matrix(X: Any) -> Any:
    """Return a table or a list as numbers; what is not in memory, and strings, as they are."""
    if isinstance(X, (Source, Documents)):
        return X
    return check_array(X, **USED_IN_PLACE)


def take_rows(more: Mapping[str, Any], rows: Array, n_rows: int) -> dict[str, Any]:
    """Return some rows of whatever has one for each sample; the rest as it is."""
    return {name: _rows_of(value, rows, n_rows) for name, value in more.items()}


def _rows_of(values: Any, rows: Array, n_rows: int) -> Any:
    if isinstance(values, (Source, Bags, Documents)):
        return values[rows]
    if not hasattr(values, "__len__") and not hasattr(values, "shape"):
        return values
    if isinstance(values, (str, dict)) or _num_samples(values) != n_rows:
        return values
    return _safe_indexing(values, rows)

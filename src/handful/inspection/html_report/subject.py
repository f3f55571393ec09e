"""What a report is about: a fitted selector, the data it was fitted to, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from handful.estimators._features import InputNames, Selection
from handful.inspection._fitted import (
    at_selector,
    candidates,
    chooser_in,
    fitted_selector,
    innermost,
    n_columns_before,
)
from handful.inspection.html_report.beside import Beside, Circumstances
from handful.losses import measure_of
from handful.measures import Measure
from handful.model_selection._samples import Samples
from handful.model_selection._wrapped import (
    ids_before,
    names_at_selector,
    pass_columns,
    steps_before,
    takes_bags,
    takes_strings,
)
from handful.registry import Configured
from handful.spaces.base import FeatureSpace
from handful.spaces.resolve import resolve_space, source_of
from handful.validation.reporting import no_selection, nothing_stable, other_labels

Array = np.ndarray


@dataclass(frozen=True)
class Target:
    """What is predicted: classes, labels that a row may have several of, or quantities."""

    #: "classes", "labels" or "quantities".
    kind: str
    #: Of shape (n,) or (n, n_targets): positions of classes in ``names``, 0 and 1 for labels, or numbers.
    values: Array
    #: Of the classes, the labels or the targets.
    names: Sequence[str]
    #: Of the target itself.
    name: str | None = None
    #: Labels that the model has no class for; their rows have the value -1.
    unknown: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        estimator: Any,
        y: Any,
        name: str | None = None,
        target_names: Sequence[str] | None = None,
    ) -> Target:
        """Look at the y of a fitted estimator."""
        y = np.asarray(y.toarray() if sp.issparse(y) else y)
        if not is_classifier(estimator):
            is_one = y.ndim == 1 or y.shape[1] == 1
            named = target_names or ([name or "target"] if is_one else None)
            listed = [f"target {c}" for c in range(y.shape[1])] if named is None else list(named)
            return cls("quantities", y.astype(np.float64), listed, name)
        classes = np.asarray(estimator.classes_)
        if y.ndim == 2 and y.shape[1] > 1:
            listed = [str(label) for label in (target_names or classes)]
            return cls("labels", (y.astype(np.float64) > 0).astype(np.int64), listed, name)
        places = {label: place for place, label in enumerate(classes.tolist())}
        # The same labels may be text in one place and numbers in the other.
        as_text = {str(label): place for label, place in places.items()}
        labels = y.ravel().tolist()
        codes = np.array([places.get(one, as_text.get(str(one), -1)) for one in labels])
        unknown = sorted({str(labels[row]) for row in np.flatnonzero(codes < 0)})
        return cls("classes", codes, [str(label) for label in classes], name, unknown)

    @property
    def n_outputs(self) -> int:
        """How many classes, labels or targets."""
        return len(self.names)

    def members(self, output: int) -> Array:
        """Return which rows have a class or a label."""
        if self.kind == "classes":
            return np.asarray(self.values == output)
        return np.asarray(self.values[:, output] > 0)

    def quantity(self, output: int) -> Array:
        """Return the values of one target."""
        return np.asarray(self.values if self.values.ndim == 1 else self.values[:, output])


class Chosen(Selection):
    """What a selector has chosen, counted among all there was, where others picked the columns that it saw."""

    def __init__(self, estimator: Any, names: InputNames, n_before: int | None) -> None:
        super().__init__(estimator, names)
        self._n_before = n_before

    @property
    def n_features(self) -> int:
        """How many features there were to select from, by any of the steps."""
        is_of_columns = not hasattr(self.estimator, "space_")
        if self._n_before is not None and is_of_columns:
            return self._n_before
        return super().n_features


class Subject:
    """A fitted estimator with its data, seen from all sides that sections of the report look at.

    The estimator is a selector of this package, or what has one in it, X and y what it was fitted to. ``names`` are those of
    columns, groups and targets, by default the ones that were seen in ``fit``; ``beside`` are groups and weights of the rows.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        names: InputNames | None = None,
        target_name: str | None = None,
        beside: Beside | None = None,
        around: Circumstances | None = None,
    ) -> None:
        check_is_fitted(estimator)
        if getattr(chooser_in(estimator), "n_features_", None) == 0:
            raise nothing_stable()
        self.estimator = estimator
        self.fitted = innermost(estimator)
        self.selector = fitted_selector(estimator)
        if not hasattr(self.selector, "weights_"):
            raise no_selection(self.selector)
        self.beside = Beside() if beside is None else beside
        self.around = Circumstances() if around is None else around
        self.samples = Samples.of(self.fitted, X, y, **self.beside.params(estimator))
        self.beside.check(len(self.samples))
        self.weight = weights_of(self.beside.sample_weight)
        self.given_names = names
        names = InputNames(names_at_selector(self.fitted)) if names is None else self._picked(names)
        target_name, target_names = _names_of_targets(y, target_name)
        if names.target_names is None and target_names is not None:
            names = replace(names, target_names=target_names)
        self.n_before = n_columns_before(self.fitted)
        self.selection = Chosen(self.selector, names, self.n_before)
        self.target = Target.of(self.fitted, self.samples.y, target_name, names.target_names)
        # A class that only rows of weight zero have is not known to the model either.
        is_there = True if self.weight is None else self.weight > 0
        if self.target.unknown and np.any((self.target.values < 0) & is_there):
            raise other_labels(self.target.unknown, self.target.names)

    def _picked(self, names: InputNames) -> InputNames:
        """Return the names of the columns that the selector sees, where steps before it pick some of those given."""
        if self.selector.n_features_in_ == getattr(self.fitted, "n_features_in_", None):
            return names
        before = steps_before(self.fitted, self.selector)
        if not pass_columns(before):
            return InputNames(names_at_selector(self.fitted), target_names=names.target_names)
        ids = ids_before(before, np.arange(self.selector.n_features_in_))
        seen = [names[int(j)] for j in ids]
        return InputNames(
            seen,
            group_names=names.group_names,
            target_names=names.target_names,
            grouped=names.grouped,
        )

    @property
    def X(self) -> Any:
        """The data as they were given, in a form that rows can be taken of."""
        return self.samples.X

    @property
    def n_rows(self) -> int:
        """How many rows, bags or strings there are."""
        return len(self.samples)

    @cached_property
    def cases(self) -> str:
        """What has a label each."""
        if takes_bags(self.fitted):
            return "bags"
        return "strings" if takes_strings(self.fitted) else "rows"

    @cached_property
    def is_away(self) -> bool:
        """Whether the data are not in the memory of this process."""
        return source_of(self.X) is not None

    @property
    def measure(self) -> Measure | None:
        """The measure that was selected for, if it is one."""
        return measure_of(getattr(self.selector, "loss", None))

    @property
    def has_own_columns(self) -> bool:
        """Whether the features are columns of X, and not made from them."""
        return hasattr(self.selector, "support_ids_") and not hasattr(self.selector, "space_")

    @cached_property
    def at_selector(self) -> Any:
        """X as it reaches the selector, checked."""
        return at_selector(self.fitted, self.X)

    @cached_property
    def columns_of_X(self) -> tuple[Any, Array] | None:
        """All columns that could have been chosen, and the ids of those that were, in the model's order.

        None where features are not columns.
        """
        if not self.has_own_columns:
            return None
        return candidates(self.fitted, self.X)

    def names_of_columns(self) -> Any:
        """Return the names of all columns that could have been chosen, by their numbers."""
        n_columns = self.columns_of_X[0].shape[1]  # type: ignore[index]
        if n_columns == self.selector.n_features_in_:
            return self.selection.names
        return self.given_names or InputNames(getattr(self.fitted, "feature_names_in_", None))

    def space(self) -> FeatureSpace:
        """Return the features there were to choose from, on the data."""
        if self.has_own_columns:
            return resolve_space(self.columns_of_X[0])  # type: ignore[index]
        chosen = self.selector.space_  # some know of what was chosen only
        every: Any = chosen._anew() if isinstance(chosen, Configured) else self.selector.space
        space: FeatureSpace = every.on(self.at_selector)
        return space


def weights_of(sample_weight: Any) -> Array | None:
    """Return weights of rows as an array; None where there are none."""
    return None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)


def _names_of_targets(y: Any, name: str | None) -> tuple[str | None, list[str] | None]:
    """Return the name of the target, and those of several, as far as the columns of a table have any."""
    columns = getattr(
        y, "column_names", getattr(y, "columns", None)
    )  # pyarrow, or pandas and polars
    if columns is None:
        own = getattr(y, "name", None)
        return (own if name is None and isinstance(own, str) else name), None
    named = [str(column) for column in columns]
    if all(not isinstance(column, str) for column in columns):  # counted, and not named
        return name, None
    return (name or named[0], None) if len(named) == 1 else (name, named)


def plural(count: int, what: str) -> str:
    """Return a number with what there are so many of.

    Examples
    --------
    >>> plural(1, "rows"), plural(12000, "rows"), plural(1, "classes")
    ('1 row', '12,000 rows', '1 class')
    """
    if count == 1:
        what = what.removesuffix("es") if what.endswith("sses") else what.removesuffix("s")
    return f"{count:,} {what}"

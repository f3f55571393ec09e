"""What a report is about: a fitted selector, the data it was fitted to, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from handful.estimators._features import InputNames, Names, Selection
from handful.inspection._fitted import (
    at_selector,
    candidates,
    chooser_in,
    fitted_selector,
    innermost,
)
from handful.model_selection._samples import Samples
from handful.model_selection._steps import keeps_columns, steps_before
from handful.model_selection._wrapped import names_at_selector, takes_bags, takes_strings
from handful.spaces.base import FeatureSpace
from handful.spaces.resolve import resolve_space, source_of
from handful.validation.reporting import no_selection, nothing_stable

Array = np.ndarray


@dataclass(frozen=True)
class Target:
    """What is predicted: classes, labels that a row may have several of, or quantities.

    Attributes
    ----------
    kind : {"classes", "labels", "quantities"}
    values : ndarray of shape (n,) or (n, n_targets)
        Positions of classes in ``names``, 0 and 1 for labels, or numbers.
    names : list of str
        Of the classes, the labels or the targets.
    name : str or None
        Of the target itself.
    """

    kind: str
    values: Array
    names: Sequence[str]
    name: str | None = None

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
            named = target_names or ([name or "target"] if y.ndim == 1 else None)
            listed = [f"target {c}" for c in range(y.shape[1])] if named is None else list(named)
            return cls("quantities", y.astype(np.float64), listed, name)
        classes = np.asarray(estimator.classes_)
        if y.ndim == 2 and y.shape[1] > 1:
            listed = [str(label) for label in (target_names or classes)]
            return cls("labels", (y.astype(np.float64) > 0).astype(np.int64), listed, name)
        places = {label: place for place, label in enumerate(classes.tolist())}
        try:
            codes = [places[label] for label in y.ravel().tolist()]
        except KeyError:  # the same labels, as text in one place and as numbers in the other
            places = {str(label): place for label, place in places.items()}
            codes = [places.get(str(label), -1) for label in y.ravel().tolist()]
        return cls("classes", np.array(codes), [str(label) for label in classes], name)

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


class Subject:
    """A fitted estimator with its data, seen from all sides that sections of the report look at.

    Parameters
    ----------
    estimator : fitted selector of this package, or what has one in it
    X, y : what it was fitted to
    names : Names, optional
        Of columns, groups and targets; by default those that were seen in ``fit``.
    target_name : str, optional
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        names: Names | None = None,
        target_name: str | None = None,
    ) -> None:
        check_is_fitted(estimator)
        if getattr(chooser_in(estimator), "n_features_", None) == 0:
            raise nothing_stable()
        self.estimator = estimator
        self.fitted = innermost(estimator)
        self.selector = fitted_selector(estimator)
        if not hasattr(self.selector, "weights_"):
            raise no_selection(self.selector)
        self.samples = Samples.of(self.fitted, X, y)
        self.given_names = names
        names = InputNames(names_at_selector(self.fitted)) if names is None else self._picked(names)
        self.selection = Selection(self.selector, names)
        self.target = Target.of(self.fitted, self.samples.y, target_name, names.target_names)

    def _picked(self, names: Names) -> Names:
        """Return the names of the columns that the selector sees, where steps before it pick some of those given."""
        if self.selector.n_features_in_ == getattr(self.fitted, "n_features_in_", None):
            return names
        ids = np.arange(self.selector.n_features_in_)
        for step in reversed(steps_before(self.fitted, self.selector)):
            if hasattr(step, "get_support"):
                ids = np.asarray(step.get_support(indices=True))[ids]
            elif not keeps_columns(step):
                return InputNames(names_at_selector(self.fitted), None, names.target_names)
        seen = [names[int(j)] for j in ids]
        return InputNames(seen, names.group_names, names.target_names, names.grouped)

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
    def has_own_columns(self) -> bool:
        """Whether the features are columns of X, and not made from them."""
        return getattr(self.selector, "space", None) is None and hasattr(
            self.selector, "support_ids_"
        )

    @cached_property
    def at_selector(self) -> Any:
        """X as it reaches the selector, checked."""
        selector, X, _ = at_selector(self.fitted, self.X)
        check = getattr(selector, "_check_bags", None) or selector._check_X
        return check(X, reset=False)

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
        space: FeatureSpace = self.selector.space.on(self.at_selector)
        return space


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

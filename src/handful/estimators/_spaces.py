"""Which features an estimator selects from: its parameters ``space``, ``groups``, ``scale``, ``include``, ``exclude``."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._columns import ColumnSelector
from handful.estimators._inputs import check_documents
from handful.spaces.base import Array, ExplicitSpace, FeatureSpace, Unit, input_names
from handful.spaces.groups.membership import make_groups
from handful.spaces.groups.one_hot import one_hot_groups
from handful.spaces.groups.space import GroupedSpace
from handful.spaces.resolve import is_sparse, n_threads, resolve_space
from handful.spaces.units import different_units
from handful.validation.groups import check_space_choices, unknown_groups, unnamed_columns
from handful.validation.spaces import columns_in_units
from handful.validation.warning import warn_user


class UnitsMixin:
    """``scale`` is a unit, "raw", or None, which looks at X; ``scaling_`` tells what was done."""

    scale: Any

    def _check_scale(self) -> None:
        validation.check_choice("scale", self.scale, [None, "raw", *get_args(Unit)])

    def unit_for(self, X: Any, weight: Array) -> Unit | None:
        """Return what to make one of every column: as asked for, or as columns in different units want it.

        Where a parameter is told in the units of X these stay as they are, and so do columns of a sparse matrix, of which those that
        few rows have would count as much as frequent ones.
        """
        if self.scale is not None:
            return None if self.scale == "raw" else self.scale
        if not self._has_free_units or is_sparse(X):
            return None
        found = different_units(X, np.flatnonzero(weight))
        # Numbers too large to be squared are refused as such.
        return "std" if found is not None and found.widest < np.sqrt(validation.LARGEST) else None

    @property
    def _has_free_units(self) -> bool:
        """Whether nothing that the user has said is about the units of X."""
        return True

    def _mention_units(self, X: Any, weight: Array, chosen: Array) -> None:
        """Warn where columns are compared as they are, unasked, and have different units."""
        if self.scale is not None or (self._has_free_units and not is_sparse(X)):
            return
        found = different_units(X, np.flatnonzero(weight), chosen)
        if found is not None:
            names = input_names(
                np.array([found.wide, found.narrow]), getattr(self, "feature_names_in_", None)
            )
            warn_user(columns_in_units(names, (found.widest, found.narrowest)))


#: Fitted attributes that some spaces have.
SPACE_ATTRIBUTES = ("space_", "_n_space_features", "group_support_", "group_labels_", "scaling_")


class SpaceSelector(UnitsMixin, ColumnSelector):
    """A selector among the columns of X, groups of them, or features made from them.

    Fitted attributes: ``space_`` makes the columns of ``support_ids_`` from new rows when ``space``
    was given; ``group_support_`` and ``group_labels_`` are there when ``groups`` was.
    """

    space: Any
    groups: Any
    group_weights: Any
    include: Any
    exclude: Any
    n_jobs: int | None
    verbose: Any
    space_: FeatureSpace
    _n_space_features: int

    @property
    def _is_of_space(self) -> bool:
        """Whether a space made the features of the fitted model; ``set_params`` may have been there since."""
        return hasattr(self, "space_")

    @property
    def coef_(self) -> Array:
        """Weights of all features in scikit-learn's shape, made when asked for."""
        check_is_fitted(self)
        if self._is_of_space:
            raise AttributeError(
                "coef_ would hold a weight for every feature of the space; use weights_, which goes "
                "with support_ids_."
            )
        return super().coef_

    @property
    def _n_selected_from(self) -> int:
        return self.n_features_in_ if not self._is_of_space else self._n_space_features

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        return super().transform(X) if not self._is_of_space else self._transformed(X)

    def inverse_transform(self, X: Any) -> Any:
        """Put zeros where columns were left out; not for features that are made from X."""
        if self._is_of_space:
            raise ValueError(
                "the columns of a space cannot be turned back into X; inverse_transform is for "
                "space=None."
            )
        return super().inverse_transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Array:
        """Return the names of the columns that :meth:`transform` gives."""
        if not self._is_of_space:
            return np.asarray(super().get_feature_names_out(input_features))
        check_is_fitted(self)
        names = (
            getattr(self, "feature_names_in_", None) if input_features is None else input_features
        )
        bound = self.space_.sized(self.n_features_in_)  # names may need to know how many
        return np.asarray(bound.names(self.support_ids_, names), dtype=object)

    def _make_columns(self, X: Any) -> Any:
        if not self._is_of_space:
            return super()._make_columns(X)
        return self.space_.on(X).columns(self.support_ids_)

    def _names_of_columns(self) -> Array:
        return super()._names_of_columns() if not self._is_of_space else self.support_ids_

    @property
    def _takes_strings(self) -> bool:
        """Whether a fit does; predictions are of what the fitted model takes."""
        return bool(getattr(self.space, "takes_strings", False))

    def _check_X(self, X: Any, *, reset: bool = True, **options: Any) -> Any:
        space = self.space if reset else getattr(self, "space_", None)
        if getattr(space, "takes_strings", False):
            return check_documents(self, X, reset=reset, **options)
        return super()._check_X(X, reset=reset, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._takes_strings:
            tags.input_tags.string, tags.input_tags.two_d_array = True, False
            tags.input_tags.sparse = False
        return tags

    def _check_space(self) -> None:
        """Check the parameters that say what to select from."""
        self._check_scale()
        check_space_choices(self.space, self.groups, self.group_weights, self.scale)

    def _space_on(self, X: Any, weight: Array) -> FeatureSpace:
        """Return the space that holds the features of X to select from."""
        if self.space is not None:
            wanted = copy.copy(self.space)
            if self.verbose is True:
                wanted.tell = print
            space: FeatureSpace = wanted.on(X)
            space.n_threads = n_threads(self.n_jobs)
            return space
        unit = self.unit_for(X, weight)
        base = resolve_space(X, unit=unit, n_jobs=self.n_jobs, sample_weight=weight)
        names = getattr(self, "feature_names_in_", None)
        return grouped(base, self.groups, self.group_weights, names)

    def _mention_units(self, X: Any, weight: Array, chosen: Array) -> None:
        if self.space is None:
            super()._mention_units(X, weight, chosen)

    def _wanted_ids(self, space: FeatureSpace) -> tuple[Array, Array]:
        """Return the ids of ``include`` and of ``exclude``."""
        # Substrings are their own names.
        names = () if self._takes_strings else getattr(self, "feature_names_in_", None)
        are_made = self.space is not None
        return wanted_ids(self.include, self.exclude, space, names, are_made=are_made)

    def _space_attributes(self, space: FeatureSpace, support_ids: Array) -> dict[str, Any]:
        """Return what predicting and reporting needs of the space, but not the data."""
        if self.space is None:
            return {"scaling_": space.column_unit} | label_attributes(space)
        return {
            "space_": self.space.remembering(space, support_ids),
            "_n_space_features": space.n_features,
        }


def grouped(base: ExplicitSpace, groups: Any, group_weights: Any, names: Any) -> FeatureSpace:
    """Return the columns in groups as the user gave them, if at all."""
    if groups is None:
        return base
    if isinstance(groups, str):
        if groups != "columns":
            raise unknown_groups(groups)
        if names is None:
            raise unnamed_columns()
        groups = one_hot_groups(base, names)
    validation.check_in_order("groups", groups, names)
    return GroupedSpace(base, make_groups(groups, group_weights, base.n_features))


def wanted_ids(
    include: Any,
    exclude: Any,
    space: FeatureSpace,
    names: Sequence[str] | None,
    *,
    are_made: bool = False,
) -> tuple[Array, Array]:
    """Return the ids that must and those that must not be selected.

    ``names`` are those of columns, from which features that ``are_made`` have theirs; groups have labels.
    """
    if isinstance(space, GroupedSpace):
        names = [str(label) for label in space.groups.labels or []] or None
    find = space.find if are_made else None
    must = validation.feature_ids("include", include, space.n_features, names, find)
    must_not = validation.feature_ids("exclude", exclude, space.n_features, names, find)
    check_apart(must, must_not, space if are_made else None)
    return must, must_not


def check_apart(include: Array, exclude: Array, made: FeatureSpace | None) -> None:
    """Raise when a feature must and must not be selected; one that was ``made`` has its own name."""
    both = np.intersect1d(include, exclude)
    if len(both):
        raise validation.overlapping_choices(both if made is None else made.names(both[:1]))


def label_attributes(space: FeatureSpace) -> dict[str, Any]:
    """Return the labels of groups, where they have any."""
    labels = space.groups.labels if isinstance(space, GroupedSpace) else None
    return {} if labels is None else {"group_labels_": np.asarray(labels)}

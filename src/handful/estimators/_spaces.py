"""Which features an estimator selects from, and what it keeps of them to predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._checked import checked_data
from handful.estimators._sources import check_source
from handful.spaces.base import ExplicitSpace, FeatureSpace
from handful.spaces.groups.membership import make_groups
from handful.spaces.groups.one_hot import one_hot_families
from handful.spaces.groups.space import GroupedSpace
from handful.spaces.resolve import columns_of, n_threads, resolve_space, source_of
from handful.validation.cells import check_finite
from handful.validation.groups import unknown_groups, unnamed_columns

Array = np.ndarray
#: Fitted attributes that some spaces have.
SPACE_ATTRIBUTES = ("space_", "_n_space_features", "group_support_", "group_labels_")
MOST_IN_A_MASK = 10_000_000  # nobody wants to look at more booleans than this


class SpaceMixin:
    """The columns of X, groups of them, or features made from them.

    Fitted attributes: ``space_`` makes the columns of ``support_ids_`` from new rows when ``space``
    was given; ``group_support_`` and ``group_labels_`` are there when ``groups`` was.
    """

    space: Any
    groups: Any
    group_weights: Any
    scale: Any
    include: Any
    exclude: Any
    n_jobs: int | None
    support_ids_: Array
    weights_: Array
    intercept_: Any
    n_features_in_: int
    space_: FeatureSpace
    _n_space_features: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    @property
    def coef_(self) -> Array:
        """Weights of all features in scikit-learn's shape, made when asked for."""
        check_is_fitted(self)
        if self.space is not None:
            raise AttributeError(
                "coef_ would hold a weight for every feature of the space; use weights_, which goes "
                "with support_ids_."
            )
        coef = np.zeros((len(self.weights_), self.n_features_in_))
        coef[:, self.support_ids_] = self.weights_
        return coef

    def get_support(self, indices: bool = False) -> Array:
        """Return a mask of the selected features, or with ``indices`` their ids.

        Of a space that is larger than X only ids can be had.
        """
        check_is_fitted(self)
        if indices:
            return self.support_ids_
        return self._get_support_mask()

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        n_features = self.n_features_in_ if self.space is None else self._n_space_features
        if n_features > max(self.n_features_in_, MOST_IN_A_MASK):
            raise ValueError(
                f"a mask of the {n_features} features of the space would not fit; use "
                "get_support(indices=True) or support_ids_."
            )
        mask = np.zeros(n_features, dtype=bool)
        mask[self.support_ids_] = True
        return mask

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        if self.space is None and source_of(X) is None:
            return super().transform(X)  # type: ignore[misc]
        check_is_fitted(self)
        return self._selected_columns(self._check_X(X, reset=False))

    def inverse_transform(self, X: Any) -> Any:
        """Put zeros where columns were left out; not for features that are made from X."""
        if self.space is not None:
            raise ValueError(
                "the columns of a space cannot be turned back into X; inverse_transform is for "
                "space=None."
            )
        return super().inverse_transform(X)  # type: ignore[misc]

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Array:
        """Return the names of the columns that :meth:`transform` gives."""
        if self.space is None:
            return np.asarray(super().get_feature_names_out(input_features))  # type: ignore[misc]
        check_is_fitted(self)
        names = (
            getattr(self, "feature_names_in_", None) if input_features is None else input_features
        )
        bound = self.space_.sized(self.n_features_in_)  # names may need to know how many
        return np.asarray(bound.names(self.support_ids_, names), dtype=object)

    def _check_X(self, X: Any, **options: Any) -> Any:
        away = source_of(X)
        if away is not None:
            return check_source(self, away, **options)
        return checked_data(
            self, X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32], **options
        )

    def _raw_predictions(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return np.asarray(self._selected_columns(X) @ self.weights_.T) + self.intercept_

    def _space_on(self, X: Any, weight: Array) -> FeatureSpace:
        """Return the space that holds the features of X to select from."""
        if self.space is not None:
            space: FeatureSpace = self.space.on(X)
            space.n_threads = n_threads(self.n_jobs)
            return space
        base = resolve_space(
            X, normalize=self.scale == "norm", n_jobs=self.n_jobs, sample_weight=weight
        )
        return base if self.groups is None else GroupedSpace(base, self._read_groups(base))

    def _read_groups(self, base: ExplicitSpace) -> Any:
        given = self.groups
        if isinstance(given, str):
            if given != "columns":
                raise unknown_groups(given)
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise unnamed_columns()
            given = one_hot_families(base, names)
        return make_groups(given, self.group_weights, base.n_features)

    def _wanted_ids(self, space: FeatureSpace) -> tuple[Array, Array]:
        """Return the ids of ``include`` and of ``exclude``."""
        include = self._ids_of_choice("include", self.include, space)
        exclude = self._ids_of_choice("exclude", self.exclude, space)
        both = np.intersect1d(include, exclude)
        if len(both):
            raise validation.overlapping_choices(
                both if self.space is None else space.names(both[:1])
            )
        return include, exclude

    def _ids_of_choice(self, name: str, given: Any, space: FeatureSpace) -> Array:
        return validation.feature_ids(name, given, space.n_features, self._names_of_choices(space))

    def _names_of_choices(self, space: FeatureSpace) -> Sequence[str] | None:
        """Names that may stand for ids in ``include`` and ``exclude``."""
        if isinstance(space, GroupedSpace):
            return [str(label) for label in space.groups.labels or []] or None
        return None if self.space is not None else getattr(self, "feature_names_in_", None)

    def _space_attributes(self, space: FeatureSpace, support_ids: Array) -> dict[str, Any]:
        """Return what predicting and reporting needs of the space, but not the data."""
        if isinstance(space, GroupedSpace):
            labels = space.groups.labels
            return {} if labels is None else {"group_labels_": np.asarray(labels)}
        if self.space is None:
            return {}
        return {
            "space_": self.space.remembering(space, support_ids),
            "_n_space_features": space.n_features,
        }

    def _selected_columns(self, X: Any) -> Any:
        """Return the columns of the selected features on checked rows."""
        if self.space is None:
            columns = columns_of(X, self.support_ids_)
        else:
            columns = self.space_.on(X).columns(self.support_ids_)
        if source_of(X) is not None:  # only these columns were looked at
            named = getattr(self, "feature_names_in_", None) if self.space is None else None
            names = self.support_ids_ if named is None else named[self.support_ids_]
            check_finite(columns, names)
        return columns

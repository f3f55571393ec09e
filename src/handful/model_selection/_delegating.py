"""A meta-estimator that selects by ids and predicts as what it wraps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from handful.estimators._checked import checked_data
from handful.estimators._sources import check_source
from handful.estimators._spaces import MOST_IN_A_MASK
from handful.model_selection._wrapped import selector_in
from handful.model_selection.refit import is_of_space
from handful.spaces.resolve import columns_of, source_of
from handful.validation.cells import check_finite
from handful.validation.resampling import mask_too_large

Array = np.ndarray


def _can(method: str) -> Callable[[Any], bool]:
    """Return a check whether what predicts has a method: the fitted model, or before that the estimator."""

    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)  # its error says what is missing
        return True

    return check


class DelegatingSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Has ``estimator``; after fit ``support_ids_``, ``estimator_`` and ``selection_probabilities_``."""

    estimator: Any
    estimator_: Any
    support_ids_: Array
    selection_probabilities_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = deepcopy(get_tags(self.estimator))
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags, tags.input_tags = inner.target_tags, inner.input_tags
        tags.target_tags.required = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata of ``fit`` goes: to the estimator's."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what goes to the estimator's fit."""
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            return params
        routed: dict[str, Any] = dict(process_routing(self, "fit", **params).estimator.fit)
        return routed

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.asarray(self.estimator_.classes_)

    def get_support(self, indices: bool = False) -> Array:
        """Return a mask of the selected features, or with ``indices`` their ids.

        Of a space that is larger than X only ids can be had.
        """
        check_is_fitted(self)
        return self.support_ids_ if indices else self._get_support_mask()

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        n_features = self.selection_probabilities_.shape[1]
        if n_features > max(self.n_features_in_, MOST_IN_A_MASK):
            raise mask_too_large(n_features)
        mask = np.zeros(n_features, dtype=bool)
        mask[self.support_ids_] = True
        return mask

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        check_is_fitted(self)
        if is_of_space(self.estimator):
            return selector_in(self.estimator_).transform(X)
        away = source_of(X)
        if away is None:
            return super().transform(X)
        columns = columns_of(check_source(self, away, reset=False), self.support_ids_)
        check_finite(columns, self.support_ids_)
        return columns

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Array:
        """Return the names of the columns that :meth:`transform` gives."""
        check_is_fitted(self)
        if is_of_space(self.estimator):
            return np.asarray(selector_in(self.estimator_).get_feature_names_out(input_features))
        return np.asarray(super().get_feature_names_out(input_features))

    @available_if(_can("predict"))
    def predict(self, X: Any) -> Array:
        """Predict from the selected features."""
        return self._asked("predict", X)

    @available_if(_can("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """Return raw scores from the selected features."""
        return self._asked("decision_function", X)

    @available_if(_can("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """Return probabilities of the classes from the selected features."""
        return self._asked("predict_proba", X)

    @available_if(_can("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R2, or what the estimator calls its score."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(self._looked_at(X), y, **weights))

    def _asked(self, method: str, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(getattr(self.estimator_, method)(self._looked_at(X)))

    def _looked_at(self, X: Any) -> Any:
        """Compare X with what was fitted."""
        check_is_fitted(self)
        away = source_of(X)
        if away is not None:
            return check_source(self, away, reset=False)
        formats = {"accept_sparse": ("csr", "csc"), "dtype": [np.float64, np.float32]}
        checked = checked_data(self, X, reset=False, **formats)
        return X if hasattr(X, "iloc") else checked

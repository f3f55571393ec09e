"""A meta-estimator that selects features by their ids, and predicts from these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from handful.estimators._columns import IdsMixin
from handful.estimators._inputs import check_source
from handful.estimators._narrow import facing
from handful.model_selection._delegated import DelegatedMixin
from handful.model_selection._samples import as_matrix
from handful.model_selection._scoring import is_routing
from handful.model_selection._wrapped import predicting, selector_in, up_to_selector
from handful.model_selection.refit import is_of_space
from handful.spaces.resolve import columns_of, source_of
from handful.validation.cells import check_finite

Array = np.ndarray


class IdsSelector(IdsMixin, DelegatedMixin):
    """After fit it has ``support_ids_``, ``selection_probabilities_``, and ``estimator_`` if that can predict."""

    estimator_: Any
    selection_probabilities_: Any

    def _predictor(self) -> Any:
        return self._unfitted()  # without any feature what predicts is not the estimator

    def _unfitted(self) -> Any:
        return predicting(self.estimator) or self.estimator

    def _fitted(self) -> Any:
        check_is_fitted(self, "support_ids_")
        return self.estimator_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata of ``fit`` goes: to the estimator's."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what goes to the estimator's fit."""
        if not is_routing():
            return params
        routed: dict[str, Any] = dict(process_routing(self, "fit", **params).estimator.fit)
        return routed

    @property
    def _n_selected_from(self) -> int:
        return int(self.selection_probabilities_.shape[1])

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        check_is_fitted(self)
        if is_of_space(self.estimator):
            return up_to_selector(self.estimator_).transform(X)
        away = source_of(X)
        if away is None:
            model, X = facing(self, X)
            is_narrow = model is not self  # X has the selected columns only, by their names
            return as_matrix(X) if is_narrow else SelectorMixin.transform(self, X)
        columns = columns_of(check_source(self, away, reset=False), self.support_ids_)
        check_finite(columns, self.support_ids_)
        return columns

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Array:
        """Return the names of the columns that :meth:`transform` gives."""
        check_is_fitted(self)
        if is_of_space(self.estimator):
            return np.asarray(selector_in(self.estimator_).get_feature_names_out(input_features))
        return np.asarray(SelectorMixin.get_feature_names_out(self, input_features))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R2, or what the estimator calls its score."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._fitted().score(X, y, **weights))

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.asarray(self._fitted().classes_)

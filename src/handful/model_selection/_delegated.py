"""A meta-estimator behaves as the estimator it has fitted: methods are there where that one has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import TransformerTags, get_tags
from sklearn.utils._set_output import _SetOutputMixin, _wrap_data_with_container
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from handful.estimators._columns import IdsMixin
from handful.estimators._inputs import check_source
from handful.estimators._narrow import facing
from handful.estimators._notebook import NotebookMixin
from handful.model_selection._samples import as_matrix
from handful.model_selection._scoring import is_routing
from handful.model_selection._wrapped import (
    chosen_ids,
    is_of_space,
    judged,
    n_candidates,
    predicting,
    selector_in,
    takes_bags,
    up_to_selector,
)
from handful.spaces.resolve import columns_of, source_of
from handful.validation import model_selection as checks
from handful.validation.cells import check_finite
from handful.validation.exports import nothing_selected

Array = np.ndarray
#: What is known of the data as the best estimator has it.
_OF_DATA = ("n_features_in_", "feature_names_in_", "classes_")


def _has(part_of: Callable[[Any], Any], name: str) -> Callable[[Any], bool]:
    """Return the test whether a part of the owner has a method."""

    def test(owner: Any) -> bool:
        getattr(part_of(owner), name)
        return True

    return test


_predictor_has = partial(_has, lambda owner: owner._predictor())
_selector_has = partial(_has, lambda owner: up_to_selector(owner._predictor()))
_estimator_has = partial(_has, lambda owner: owner._unfitted())


class DelegatedMixin(  # type: ignore[call-arg]
    NotebookMixin,
    MetaEstimatorMixin,
    _SetOutputMixin,
    BaseEstimator,
    auto_wrap_output_keys=None,  # transform is there only where the estimator has it
):
    """Delegates to ``best_estimator_``; before fit, to what ``estimator`` would be."""

    estimator: Any

    def _predictor(self) -> Any:
        return getattr(self, "best_estimator_", None) or self._unfitted()

    def _unfitted(self) -> Any:
        """Return what will be fitted."""
        return judged(self.estimator)

    def _fitted(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    @available_if(_predictor_has("predict"))
    def predict(self, X: Any) -> Array:
        """Return what the best estimator predicts."""
        return np.asarray(self._fitted().predict(X))

    @available_if(_predictor_has("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """Return the raw scores of the best estimator."""
        return np.asarray(self._fitted().decision_function(X))

    @available_if(_predictor_has("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the best estimator."""
        return np.asarray(self._fitted().predict_proba(X))

    @available_if(_predictor_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities of the best estimator."""
        return np.asarray(self._fitted().predict_log_proba(X))

    @available_if(_selector_has("transform"))
    def transform(self, X: Any) -> Any:
        """Reduce X to what was chosen."""
        reduced = up_to_selector(self._fitted()).transform(X)
        return _wrap_data_with_container("transform", reduced, X, self)

    @available_if(_selector_has("transform"))
    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit, and reduce the same X."""
        return self.fit(X, y, **params).transform(X)

    @available_if(_selector_has("inverse_transform"))
    def inverse_transform(self, X: Any) -> Any:
        """Put zeros where columns were left out, and undo what steps before the selector did."""
        return up_to_selector(self._fitted()).inverse_transform(X)

    @available_if(_selector_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns that ``transform`` gives."""
        part = up_to_selector(self._fitted())
        return np.asarray(part.get_feature_names_out(input_features))

    @available_if(_estimator_has("to_sklearn"))
    def to_sklearn(self) -> Any:
        """Return what the best estimator's ``to_sklearn`` does: it decides the same from the chosen columns alone."""
        best = self._fitted()
        model = best[-1] if isinstance(best, Pipeline) else best  # which sees these columns only
        if not hasattr(model, "to_sklearn"):
            raise nothing_selected(self)
        return model.to_sklearn()

    def get_support(self, indices: bool = False) -> Array:
        """Return a mask of the chosen columns of X, or with ``indices`` their ids."""
        best = self._fitted()
        own = selector_in(best)
        if own is best:
            return np.asarray(own.get_support(indices=indices))
        if takes_bags(best) or n_candidates(best) != best.n_features_in_:
            raise checks.not_columns()
        ids: Array = chosen_ids(best)  # type: ignore[assignment]
        return ids if indices else np.isin(np.arange(best.n_features_in_), ids)

    def _remember_data(self) -> None:
        """Set what is known of the data as the best estimator has it."""
        for name in _OF_DATA:
            self.__dict__.pop(name, None)
            if hasattr(self._fitted(), name):
                setattr(self, name, getattr(self._fitted(), name))

    def _forget_model(self) -> None:
        """Remove the best estimator of an earlier fit, and what was known of its data."""
        for name in ("best_estimator_", *_OF_DATA):
            self.__dict__.pop(name, None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._unfitted())
        tags.estimator_type = inner.estimator_type
        for name in ("classifier_tags", "regressor_tags", "transformer_tags"):
            setattr(tags, name, deepcopy(getattr(inner, name)))
        if tags.transformer_tags is None:  # of a Pipeline that ends with what predicts
            tags.transformer_tags = TransformerTags()
        tags.target_tags = deepcopy(inner.target_tags)
        tags.input_tags = deepcopy(inner.input_tags)
        tags.target_tags.required = True
        return tags


class IdsSelector(IdsMixin, DelegatedMixin):
    """Selects features by their ids, and predicts from these.

    After fit it has ``support_ids_``, ``selection_probabilities_``, and ``estimator_`` if that can predict.
    """

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
        """Return who requests what: this one the groups and weights of a score, the estimator the rest of ``fit``."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        own = MetadataRouter(owner=self).add_self_request(self)
        return own.add(estimator=self.estimator, method_mapping=mapping)

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
        with config_context(
            enable_metadata_routing=False
        ):  # this one requested them, and its model takes them
            return float(self._fitted().score(X, y, **weights))

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.asarray(self._fitted().classes_)

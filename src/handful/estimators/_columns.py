"""What predicts and transforms from chosen columns of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from handful.estimators._attributes import attributes_of
from handful.estimators._inputs import check_source, checked_data
from handful.estimators._narrow import facing
from handful.estimators._notebook import NotebookMixin
from handful.estimators._older_sklearn import CallbackSupportMixin
from handful.estimators._to_sklearn import ToSklearnMixin
from handful.methods.problem import Selected
from handful.spaces.resolve import USED_IN_PLACE, columns_of, source_of, with_small_indices
from handful.validation.cells import check_finite
from handful.validation.resampling import mask_too_large

Array = np.ndarray
MOST_IN_A_MASK = 10_000_000  # nobody wants to look at more booleans than this


class IdsMixin(SelectorMixin):
    """scikit-learn's selectors have masks; these have ``support_ids_``, and a mask where there is room for one."""

    support_ids_: Array
    n_features_in_: int

    def get_support(self, indices: bool = False) -> Array:
        """Return a mask of the selected features, or with ``indices`` their ids.

        Of a space that is larger than X only ids can be had.
        """
        check_is_fitted(self)
        return self.support_ids_ if indices else self._get_support_mask()

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        n_features = self._n_selected_from
        if n_features > max(self.n_features_in_, MOST_IN_A_MASK):
            raise mask_too_large(n_features)
        mask = np.zeros(n_features, dtype=bool)
        mask[self.support_ids_] = True
        return mask

    @property
    def _n_selected_from(self) -> int:
        """How many features there were to select from."""
        return self.n_features_in_


class ColumnSelector(NotebookMixin, ToSklearnMixin, IdsMixin, CallbackSupportMixin, BaseEstimator):
    """A selector that predicts: ``support_ids_`` are columns of X, ``weights_`` and ``intercept_`` go with them."""

    weights_: Array
    intercept_: Any

    @property
    def _certifies_choice(self) -> bool:
        """Whether the gap is to every choice of as many features, and not only to other weights."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def coef_(self) -> Array:
        """Weights of all features in scikit-learn's shape, made when asked for."""
        check_is_fitted(self)
        coef = np.zeros((len(self.weights_), self.n_features_in_))
        coef[:, self.support_ids_] = self.weights_
        return coef

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        if source_of(X) is None and facing(self, X)[0] is self:
            return super().transform(X)
        return self._transformed(X)

    def _transformed(self, X: Any) -> Any:
        check_is_fitted(self)
        model, X = facing(self, X)
        return model._selected_columns(model._check_X(X, reset=False))

    def _check_X(self, X: Any, **options: Any) -> Any:
        away = source_of(X)
        if away is not None:
            return check_source(self, away, **options)
        return checked_data(self, X, **USED_IN_PLACE, **options)

    def _raw_predictions(self, X: Any) -> Array:
        """Return the scores of every output, (n_samples, n_outputs)."""
        return np.asarray(self._transformed(X) @ self.weights_.T) + self.intercept_

    def _selected_columns(self, X: Any) -> Any:
        """Return the columns of the selected features on checked rows."""
        columns = self._make_columns(X)
        if source_of(X) is not None:  # only these columns were looked at
            check_finite(columns, self._names_of_columns())
        return with_small_indices(columns)

    def _make_columns(self, X: Any) -> Any:
        return columns_of(X, self.support_ids_)

    def _names_of_columns(self) -> Array:
        """Return how a column in which something is wrong is called."""
        named = getattr(self, "feature_names_in_", None)
        return self.support_ids_ if named is None else named[self.support_ids_]

    def _attributes(self, selected: Selected) -> dict[str, Any]:
        """The fitted attributes of what was found."""
        return attributes_of(selected)

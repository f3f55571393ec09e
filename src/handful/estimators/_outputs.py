"""Quantities to columns before a fit, columns to quantities after it: the same for all regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from handful.estimators._columns import ColumnSelector
from handful.methods.problem import Selected
from handful.validation.multi_output import check_dense_targets

Array = np.ndarray


class OutputsMixin(MultiOutputMixin, RegressorMixin, ColumnSelector):
    """One output is a vector, and its intercept a number; several are columns."""

    #: Whether y had no columns.
    _is_single = False

    def _targets(self, y: Array) -> Array:
        """Return y as columns of float64."""
        check_dense_targets(y)
        self._is_single = y.ndim == 1
        Y = np.asarray(y, dtype=np.float64)
        return Y[:, None] if self._is_single else Y

    def _attributes(self, selected: Selected) -> dict[str, Any]:
        attributes = super()._attributes(selected)
        if self._is_single:
            attributes["intercept_"] = float(selected.intercept[0])
        return attributes

    @property
    def coef_(self) -> Array:
        """Weights of all features in scikit-learn's shape, made when asked for."""
        coef = super().coef_
        return np.asarray(coef[0] if np.ndim(self.intercept_) == 0 else coef)

    def predict(self, X: Any) -> Array:
        """Return the predicted values, one column for each output."""
        raw = self._raw_predictions(X)
        return raw[:, 0] if np.ndim(self.intercept_) == 0 else raw

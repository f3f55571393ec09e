"""The parameter ``refit``: selected features are fitted anew by the method itself, or by an estimator that then predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from handful.estimators._columns import ColumnSelector
from handful.validation.refit import labels_not_taken, no_scores, takes_labels, weights_not_taken
from handful.validation.warning import warn_user

Array = np.ndarray


class RefitMixin(ColumnSelector):
    """``refit`` is True, False, "auto" or an estimator, which is then fitted on the selected columns: ``estimator_``."""

    refit: Any
    estimator_: Any

    @property
    def _has_own_refit(self) -> bool:
        """Whether an estimator is to predict."""
        return not isinstance(self.refit, (bool, np.bool_, str))

    @property
    def _is_refitted(self) -> bool:
        """Whether the method fits what is selected anew: not where that is refused."""
        return not isinstance(self.refit, (bool, np.bool_)) or bool(self.refit)

    @property
    def _asked(self) -> Any:
        """What predicts, or is to after a fit, in place of the weights; None if these do."""
        return getattr(self, "estimator_", self.refit if self._has_own_refit else None)

    def _fit_own(self, X: Any, y: Any, weight: Array, sample_weight: Any) -> None:
        """Fit that estimator, if there is one, on the selected columns of checked data.

        ``weight`` has the factors of classes too; ``sample_weight`` is what was given, and None like ``class_weight`` where all count alike.
        """
        if not self._has_own_refit:
            return
        own, options = clone(self.refit), {}
        if sample_weight is not None or getattr(self, "class_weight", None) is not None:
            if has_fit_parameter(own, "sample_weight"):
                options["sample_weight"] = weight
            else:
                warn_user(weights_not_taken(own))
        columns, targets = self._selected_columns(X), self._own_targets(y)
        try:
            own.fit(columns, targets, **options)
        except ValueError as error:
            if hasattr(self, "label_values_") and not takes_labels(own):
                raise labels_not_taken(own) from error
            raise
        self.estimator_ = own

    def _own_targets(self, y: Any) -> Array:
        """Return y as that estimator is to see it."""
        return np.asarray(y)

    def _ask(self, method: str, X: Any) -> Any:
        """Return what the estimator says of the selected columns of new rows."""
        return getattr(self.estimator_, method)(self._transformed(X))


class RegressesByRefit(RefitMixin):
    """A regressor whose predictions are those of the estimator that was given as ``refit``; before the other mixins."""

    def predict(self, X: Any) -> Array:
        """Return the predicted values, one column for each output."""
        if not hasattr(self, "estimator_"):
            return np.asarray(super().predict(X))
        predicted = np.asarray(self._ask("predict", X))
        return predicted if np.ndim(self.intercept_) == 0 else predicted.reshape(len(predicted), -1)


def _has_scores(estimator: Any) -> bool:
    own = estimator._asked
    if own is not None and not hasattr(own, "decision_function"):
        raise no_scores(estimator, own)
    return True


class ClassifiesByRefit(RefitMixin):
    """A classifier whose predictions are those of the estimator that was given as ``refit``; before the other mixins.

    Labels of a matrix y are 0 and 1 to that estimator.
    """

    label_values_: Array

    def _own_targets(self, y: Any) -> Array:
        if not hasattr(self, "label_values_"):
            return np.ravel(y)
        return (np.asarray(y.toarray() if issparse(y) else y) > 0).astype(int)

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score, or which labels have a score above zero."""
        if not hasattr(self, "estimator_"):
            return np.asarray(super().predict(X))
        predicted = np.asarray(self._ask("predict", X))
        if not hasattr(self, "label_values_"):
            return predicted
        return np.asarray(self.label_values_[predicted.astype(int)])

    @available_if(_has_scores)
    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_samples,) for two classes, else one column for each class or label."""
        if hasattr(self, "estimator_"):
            return np.asarray(self._ask("decision_function", X))
        return np.asarray(super().decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._has_own_refit:
            tags.classifier_tags.multi_label &= takes_labels(self.refit)
        return tags

    def _has_probabilities(self) -> bool:
        own = self._asked
        if own is None:
            return bool(super()._has_probabilities())
        return hasattr(own, "predict_proba")

    def _probabilities(self, X: Any, *, log: bool) -> Array:
        if not hasattr(self, "estimator_"):
            return np.asarray(super()._probabilities(X, log=log))
        if (
            log
            and hasattr(self.estimator_, "predict_log_proba")
            and not hasattr(self, "label_values_")
        ):
            return np.asarray(self._ask("predict_log_proba", X))
        given = self._ask("predict_proba", X)
        found = of_yes(given, self.estimator_.classes_) if isinstance(given, list) else given
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(found) if log else found)


def of_yes(probabilities: Sequence[Array], classes: Sequence[Array]) -> Array:
    """Return the probability of 1 for each label, where estimators have a table of 0 and 1 for each, or of one of them."""
    columns = []
    for each, values in zip(probabilities, classes, strict=True):
        place = np.flatnonzero(np.asarray(values) == 1)
        columns.append(each[:, place[0]] if len(place) else np.zeros(len(each)))
    return np.column_stack(columns)

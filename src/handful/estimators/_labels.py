"""Labels to signs before a fit, scores to labels after it: the same for all classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from handful import validation

Array = np.ndarray


class LabelsMixin(ClassifierMixin):
    """One class against the rest; an estimator gives ``_raw_predictions``, a column for each output."""

    classes_: Array

    def _signs(self, y: Array, weight: Array, class_weight: Any = None) -> tuple[Array, Array]:
        """Set ``classes_``; return columns of -1 and +1, and the weights of samples with those of classes.

        There is a column for each class, and one for two classes: +1 is the second.
        """
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if class_weight is not None:
            factors = validation.class_weights(class_weight, self.classes_, codes, weight)
            weight = weight * factors[codes]
        validation.check_classes(self.classes_, codes, weight, type(self).__name__)
        outputs = np.arange(len(self.classes_)) if len(self.classes_) > 2 else [1]
        return np.where(codes[:, None] == outputs, 1.0, -1.0), weight

    if TYPE_CHECKING:

        def _raw_predictions(self, X: Any) -> Array:
            """Return the scores of every output, (n_samples, n_outputs)."""

    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_samples,) for two classes, else one column for each class or label."""
        raw = self._raw_predictions(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score."""
        raw = self._raw_predictions(X)
        best = (raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return np.asarray(self.classes_[best])

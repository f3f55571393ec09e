"""Probabilities of classes from their scores: the sigmoid of each, and their sum made one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.metaestimators import available_if

from handful.losses import resolve_loss
from handful.validation.probabilities import no_probabilities

Array = np.ndarray


def _are_there(estimator: Any) -> bool:
    if not estimator._has_probabilities():
        raise no_probabilities(estimator)
    return True


class ProbabilitiesMixin:
    """``predict_proba`` of classifiers whose scores are log-odds, by their loss or by a calibration.

    ``calibration_`` is there where scores were calibrated on held-out rows: a slope and an offset for each
    output, ``log-odds = slope * score + offset``.
    """

    calibration_: Array

    if TYPE_CHECKING:

        def decision_function(self, X: Any) -> Array:
            """Return raw scores."""

    def _has_probabilities(self) -> bool:
        """Whether scores are log-odds; ValueError when the loss is none."""
        if hasattr(self, "calibration_"):
            return True
        loss = getattr(self, "loss", None)
        return loss is not None and resolve_loss(loss, "classification").scores_are_log_odds

    @available_if(_are_there)
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, in the order of ``classes_``.

        ``1 / (1 + exp(-score))`` is that of the second of two classes. Several classes have one against the
        rest each, divided by their sum, as in scikit-learn's ``OneVsRestClassifier``. Labels of a matrix y, of which a
        sample may have several, have that of yes each, by itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes or n_labels)
        """
        return self._probabilities(X, log=False)

    @available_if(_are_there)
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of :meth:`predict_proba`, which do not underflow."""
        return self._probabilities(X, log=True)

    def _probabilities(self, X: Any, *, log: bool) -> Array:
        """Return the probabilities of all classes, or their logarithms."""
        z = self._log_odds(X)
        if hasattr(self, "label_values_"):
            return np.asarray(log_expit(z) if log else expit(z))
        if z.shape[1] == 1:
            return np.hstack([log_expit(-z), log_expit(z)] if log else [expit(-z), expit(z)])
        each = log_expit(z)  # the sum of their exponentials may be zero, but not that of softmax
        return np.asarray(log_softmax(each, axis=1) if log else softmax(each, axis=1))

    def _log_odds(self, X: Any) -> Array:
        """Return the log-odds of every output, (n_samples, n_outputs)."""
        scores = self.decision_function(X)
        z = scores[:, None] if scores.ndim == 1 else scores
        if not hasattr(self, "calibration_"):
            return z
        slopes, offsets = self.calibration_.T
        return z * slopes + offsets

"""Labels to signs before a fit, scores to labels and probabilities after it: the same for all classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from handful import validation
from handful.losses import measure_of, resolve_loss
from handful.methods.problem import Selected
from handful.spaces.base import NO_IDS, Array
from handful.validation.greedy import check_no_class_weight, several_kinds_of_labels
from handful.validation.indices import checked
from handful.validation.measures import as_signs
from handful.validation.multi_output import check_labels_vary, label_matrix
from handful.validation.probabilities import no_probabilities

#: What a label that never changes has where each label has an entry of its own.
OF_CONSTANT_LABEL: dict[str, Any] = {
    "class_support_ids_": NO_IDS,
    "refit_loss_": "constant",
    "selection_loss_": "constant",
    "C_": np.nan,
    "C_path_": {"reason": "the label is always the same."},
}


def class_or_label(estimator: Any) -> tuple[str, str]:
    """Return what a fitted classifier has weights for: one, and several."""
    return ("label", "labels") if hasattr(estimator, "label_values_") else ("class", "classes")


def scores_are_log_odds(estimator: Any) -> bool:
    """Whether the loss of an estimator, if it has one, makes them so; ValueError when it is none."""
    loss = getattr(estimator, "loss", None)
    return loss is not None and resolve_loss(loss, "classification").scores_are_log_odds


def _are_there(estimator: Any) -> bool:
    if not estimator._has_probabilities():
        raise no_probabilities(estimator)
    return True


def takes_weights(loss: Any) -> bool:
    """Whether a loss given by name or instance takes weights of samples: all do but some measures."""
    measure = measure_of(loss)
    return measure is None or bool(measure.accepts_weight)


def best_classes(raw: Array) -> Array:
    """Return the number of the class that scores predict: of one column its sign, of several the largest."""
    return np.asarray(raw[:, 0] > 0, dtype=int) if raw.shape[1] == 1 else raw.argmax(axis=1)


@dataclass(slots=True)
class TagsOfLoss(ClassifierTags):
    """What a classifier says of itself, and whether its loss takes weights of samples and classes."""

    sample_weight: bool = True


class LabelsMixin(ClassifierMixin):
    """One class against the rest; an estimator gives ``_raw_predictions``, a column for each output.

    There are probabilities where scores are log-odds, by the loss or by a calibration: ``calibration_`` is there where
    scores were calibrated on held-out rows, a slope and an offset for each output,
    ``log-odds = slope * score + offset``.
    """

    classes_: Array
    calibration_: Array

    def _signs(self, y: Array, weight: Array, class_weight: Any = None) -> tuple[Array, Array]:
        """Set ``classes_``; return columns of -1 and +1, and the weights of samples with those of classes.

        There is a column for each class, and one for two classes: +1 is the second.
        """
        check_classification_targets(y)
        self.__dict__.pop("calibration_", None)  # of an earlier fit
        self.classes_, codes = np.unique(y, return_inverse=True)
        if class_weight is not None:
            factors = validation.class_weights(class_weight, self.classes_, codes, weight)
            weight = weight * factors[codes]
        validation.check_classes(self.classes_, codes, weight, type(self).__name__)
        outputs = np.arange(len(self.classes_)) if len(self.classes_) > 2 else [1]
        return as_signs(codes[:, None] == outputs), weight

    if TYPE_CHECKING:

        def _raw_predictions(self, X: Any) -> Array:
            """Return the scores of every output, (n_samples, n_outputs)."""

    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_samples,) for two classes, else one column for each class or label."""
        raw = self._raw_predictions(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score."""
        best = best_classes(self._raw_predictions(X))  # which says so where nothing is fitted yet
        return np.asarray(self.classes_[best])

    def _has_probabilities(self) -> bool:
        """Whether scores are log-odds; ValueError when the loss is none."""
        return hasattr(self, "calibration_") or scores_are_log_odds(self)

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

    @property
    def _may_score_poorly(self) -> bool:
        """One feature, a border through the origin, or sizes alone cannot separate the blobs of scikit-learn's checks."""
        may_be_one = validation.may_be_one(getattr(self, "n_features_to_select", None))
        is_blind = getattr(getattr(self, "space", None), "ignores_sign", False)
        return may_be_one or not getattr(self, "fit_intercept", True) or is_blind

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._may_score_poorly
        if not hasattr(self, "loss"):
            return tags
        own = tags.classifier_tags
        try:
            takes = takes_weights(self.loss)
        except ValueError:  # fit will say what is wrong with it
            takes = True
        tags.classifier_tags = TagsOfLoss(own.poor_score, own.multi_class, own.multi_label, takes)
        return tags


class SeveralLabelsMixin(LabelsMixin):
    """The same for y that may also be a matrix: a column of no and yes for each label."""

    label_values_: Array
    #: Of each label the score of what all samples have, 0 where they differ; None if y is no matrix.
    _constant_scores: Array | None = None

    def _signs(self, y: Any, weight: Array, class_weight: Any = None) -> tuple[Array, Array]:
        """Return one column of -1 and +1 for each class or label."""
        if issparse(y):  # scikit-learn knows no sparse matrix of -1 and 1
            y = checked(y, "y").toarray()
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        for name in ("label_values_", "calibration_"):
            self.__dict__.pop(name, None)
        self._constant_scores = None
        if kind == "multilabel-indicator":
            check_no_class_weight(class_weight)
            labels = label_matrix("y", y)
            has_minus = y.dtype.kind not in "bu" and y.min() < 0
            self.label_values_ = np.array([-1 if has_minus else 0, 1], dtype=y.dtype)
            self.classes_ = np.arange(labels.shape[1])
            return as_signs(labels), weight
        if kind not in ("binary", "multiclass"):
            raise several_kinds_of_labels(kind)
        return super()._signs(column_or_1d(y, warn=True), weight, class_weight)

    def _that_vary(self, signs: Array, weight: Array) -> Array:
        """Leave out labels that all samples have, or none, and tell so; raise when that is all of them."""
        if not hasattr(self, "label_values_"):
            return signs
        counted = signs[weight > 0]
        is_constant = (counted == counted[0]).all(axis=0)
        check_labels_vary(is_constant)
        if not is_constant.any():
            return signs
        # Of log-odds what n rows that are all the same say of the next one: n + 1 to 1.
        score = np.log1p(weight.sum()) if scores_are_log_odds(self) else 1.0
        self._constant_scores = np.where(is_constant, score * counted[0], 0.0)
        return np.ascontiguousarray(signs[:, ~is_constant])

    def _attributes(self, selected: Selected) -> dict[str, Any]:
        return self._of_all_labels(super()._attributes(selected))

    def _of_all_labels(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Put the labels back that were left out: each has no features, and its score as intercept."""
        scores = self._constant_scores
        if scores is None:
            return attributes
        varies = scores == 0
        weights, intercept = np.zeros((len(scores), attributes["weights_"].shape[1])), scores.copy()
        weights[varies], intercept[varies] = attributes["weights_"], attributes["intercept_"]
        more: dict[str, Any] = {"weights_": weights, "intercept_": intercept}
        for name in OF_CONSTANT_LABEL.keys() & attributes.keys():
            if isinstance(attributes[name], (list, np.ndarray)):  # else one for all labels
                own = iter(attributes[name])
                each = [next(own) if one else OF_CONSTANT_LABEL[name] for one in varies]
                more[name] = each if isinstance(attributes[name], list) else np.array(each)
        return attributes | more

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score, or which labels have a score above zero."""
        if not hasattr(self, "label_values_"):
            return super().predict(X)
        return np.asarray(self.label_values_[(self._raw_predictions(X) > 0).astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

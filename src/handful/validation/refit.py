"""Checks and messages of ``refit``: whether selected features are fitted anew, and by what."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from handful.validation import unknown_choice

CLASSIFIER, REGRESSOR = "a classifier", "a regressor"


def check_refit(given: Any, needs: str) -> None:
    """Raise unless refit is a truth value, "auto" or an estimator of the kind that is needed."""
    if isinstance(given, (bool, np.bool_)) or (isinstance(given, str) and given == "auto"):
        return
    is_class = isinstance(given, type)
    can_predict = not is_class and hasattr(given, "fit") and hasattr(given, "predict")
    if not can_predict or _is_of_other_kind(given, needs):
        raise unknown_choice("refit", given, (True, False, "auto"), needs)


def _is_of_other_kind(given: Any, needs: str) -> bool:
    is_other = is_regressor if needs == CLASSIFIER else is_classifier
    try:
        return bool(is_other(given))
    except (AttributeError, TypeError):  # who does not say what it is may be anything
        return False


def weights_not_taken(estimator: Any) -> str:
    """Return the warning for an estimator that is to predict and takes no weights of samples."""
    return (
        f"{type(estimator).__name__}, given as refit, takes no sample_weight: it counts all samples alike, and only the selection "
        "weighs them."
    )


def takes_labels(estimator: Any) -> bool:
    """Whether an estimator says that y may be a matrix of labels, or says nothing."""
    try:
        tags = get_tags(estimator)
    except (AttributeError, TypeError):
        return True
    own = tags.classifier_tags
    return own is None or bool(own.multi_label or tags.target_tags.multi_output)


def labels_not_taken(estimator: Any) -> ValueError:
    """Return the error for a matrix of labels and an estimator of classes."""
    name = type(estimator).__name__
    return ValueError(
        f"{name}, given as refit, takes no matrix of labels; sklearn.multiclass.OneVsRestClassifier({name}()) does."
    )


def no_scores(estimator: Any, own: Any) -> AttributeError:
    """Return the error for scores that the estimator given as refit does not have."""
    return AttributeError(
        f"this {type(estimator).__name__} has no decision_function, because the {type(own).__name__} given as refit has none."
    )

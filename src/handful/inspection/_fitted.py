"""The fitted selector inside whatever was fitted: a search over k, a stability selection, a Pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from handful.estimators._features import InputNames, Selection
from handful.model_selection._wrapped import selector_in
from handful.validation.plotting import nothing_to_draw


def fitted_selector(estimator: Any) -> Any:
    """Return what selected and predicts.

    Of :class:`~handful.model_selection.SelectKCV` the best estimator, of a stability selection the one on stable features, of
    a Pipeline the step that selects.
    """
    check_is_fitted(estimator)
    for name in ("best_estimator_", "estimator_"):
        if hasattr(estimator, name) and not hasattr(estimator, "weights_"):
            return fitted_selector(getattr(estimator, name))
    return selector_in(estimator) if isinstance(estimator, Pipeline) else estimator


def selection_of(estimator: Any, feature_names: Sequence[str] | None = None) -> Selection:
    """Return the features and groups of a fitted selector, with names."""
    selector = fitted_selector(estimator)
    if not hasattr(selector, "weights_"):
        raise nothing_to_draw(selector, "weights_")
    return Selection(selector, InputNames.of(selector, feature_names))

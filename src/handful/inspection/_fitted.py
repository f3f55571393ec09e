"""The fitted selector inside whatever was fitted: a search over k, a stability selection, a Pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from handful.estimators._features import InputNames, Selection
from handful.model_selection._wrapped import names_at_selector, selector_in, steps_before
from handful.validation.plotting import nothing_to_draw


def fitted_selector(estimator: Any) -> Any:
    """Return what selected and predicts.

    Of :class:`~handful.model_selection.SelectKCV` the best estimator, of a stability selection the one on stable features, of
    a Pipeline the step that selects.
    """
    fitted = innermost(estimator)
    return selector_in(fitted) if isinstance(fitted, Pipeline) else fitted


def at_selector(estimator: Any, X: Any) -> tuple[Any, Any, InputNames]:
    """Return the fitted selector, X as it reaches it behind the steps of a Pipeline, and its column names."""
    fitted = innermost(estimator)
    selector = fitted_selector(fitted)
    if isinstance(fitted, Pipeline):
        for step in steps_before(fitted, selector):
            X = step.transform(X)
        return selector, X, InputNames(names_at_selector(fitted))
    return selector, X, InputNames.of(selector)


def innermost(estimator: Any) -> Any:
    """Return the estimator that a search or a stability selection has fitted in the end."""
    check_is_fitted(estimator)
    for name in ("best_estimator_", "estimator_"):
        if hasattr(estimator, name) and not hasattr(estimator, "weights_"):
            return innermost(getattr(estimator, name))
    return estimator


def selection_of(estimator: Any, feature_names: Sequence[str] | None = None) -> Selection:
    """Return the features and groups of a fitted selector, with names."""
    fitted = innermost(estimator)
    selector = fitted_selector(fitted)
    if not hasattr(selector, "weights_"):
        raise nothing_to_draw(selector, "weights_")
    names = names_at_selector(fitted) if feature_names is None else feature_names
    return Selection(selector, InputNames(names))

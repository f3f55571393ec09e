"""The fitted selector inside whatever was fitted: a search over k, a stability selection, a Pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from handful.estimators._features import InputNames, Selection
from handful.model_selection._samples import as_matrix
from handful.model_selection._wrapped import (
    chosen_ids,
    ids_before,
    names_at_selector,
    pass_columns,
    selector_in,
    size_before,
    steps_before,
    takes_bags,
)
from handful.spaces.resolve import source_of
from handful.validation.plotting import check_names, nothing_stable_to_draw, nothing_to_draw

Array = np.ndarray


def fitted_selector(estimator: Any) -> Any:
    """Return what selected and predicts.

    Of :class:`~handful.model_selection.SelectKCV` the best estimator, of a stability selection the one on stable features, of
    a Pipeline the step that selects.
    """
    fitted = innermost(estimator)
    last = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    # What is left where no feature is stable.
    if isinstance(last, DummyClassifier | DummyRegressor):
        raise nothing_stable_to_draw()
    return selector_in(fitted) if isinstance(fitted, Pipeline) else fitted


def drawn_from(model: Any, name: str) -> Any:
    """Return what a fitted model has to be drawn, or raise."""
    check_is_fitted(model)
    found = getattr(model, name, None)
    if found is None:
        raise nothing_to_draw(model, name)
    return found


def at_selector(fitted: Any, X: Any) -> Any:
    """Return X as it reaches the selector behind the steps of a Pipeline, checked."""
    selector = fitted_selector(fitted)
    for step in steps_before(fitted, selector):
        X = step.transform(X)
    check = getattr(selector, "_check_bags", None) or selector._check_X
    return check(X, reset=False)


def candidates(fitted: Any, X: Any) -> tuple[Any, Array]:
    """Return all columns that could have been chosen, and the ids of those that were, in the model's order.

    They are those of X where the steps before the selector keep its columns or pick some, as those of a stability
    selection do, and otherwise those that reach the selector.
    """
    selector = fitted_selector(fitted)
    before, ids = steps_before(fitted, selector), chosen_ids(fitted)
    if before and ids is not None and pass_columns(before):
        return as_matrix(X) if source_of(X) is None else source_of(X), ids
    return at_selector(fitted, X), np.asarray(selector.support_ids_)


def n_columns_before(estimator: Any) -> int | None:
    """Return how many columns there were before steps that picked those the last fit saw; None where it saw all.

    Such steps are those of a Pipeline, and what a stability selection or folds that agree have chosen.
    """
    fitted = innermost(estimator)
    selector = fitted_selector(fitted)
    if takes_bags(fitted):
        return None
    n_seen = int(selector.n_features_in_)
    n_there = size_before(steps_before(fitted, selector), n_seen)
    return n_there if n_there > n_seen else None


def innermost(estimator: Any) -> Any:
    """Return the estimator that a search or a stability selection has fitted in the end.

    Of a Pipeline in which such a choice is a step: the Pipeline with what was fitted in place of that step.
    """
    check_is_fitted(estimator)
    for name in ("best_estimator_", "estimator_"):
        if hasattr(estimator, name) and not hasattr(estimator, "weights_"):
            return innermost(getattr(estimator, name))
    if isinstance(estimator, Pipeline) and _has_chosen(estimator):
        return Pipeline([part for name, step in estimator.steps for part in _parts(name, step)])
    return estimator


def has_counted(estimator: Any) -> bool:
    """Whether an estimator is a search over k or a stability selection, which split rows themselves, and is fitted."""
    return hasattr(estimator, "k_path_") or hasattr(estimator, "stability_path_")


def chooser_in(estimator: Any) -> Any:
    """Return the search over k or the stability selection that an estimator is, or has among its steps; None without."""
    if has_counted(estimator):
        return estimator
    if isinstance(estimator, Pipeline):
        found = [chooser_in(step) for _, step in estimator.steps]
        return next((one for one in reversed(found) if one is not None), None)
    return None


def _has_chosen(step: Any) -> bool:
    """Whether a fitted step hands its columns on to an estimator that it has fitted to all of them."""
    if isinstance(step, Pipeline):
        return any(_has_chosen(inner) for _, inner in step.steps)
    is_stable = hasattr(step, "stability_path_") and hasattr(step, "estimator_")
    return hasattr(step, "best_estimator_") or is_stable


def _parts(name: str, step: Any) -> list[tuple[str, Any]]:
    """Return the steps that a step of a Pipeline stands for, under names of their own."""
    if not _has_chosen(step):
        return [(name, step)]
    fitted = innermost(step)
    if not isinstance(fitted, Pipeline):
        return [(name, fitted)]
    return [(f"{name}, {inner}", part) for inner, part in fitted.steps]


def selection_of(estimator: Any, feature_names: Sequence[str] | None = None) -> Selection:
    """Return the features and groups of a fitted selector, with names."""
    fitted = innermost(estimator)
    selector = fitted_selector(fitted)
    drawn_from(selector, "weights_")
    if feature_names is None:
        return Selection(selector, InputNames(names_at_selector(fitted)))
    return Selection(selector, InputNames(_given_names(fitted, selector, list(feature_names))))


def _given_names(fitted: Any, selector: Any, names: list[str]) -> list[str]:
    """Return the names of the columns that the selector has seen, of names of all columns of X or of these."""
    n_seen, before = int(selector.n_features_in_), steps_before(fitted, selector)
    n_there = size_before(before, n_seen)
    if len(names) == n_there:
        return [names[j] for j in ids_before(before, np.arange(n_seen))]
    check_names("feature_names", len(names), n_seen, "column")
    return names

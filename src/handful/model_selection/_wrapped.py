"""Any selector as the tools here see it: how its count is set, what it chose, and what X passes on the way to it.

A selector is an estimator with ``n_features_to_select`` (ours, RFE, SequentialFeatureSelector; of a
dictionary ``n_atoms``), or a Pipeline with such a step. Of several steps that have it the last one
counts, wherever it stands: [scaler, selector] and [scaler, selector, classifier] are both taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, clone
from sklearn.pipeline import Pipeline

from handful.status import Status
from handful.validation import model_selection as checks

Array = np.ndarray
#: Parameters that say how many.
COUNTS = ("n_features_to_select", "n_atoms")


def count_parameter(estimator: Any) -> str:
    """Return the name by which ``set_params`` sets how many features are selected.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from handful import FGMClassifier
    >>> count_parameter(make_pipeline(StandardScaler(), FGMClassifier()))
    'fgmclassifier__n_features_to_select'
    """
    way = _way_to_selector(estimator)
    return "__".join([*(name for name, _ in way if name), _own_count(way[-1][1])])


def selector_in(estimator: Any) -> Any:
    """Return the selector itself: the estimator, or the step of a Pipeline that counts."""
    return _way_to_selector(estimator)[-1][1]


def check_fitted_many_times(estimator: Any) -> None:
    """Raise unless an estimator counts what it selects, and can be fitted again and again."""
    if getattr(selector_in(estimator), "checkpoint", None) is not None:
        raise checks.with_checkpoint()


def names_at_selector(fitted: Any) -> Any:
    """Return the names of the columns that the selector was given: through a Pipeline, those of the steps before it.

    None where nobody knows them.
    """
    selector = selector_in(fitted)
    names = getattr(selector, "feature_names_in_", None)
    if names is not None or not isinstance(fitted, Pipeline):
        return names
    place = next((i for i, (_, step) in enumerate(fitted.steps) if step is selector), 0)
    try:
        return fitted[:place].get_feature_names_out() if place else None
    except (AttributeError, ValueError):  # a step that has no names to give
        return None


def with_k(estimator: Any, k: int, **parameters: Any) -> Any:
    """Return a clone that selects k, with other parameters set before."""
    made = clone(estimator).set_params(**clone(parameters, safe=False))
    return made.set_params(**{count_parameter(made): k})


def judged(estimator: Any) -> Any:
    """Return an estimator that predicts, so that held-out rows can judge it.

    One that only selects, as SequentialFeatureSelector, is followed by the estimator that it selects for.
    """
    if hasattr(estimator, "predict"):
        return estimator
    way = _find(estimator)
    inner = getattr(way[-1][1], "estimator", None) if way else None
    if not hasattr(inner, "predict"):
        raise checks.does_not_predict(estimator)
    steps = estimator.steps if isinstance(estimator, Pipeline) else [("selector", estimator)]
    return Pipeline([*steps, ("estimator", clone(inner))])


def predicting(estimator: Any) -> Any | None:
    """Return what :func:`judged` returns; None where there is nothing that predicts."""
    has_inner = hasattr(getattr(selector_in(estimator), "estimator", None), "predict")
    return judged(estimator) if has_inner or hasattr(estimator, "predict") else None


def up_to_selector(estimator: Any) -> Any:
    """Return the part of a fitted estimator that reduces X to what was chosen."""
    if not isinstance(estimator, Pipeline):
        return estimator
    selector = selector_in(estimator)
    inside = [any(step is selector for _, step in flat_steps(one)) for _, one in estimator.steps]
    return estimator[: inside.index(True) + 1]


def is_of_space(estimator: Any) -> bool:
    """Whether features are made from the columns that the selector is given."""
    return getattr(selector_in(estimator), "space", None) is not None


def takes_bags(estimator: Any) -> bool:
    """Whether labels belong to bags: ids of instances then mean nothing beyond the bags of one fit."""
    return taker_of_bags(estimator) is not None


def chosen_ids(fitted: Any) -> Array | None:
    """Return what a fitted selector chose, ascending: columns of X, or features of its space.

    Through a Pipeline they are columns of X as long as every step before the selector keeps the
    columns, as scalers do, or picks some. Behind a step that makes other columns they are those that
    the selector was given. None where nothing was picked that other fits could pick too: instances of
    bags, or atoms.
    """
    if takes_bags(fitted):
        return None
    selector = selector_in(fitted)
    if getattr(selector, "_n_space_features", None) is not None:
        return own_ids(selector)  # features of a space, which no step before has picked from
    return ids_before(steps_before(fitted), own_ids(selector))


def n_candidates(fitted: Any) -> int | None:
    """Return how many there were to choose from: the range of :func:`chosen_ids`."""
    if takes_bags(fitted):
        return None
    selector = selector_in(fitted)
    own = getattr(selector, "_n_space_features", None)  # of a space that is larger than X
    if own is not None:
        return int(own)
    return size_before(steps_before(fitted), int(selector.n_features_in_))


def n_selected(fitted: Any) -> int:
    """Return how many a fitted selector has of what is counted: of groups where there are any."""
    selector = selector_in(fitted)
    for name in ("group_support_", "dictionary_"):
        if hasattr(selector, name):
            return len(getattr(selector, name))
    return len(own_ids(selector))


def chooses_columns(estimator: Any) -> bool:
    """Whether features are columns of what the estimator is given, and not made by a space or a step before."""
    return not is_of_space(estimator) and pass_columns(steps_before(estimator))


def raise_if_interrupted(fitted: Any) -> None:
    """Raise what Ctrl-C raises: our fits end after the round in hand, and half a fold is none."""
    for one in (fitted, _innermost(fitted), *(step for _, step in flat_steps(fitted))):
        if getattr(one, "status_", None) in (
            Status.INTERRUPTED,
            Status.SOME_FOLDS,
            Status.SOME_OUTER_FOLDS,
            Status.SOME_RESAMPLES,
        ):
            raise KeyboardInterrupt


def _innermost(estimator: Any) -> Any:
    """Return the selector in an estimator, also in one that searches for its parameters."""
    way = _find(estimator)
    if way is not None:
        return way[-1][1]
    inner = getattr(estimator, "estimator", None)
    return estimator if inner is None else _innermost(inner)


def taker_of_bags(estimator: Any) -> Any:
    """Return the estimator of bags in another, or None."""
    inner = _innermost(estimator)
    return inner if hasattr(inner, "bag_column") else None


def takes_strings(estimator: Any) -> bool:
    """Whether X goes to a selector of substrings as it is."""
    inner = _innermost(estimator)
    of_strings = getattr(getattr(inner, "space", None), "takes_strings", False)
    return bool(of_strings and not steps_before(estimator, inner))


def steps_before(estimator: Any, selector: Any = None) -> list[Any]:
    """Return the steps that X passes on the way to the selector, or to another step."""
    selector = selector_in(estimator) if selector is None else selector
    before: list[Any] = []
    for _, step in flat_steps(estimator):
        if step is selector:
            return before
        before.append(step)
    return []


def flat_steps(estimator: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the steps of a Pipeline and of those in it, with what their parameters begin with; of anything else itself."""
    if not isinstance(estimator, Pipeline):
        yield before, estimator
        return
    for name, step in estimator.steps:
        if step is not None and step != "passthrough":
            yield from flat_steps(step, f"{before}{name}__")


def keeps_columns(step: Any) -> bool:
    """Whether a step gives as many columns as it gets, each made of one, as scalers do."""
    return isinstance(step, OneToOneFeatureMixin)


def pass_columns(steps: Sequence[Any]) -> bool:
    """Whether steps keep the columns, as scalers do, or pick some, and make no others."""
    return all(keeps_columns(step) or hasattr(step, "get_support") for step in steps)


def ids_before(steps: Sequence[Any], ids: Array) -> Array:
    """Return which columns these were before fitted steps that keep the columns or pick some of them.

    Behind a step that makes other columns they are those that it made.
    """
    for step in reversed(steps):
        if hasattr(step, "get_support"):
            ids = own_ids(step)[ids]
        elif not keeps_columns(step):
            break
    return ids


def size_before(steps: Sequence[Any], size: int) -> int:
    """Return how many columns there were where the ids of :func:`ids_before` are counted."""
    for step in reversed(steps):
        if not hasattr(step, "get_support") and not keeps_columns(step):
            break
        size = int(step.n_features_in_)
    return size


def own_ids(selector: Any) -> Array:
    """Return which of the columns that it was given a fitted selector chose."""
    if hasattr(selector, "support_ids_"):
        return np.asarray(selector.support_ids_, dtype=np.int64)
    return np.asarray(selector.get_support(indices=True), dtype=np.int64)


def _way_to_selector(estimator: Any) -> list[tuple[str, Any]]:
    """Return names and objects from the outermost to the selector."""
    way = _find(estimator)
    if way is None:
        raise checks.no_selector(estimator)
    return way


def _find(estimator: Any, name: str = "") -> list[tuple[str, Any]] | None:
    if isinstance(estimator, Pipeline):
        for step_name, step in reversed(estimator.steps):
            way = _find(step, step_name)
            if way is not None:
                return way if not name else [(name, estimator), *way]
        return None
    return [(name, estimator)] if _own_count(estimator) else None


def _own_count(estimator: Any) -> str:
    if not hasattr(estimator, "get_params"):
        return ""
    parameters = estimator.get_params(deep=False)
    return next((count for count in COUNTS if count in parameters), "")

"""Attributes: parameters as they were given, and fitted ones, with the same names for what every method found, taken back where a fit fails."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from handful.estimators._older_sklearn import with_callbacks
from handful.methods.problem import Selected

Fit = TypeVar("Fit", bound=Callable[..., Any])


def attributes_of(selected: Selected) -> dict[str, Any]:
    """Return the fitted attributes."""
    return {
        "support_ids_": selected.ids,
        "weights_": selected.weights,
        "intercept_": selected.intercept,
        "objective_": selected.objective,
        "dual_gap_": selected.gap,
        "history_": selected.history,
        "n_iter_": len(selected.history) - selected.history.in_phase("refit"),
        "status_": selected.status,
        **selected.more,
    }


def assign(estimator: Any, attributes: Mapping[str, Any]) -> None:
    """Set the attributes of an estimator."""
    for name, value in attributes.items():
        setattr(estimator, name, value)


def all_or_nothing(fit: Fit) -> Fit:
    """Decorate ``fit``: what it has set so far is taken back when it raises, an interrupt included.

    Otherwise an estimator would look fitted as soon as its input has been looked at, and a model
    that was fitted before would be half replaced.
    """

    @functools.wraps(fit)
    def guarded(estimator: Any, *args: Any, **options: Any) -> Any:
        before = vars(estimator).copy()
        try:
            return fit(estimator, *args, **options)
        except BaseException:
            vars(estimator).clear()
            vars(estimator).update(before)
            raise

    return guarded  # type: ignore[return-value]


def fitting(fit: Fit) -> Fit:
    """Decorate the ``fit`` of an estimator that tells callbacks of its rounds; it is all or nothing too."""
    return all_or_nothing(with_callbacks(fit))

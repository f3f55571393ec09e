"""From what a method found to the attributes of a fitted estimator: the same names everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handful.methods.problem import Selected


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

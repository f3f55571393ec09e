"""What a fitted model looks like: as tables for people, as a dictionary for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import printable
from handful.cli.problem import FeatureNames

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["describe", "print_report"]

_FEATURES_SHOWN = 30
_MOST_WEIGHT_COLUMNS = 4


def describe(estimator: Any, names: FeatureNames) -> dict[str, Any]:
    """Return everything that the tables show, and the features that they leave out."""
    last = estimator.history_[-1] if len(estimator.history_) else None
    return {
        "estimator": type(estimator).__name__,
        "n_features_in": estimator.n_features_in_,
        "n_selected": len(estimator.support_ids_),
        "classes": getattr(estimator, "classes_", None),
        "features": [
            {"id": int(j), "name": names[int(j)], "weights": estimator.weights_[:, column]}
            for column, j in enumerate(estimator.support_ids_)
        ],
        "intercept": np.atleast_1d(estimator.intercept_),
        "C": estimator.C_,
        "objective": estimator.objective_,
        "dual_gap": estimator.dual_gap_,
        "relative_gap": None if last is None else last.relative_gap,
        "status": estimator.status_.name,
        "message": str(estimator.status_),
        "rounds": estimator.history_.to_records(),
    }


def print_report(
    console: Console, estimator: Any, names: FeatureNames, *, all_features: bool = False
) -> None:
    """Print the features, the rounds and the certificate."""
    n_selected = len(estimator.support_ids_)
    shown = n_selected if all_features else min(n_selected, _FEATURES_SHOWN)
    console.print(f"{n_selected} of {estimator.n_features_in_} features", style="bold")
    console.print(_feature_table(estimator, names, shown))
    if shown < n_selected:
        console.print(f"and {n_selected - shown} more with smaller weights", style="dim")
    console.print(_round_table(estimator))
    console.print(f"objective {estimator.objective_:.6g}, gap {estimator.dual_gap_:.3g}")
    console.print(str(estimator.status_), soft_wrap=True)


def _feature_table(estimator: Any, names: FeatureNames, shown: int) -> Table:
    """Put the strongest features first; many classes share one column, the norm."""
    from rich.table import Table
    from rich.text import Text

    ids, weights = estimator.support_ids_, estimator.weights_
    table = Table()
    table.add_column("feature", overflow="fold")
    strength = np.linalg.norm(weights, axis=0)
    if weights.shape[0] == 1:
        columns = {"weight": weights[0]}
    elif weights.shape[0] <= _MOST_WEIGHT_COLUMNS:
        columns = {
            f"weight, {label}": row for label, row in zip(estimator.classes_, weights, strict=True)
        }
    else:
        columns = {f"norm of {weights.shape[0]} weights": strength}
    for title in columns:
        table.add_column(Text(printable(title)), justify="right")
    for column in np.argsort(-strength, kind="stable")[:shown]:
        numbers = [f"{values[column]:+.4g}" for values in columns.values()]
        table.add_row(Text(printable(names[int(ids[column])])), *numbers)
    return table


def _round_table(estimator: Any) -> Table:
    from rich.table import Table

    table = Table()
    for title in ("round", "phase", "active", "objective", "gap", "seconds"):
        table.add_column(title, justify="left" if title == "phase" else "right")
    for record in estimator.history_:
        table.add_row(
            str(record.number),
            record.phase,
            str(record.n_active),
            f"{record.objective:.6g}",
            f"{record.relative_gap:.2%}",
            f"{record.seconds:.2f}",
        )
    return table

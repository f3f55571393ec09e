"""How rows of weights vanished: the features left and the objective after each reweighting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["descent_summary", "descent_table", "describe_descent", "has_descent"]

_KEPT = ("margin", "feasible", "p", "alpha")


def has_descent(estimator: Any) -> bool:
    """Whether features were ranked by rows of weights that vanish."""
    return hasattr(estimator, "objective_path_") and hasattr(estimator, "scores_")


def describe_descent(estimator: Any) -> dict[str, Any]:
    """Return how it went for machines; nothing for other estimators."""
    if not has_descent(estimator):
        return {}
    found = {name: getattr(estimator, f"{name}_", None) for name in _KEPT}
    return {**found, "objective_path": estimator.objective_path_}


def descent_table(estimator: Any) -> Table:
    """Show the features left and the objective after each step."""
    from rich.table import Table

    table = Table()
    for title in ("step", "features left", "objective", "seconds"):
        table.add_column(title, justify="right")
    for record in estimator.history_:
        cells = (str(record.number), str(record.n_active), f"{record.objective:.6g}")
        table.add_row(*cells, f"{record.seconds:.2f}")
    return table


def descent_summary(estimator: Any) -> str:
    """Say where it ended, and under which margins or penalty."""
    told = f"objective {estimator.objective_:.6g}"
    if estimator.dual_gap_ < float("inf"):
        told += f", gap {estimator.dual_gap_:.3g},"
    if hasattr(estimator, "margin_"):
        return f"{told} with {estimator.margin_} margins and p {estimator.p_:g}"
    return f"{told} with alpha {estimator.alpha_:g}"

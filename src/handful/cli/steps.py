"""How a greedy selection went: what was added at each step, and the error that it left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from handful.cli.console import printable
from handful.cli.selection import Selection

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["describe_steps", "has_steps", "step_summary", "step_table"]


def has_steps(estimator: Any) -> bool:
    """Whether features were added one by one."""
    return hasattr(estimator, "selection_order_")


def describe_steps(selection: Selection) -> dict[str, Any]:
    """Return the order and the errors for machines; nothing for other estimators."""
    estimator = selection.estimator
    if not has_steps(estimator):
        return {}
    return {
        "alpha": estimator.alpha_,
        "selection_order": estimator.selection_order_,
        "loo_errors": estimator.loo_errors_,
    }


def step_table(selection: Selection) -> Table:
    """Show what was added, and the leave-one-out error after it."""
    from rich.table import Table
    from rich.text import Text

    estimator = selection.estimator
    named = {group.id: group.name for group in selection.groups or ()}
    table = Table()
    table.add_column("step", justify="right")
    table.add_column("feature" if selection.groups is None else "group", overflow="fold")
    table.add_column("leave-one-out error", justify="right")
    steps = zip(estimator.selection_order_, estimator.loo_errors_, strict=True)
    for number, (unit, error) in enumerate(steps, start=1):
        name = selection.names[unit] if selection.groups is None else named[int(unit)]
        table.add_row(str(number), Text(printable(name)), f"{error:.6g}")
    return table


def step_summary(estimator: Any) -> str:
    """Say where the selection ended."""
    told = f"leave-one-out error {estimator.loo_errors_[-1]:.6g} with alpha {estimator.alpha_:g}"
    return f"{told}, objective {estimator.objective_:.6g}, gap {estimator.dual_gap_:.3g}"

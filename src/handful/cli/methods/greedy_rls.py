"""``--method greedy-rls``: features added one by one by the leave-one-out error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handful.cli.console import make_table
from handful.cli.methods import shared
from handful.cli.methods.base import Method

if TYPE_CHECKING:
    from rich.table import Table

    from handful.estimators._features import Selection


@dataclass(frozen=True, kw_only=True)
class _Options(shared.OptionsWithNames):
    alpha: shared.Penalty = None
    alpha_per_output: shared.PenaltyPerOutput = False
    checkpoint: shared.Checkpoint = None


class GreedyRLS(Method):
    """Its report has what was added at each step, and the error that it left."""

    name = "greedy-rls"
    use = "several targets, or a leave-one-out error for each feature added"
    classifier = "GreedyRLSClassifier"
    regressor = "GreedyRLSRegressor"
    options = _Options
    takes_several_targets = True

    def figures(self, estimator: Any) -> dict[str, Any]:
        own = {"output_alphas": estimator.output_alphas_} if estimator.alpha_per_output else {}
        return own | {
            "alpha": estimator.alpha_,
            "selection_order": estimator.selection_order_,
            "loo_errors": estimator.loo_errors_,
        }

    def course(self, selection: Selection) -> Iterator[Table | str]:
        estimator, errors = selection.estimator, selection.estimator.loo_errors_
        unit = "feature" if selection.groups is None else "group"
        named: Any = selection.names
        if selection.groups is not None:
            named = {group.id: group.name for group in selection.groups}
        steps = enumerate(zip(estimator.selection_order_, errors, strict=True), start=1)
        rows = ((str(number), named[int(j)], f"{error:.6g}") for number, (j, error) in steps)
        yield make_table(("step", unit, "leave-one-out error"), rows, texts=(unit,))
        told = f"leave-one-out error {errors[-1]:.6g} with alpha {estimator.alpha_:g}"
        yield f"{told}, objective {estimator.objective_:.6g}, gap {estimator.dual_gap_:.3g}"

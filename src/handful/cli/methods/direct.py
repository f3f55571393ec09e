"""``--method direct`` and ``rfs``, whose reports are the same.

Direct sparsity: as few features as keep the margins of all classes. Robust feature selection: the l2,1 norm of residuals and of weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from handful.cli.console import make_table
from handful.cli.methods import shared
from handful.cli.methods.base import Method
from handful.cli.options import fit_option

if TYPE_CHECKING:
    from rich.table import Table

    from handful.estimators._features import Selection


@dataclass(frozen=True, kw_only=True)
class _Options(shared.OptionsWithExclude):
    p: Annotated[
        str | None,
        fit_option(
            "--p",
            metavar="X",
            help="Above 0 and at most 1, the less the sparser; or several with commas to choose "
            "from. [default: 0.5]",
        ),
        shared.Reader(shared.read_numbers),
    ] = None
    margin: Annotated[
        str | None,
        fit_option(metavar="NAME", help="auto, hard, projected or soft. [default: auto]"),
    ] = None
    C: shared.LossWeight = None
    scale: shared.Scale = None
    tol: shared.Tolerance = None
    checkpoint: shared.Checkpoint = None


class Direct(Method):
    """Its report has the features left and the objective after each reweighting of rows."""

    name = "direct"
    use = "many classes, wide data, no penalty to tune, a ranking"
    classifier = "DirectSparsityClassifier"
    options: ClassVar[type[shared.Options]] = _Options

    def figures(self, estimator: Any) -> dict[str, Any]:
        found = {
            name: getattr(estimator, f"{name}_", None)
            for name in ("margin", "feasible", "p", "alpha")
        }
        return {**found, "objective_path": estimator.objective_path_}

    def course(self, selection: Selection) -> Iterator[Table | str]:
        estimator = selection.estimator
        rows = (
            (str(one.number), str(one.n_active), f"{one.objective:.6g}", f"{one.seconds:.2f}")
            for one in estimator.history_
        )
        yield make_table(("step", "features left", "objective", "seconds"), rows)
        told = f"objective {estimator.objective_:.6g}"
        if estimator.dual_gap_ < float("inf"):
            told += f", gap {estimator.dual_gap_:.3g},"
        yield f"{told} with {self.told_of(estimator)}"

    def told_of(self, estimator: Any) -> str:
        """Say what was chosen."""
        return f"{estimator.margin_} margins and p {estimator.p_:g}"


@dataclass(frozen=True, kw_only=True)
class _RobustOptions(shared.OptionsWithExclude):
    alpha: shared.Penalty = None
    scale: shared.Scale = None
    tol: shared.Tolerance = None
    checkpoint: shared.Checkpoint = None


class RFS(Direct):
    """Rows of weights vanish as they do in direct sparsity, and so the report is the same."""

    name = "rfs"
    use = "classes or quantities with wild samples, a ranking"
    classifier = "RFSClassifier"
    regressor = "RFSRegressor"
    options = _RobustOptions

    def told_of(self, estimator: Any) -> str:
        return f"alpha {estimator.alpha_:g}"

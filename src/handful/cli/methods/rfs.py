"""``--method rfs``: robust feature selection, the l2,1 norm of residuals and of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handful.cli.methods import shared
from handful.cli.methods.direct import Direct


@dataclass(frozen=True, kw_only=True)
class _Options(shared.OptionsWithExclude):
    alpha: shared.Penalty = None
    scale: shared.Scale = None
    tol: shared.Tolerance = None


class RFS(Direct):
    """Rows of weights vanish as they do in direct sparsity, and so the report is the same."""

    name = "rfs"
    use = "classes or quantities with wild samples, a ranking"
    classifier = "RFSClassifier"
    regressor = "RFSRegressor"
    options = _Options

    def told_of(self, estimator: Any) -> str:
        return f"alpha {estimator.alpha_:g}"

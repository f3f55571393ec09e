"""``--method rfs``: robust feature selection, the l2,1 norm of residuals and of weights."""

from __future__ import annotations

from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_numbers

__all__ = ["RFS"]


def _translate(*, alpha: str | None, standardize: bool, tol: float | None) -> dict[str, Any]:
    return {"alpha": parse_numbers(alpha, "--alpha"), "standardize": standardize, "tol": tol}


RFS = Method(
    name="rfs",
    use="classes or quantities with wild samples, a ranking of features",
    classifier="RFSClassifier",
    regressor="RFSRegressor",
    options=frozenset(("alpha", "standardize", "tol")),
    translate=_translate,
)

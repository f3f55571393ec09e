"""``--method direct``: direct sparsity, as few features as keep the margins of all classes."""

from __future__ import annotations

from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_numbers, parse_weight

__all__ = ["DIRECT"]


def _translate(
    *, p: str | None, margin: str | None, c: str, standardize: bool, tol: float | None
) -> dict[str, Any]:
    return {
        "p": parse_numbers(p, "--p"),
        "margin": margin,
        "C": None if c == "auto" else parse_weight(c),
        "standardize": standardize,
        "tol": tol,
    }


DIRECT = Method(
    name="direct",
    use="many classes, wide data, no penalty to tune, a ranking of features",
    classifier="DirectSparsityClassifier",
    regressor=None,
    options=frozenset(("p", "margin", "c", "standardize", "tol")),
    translate=_translate,
)

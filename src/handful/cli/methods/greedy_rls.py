"""``--method greedy-rls``: features added one by one by the leave-one-out error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_numbers
from handful.cli.spaces import check_beside

__all__ = ["GREEDY_RLS"]


def _translate(
    *,
    alpha: str | None,
    checkpoint: Path | None,
    groups: Path | None,
    include: list[str] | None,
    exclude: list[str] | None,
) -> dict[str, Any]:
    check_beside(groups=groups)
    return {
        "alpha": parse_numbers(alpha, "--alpha"),
        "checkpoint": None if checkpoint is None else str(checkpoint),
    }


GREEDY_RLS = Method(
    name="greedy-rls",
    use="several targets, or a leave-one-out error for each feature added",
    classifier="GreedyRLSClassifier",
    regressor="GreedyRLSRegressor",
    options=frozenset(("alpha", "checkpoint", "groups", "include", "exclude")),
    translate=_translate,
    takes_several_targets=True,
)

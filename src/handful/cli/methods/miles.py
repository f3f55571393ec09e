"""``--method miles``: labels on bags, instances chosen from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_weight

__all__ = ["MILES"]

#: Options that reach the estimator under their own names.
_PLAIN = ("loss", "budget", "max_rounds", "solver", "tol", "gamma")


def _translate(
    *, bags: str | None, c: str, checkpoint: Path | None, **plain: Any
) -> dict[str, Any]:
    return {
        **plain,
        "C": parse_weight(c),
        "checkpoint": None if checkpoint is None else str(checkpoint),
    }


MILES = Method(
    name="miles",
    use="labels on bags of rows (--bags): the instances that decide",
    classifier="MILESClassifier",
    regressor=None,
    options=frozenset((*_PLAIN, "bags", "c", "checkpoint")),
    translate=_translate,
    takes_bags=True,
)

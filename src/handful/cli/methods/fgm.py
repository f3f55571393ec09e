"""``--method fgm``: the feature generating machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_weight
from handful.cli.spaces import check_beside, make_space

__all__ = ["FGM"]

#: Options that reach the estimator under their own names.
_PLAIN = ("loss", "budget", "max_rounds", "scale", "solver", "tol", "group_weights")
_SPACES = ("pairs", "interaction_only", "space", "gamma", "coef0")
_ELSEWHERE = ("groups", "include", "exclude")  # turned into ids when the data have been read


def _translate(
    *,
    pairs: bool,
    interaction_only: bool,
    space: str | None,
    gamma: float | None,
    coef0: float | None,
    groups: Path | None,
    group_weights: str | None,
    include: list[str] | None,
    exclude: list[str] | None,
    c: str,
    checkpoint: Path | None,
    **plain: Any,
) -> dict[str, Any]:
    check_beside(
        pairs=pairs, kernel=space, groups=groups, group_weights=group_weights, exclude=exclude
    )
    made = make_space(
        pairs=pairs, interaction_only=interaction_only, kernel=space, gamma=gamma, coef0=coef0
    )
    return {
        **plain,
        "group_weights": group_weights,
        "C": parse_weight(c),
        "checkpoint": None if checkpoint is None else str(checkpoint),
        "space": made,
    }


FGM = Method(
    name="fgm",
    use="very many columns, a measure of your choice, pairs, a certificate",
    classifier="FGMClassifier",
    regressor="FGMRegressor",
    options=frozenset((*_PLAIN, *_SPACES, *_ELSEWHERE, "c", "checkpoint")),
    translate=_translate,
)

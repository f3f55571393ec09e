"""``-k``: how many features, as a number of them or as a share of those there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from handful.cli.problem import Problem


def read_count(text: str) -> int | float:
    """Read a whole number, or a share, which has a point."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        message = f"{text!r} is neither a whole number nor a share between 0 and 1"
        raise typer.BadParameter(message, param_hint="-k") from None


def read_counts(text: str) -> str | list[int | float]:
    """Read numbers and shares with commas between them, or the word for those that are usual."""
    if text.strip() == "auto":
        return "auto"
    try:
        counts = [float(one) if "." in one else int(one) for one in text.split(",") if one.strip()]
    except ValueError:
        counts = []
    if not counts or not all(_may_be(one) for one in counts):
        message = f"{text!r} is not a list such as 5,10,20,50 or 0.1,0.2, nor auto"
        raise typer.BadParameter(message, param_hint="-k")
    return sorted(set(counts))


def _may_be(count: int | float) -> bool:
    return count >= 1 if isinstance(count, int) else 0 < count < 1


def whole_counts(
    counts: str | list[int | float], problem: Problem, named: Mapping[str, Any]
) -> str | list[int]:
    """Return numbers for shares; ``named`` are the parameters that say what is selected from."""
    from handful.validation import is_share, n_wanted

    if isinstance(counts, str) or not any(map(is_share, counts)):
        return counts  # type: ignore[return-value]
    n_choices = _n_choices(problem, named)
    if n_choices is None:
        message = (
            "a share is of columns or groups, which are the same in all folds; give numbers here"
        )
        raise typer.BadParameter(message, param_hint="-k")
    return sorted({n_wanted(one, n_choices) or 1 for one in counts})


def _n_choices(problem: Problem, named: Mapping[str, Any]) -> int | None:
    """Return how many columns, groups or features made of columns there are; None where folds differ in it."""
    import numpy as np

    if problem.bag_column is not None or problem.names.strings is not None:
        return None
    n_features, groups, space = problem.names.n_features, named.get("groups"), named.get("space")
    if groups is not None:
        return len(groups) + n_features - len(np.unique(np.concatenate(groups)))
    return n_features if space is None else int(space.sized(n_features).n_features)

"""``-k``: how many features, as a number of them or as a share of those there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from handful.cli.options import read_number, refuse

if TYPE_CHECKING:
    from handful.cli.problem import Problem


def read_count(text: str) -> int | float:
    """Read how many, or which share."""
    return read_number("-k", text, "a share between 0 and 1")


def read_counts(text: str) -> str | list[int | float]:
    """Read numbers and shares with commas between them, or the word for those that are usual."""
    if text.strip() == "auto":
        return "auto"
    try:
        counts = {read_count(one) for one in text.split(",") if one.strip()}
    except typer.BadParameter:
        counts = set()
    if not counts or not all(n >= 1 if isinstance(n, int) else 0 < n < 1 for n in counts):
        raise refuse("-k", f"{text!r} is not a list such as 5,10,20,50 or 0.1,0.2, nor auto")
    return sorted(counts)


def whole_counts(
    counts: str | list[int | float], problem: Problem, named: Mapping[str, Any]
) -> str | list[int]:
    """Return numbers for shares; ``named`` are the parameters that say what is selected from."""
    from handful.validation import is_share, n_wanted

    if isinstance(counts, str) or not any(map(is_share, counts)):
        return counts  # type: ignore[return-value]
    n_choices = _n_choices(problem, named)
    if n_choices is None:
        message = "a share is of columns or groups, which are the same in all folds"
        raise refuse("-k", f"{message}; give numbers here")
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

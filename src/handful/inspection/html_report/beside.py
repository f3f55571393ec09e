"""What there is beside X and y: groups and weights of rows, who takes them under which names; files and commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from handful.inspection._fitted import has_counted
from handful.model_selection._scoring import check_rows_of_params, is_routing
from handful.model_selection._wrapped import flat_steps

Array = np.ndarray
GROUPS, WEIGHT = "groups", "sample_weight"


@dataclass(frozen=True)
class Beside:
    """Groups and weights of the rows, as they were given to ``fit``; None where there were none."""

    groups: Any = None
    sample_weight: Any = None

    def check(self, n_rows: int) -> None:
        """Raise unless there is an entry for each row."""
        check_rows_of_params({GROUPS: self.groups, WEIGHT: self.sample_weight}, n_rows)

    def names(self, estimator: Any) -> dict[str, str]:
        """Return which parameters the ``fit`` of a fitted estimator takes these by, and which of the two each is.

        Groups go to what splits rows itself: a search over k, a stability selection. Weights go to what selects and to
        what predicts; in a Pipeline their names begin with that of the step.
        """
        named: dict[str, str] = {}
        if self.groups is not None:
            takers = [
                f"{step}{GROUPS}" for step, part in flat_steps(estimator) if has_counted(part)
            ]
            named |= dict.fromkeys([GROUPS] if takers and is_routing() else takers, GROUPS)
        if self.sample_weight is not None:
            named |= dict.fromkeys(_weight_names(estimator), WEIGHT)
        return named

    def params(self, estimator: Any) -> dict[str, Any]:
        """Return what goes to the ``fit`` of a fitted estimator."""
        return {name: getattr(self, which) for name, which in self.names(estimator).items()}


@dataclass(frozen=True)
class Circumstances:
    """What is known beside the model and its data."""

    title: str | None = None
    #: Words of the shell.
    command: Sequence[str] | None = None
    #: The file that the data are from.
    source: str | None = None
    #: Names and values: what files are known by.
    files: Sequence[tuple[str, str]] = ()
    #: What the reader of the data has to say.
    notes: Sequence[str] = ()
    #: What it found in them that is hardly meant.
    doubts: Sequence[str] = ()
    #: Of the file, where features were made from its columns and gaps were filled.
    n_columns: int | None = None
    n_missing: int | None = None


def splitters_by_groups(estimator: Any) -> list[Any]:
    """Return the splitters in a search over k, or in a Pipeline with one, that refuse rows without groups."""
    found = [getattr(part, "cv", None) for _, part in flat_steps(estimator) if has_counted(part)]
    return [cv for cv in found if needs_groups(cv)]


def needs_groups(cv: Any) -> bool:
    """Whether a splitter refuses rows without groups."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return get_routing_for_object(cv).split.requests.get(GROUPS) is True


def _weight_names(estimator: Any) -> list[str]:
    if is_routing():
        return [WEIGHT]
    parts, names = list(flat_steps(estimator)), []
    for place, (before, part) in enumerate(parts):
        inner = getattr(part, "estimator", None)
        if has_counted(part) and isinstance(inner, Pipeline):
            names += [f"{before}{name}" for name in _weight_names(inner)]
        elif has_counted(part) or (
            (type(part).__module__.startswith("handful.") or place == len(parts) - 1)
            and has_fit_parameter(part, WEIGHT)
        ):
            names.append(f"{before}{WEIGHT}")
    return names

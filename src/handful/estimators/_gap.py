"""The certificate of one fit in words."""

from __future__ import annotations

import math
from typing import Any

#: From this share of the objective on a gap proves little.
WEAK = 0.5
#: Below this share nothing is left to prove.
NOTHING = 1e-6


def gap_in_words(estimator: Any, grouped: str = "groups") -> str:
    """Say in a sentence or two what the gap of a fitted estimator proves, and what it does not.

    ``grouped`` is what groups are called, if there are any.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import FGMRegressor
    >>> X, y = make_regression(100, 50, n_informative=3, noise=5, random_state=0)
    >>> print(gap_in_words(FGMRegressor(3, C=0.1).fit(X, y)))
    No 3 features can have an objective below 2662; this choice has 2822. The 5.7 % between them is what is not proved.
    """
    gap = getattr(estimator, "dual_gap_", math.inf)
    if not math.isfinite(gap):
        return "No bound is known for this fit: nothing is proved of how far from the best it is."
    objective = float(estimator.objective_)
    share = gap / abs(objective) if objective else (math.inf if gap else 0.0)
    rivals, ours = _rivals(estimator, grouped)
    if share <= NOTHING:
        return (
            f"No {rivals} can have a lower objective than {ours} ({objective:.4g}): that is proved."
        )
    bound = f"{objective - gap:.4g}"
    if share > WEAK:
        return (
            f"The bound proves little here: no {rivals} can have an objective below {bound}, but {ours} has "
            f"{objective:.4g}, and of the {100 * share:.0f} % between them nothing is known. That is no sign of a bad choice, "
            "and it says nothing about accuracy: held-out rows do."
        )
    return (
        f"No {rivals} can have an objective below {bound}; {ours} has {objective:.4g}. "
        f"The {100 * share:.2g} % between them is what is not proved."
    )


def _rivals(estimator: Any, grouped: str) -> tuple[str, str]:
    """Return what the bound holds for, and how the fit itself is called beside that."""
    if not getattr(estimator, "_certifies_choice", False):
        return "weights", "this fit"
    own = getattr(estimator, "class_support_ids_", None)
    groups = getattr(estimator, "group_support_", None)
    counted = "features" if groups is None else grouped
    if hasattr(estimator, "instance_scores"):
        counted = "instances"
    if own is not None:
        sizes = sorted({len(ids) for ids in own})
        most = f"up to {sizes[-1]}" if len(sizes) > 1 or groups is not None else str(sizes[0])
        return f"{most} {counted} for each class", "this choice"
    count = len(estimator.support_ids_ if groups is None else groups)
    return f"{count} {counted if count != 1 else counted[:-1]}", "this choice"

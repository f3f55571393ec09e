"""The certificate of one fit in words."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from handful.estimators._labels import class_or_label
from handful.validation.counts import n_named

#: From this share of the objective on a gap proves little.
WEAK = 0.5
#: Below this share nothing is left to prove.
NOTHING = 1e-6


def gap_in_words(estimator: Any, grouped: str = "groups", n_before: int | None = None) -> str:
    """Say in a sentence or two what the gap of a fitted estimator proves, and what it does not.

    ``grouped`` is what groups are called, if there are any. ``n_before`` is how many columns there were before others
    picked those that this fit saw: of the rest its bound says nothing.

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
    before, rivals, ours = _rivals(estimator, grouped, n_before)
    if share <= NOTHING:
        return f"{before}No {rivals} can have a lower objective than {ours} ({objective:.4g}): that is proved."
    bound = f"{objective - gap:.4g}"
    if share > WEAK:
        return (
            f"{before}The bound proves little here: no {rivals} can have an objective below {bound}, but {ours} has "
            f"{objective:.4g}, and of the {100 * share:.0f} % between them nothing is known. That is no sign of a bad choice, "
            "and it says nothing about accuracy: held-out rows do."
        )
    return (
        f"{before}No {rivals} can have an objective below {bound}; {ours} has {objective:.4g}. "
        f"The {100 * share:.2g} % between them is what is not proved."
    )


def _rivals(estimator: Any, grouped: str, n_before: int | None) -> tuple[str, str, str]:
    """Return what is said first, what the bound holds for, and how the fit itself is called beside that."""
    groups = getattr(estimator, "group_support_", None)
    counted = "features" if groups is None else grouped
    if hasattr(estimator, "instance_scores"):
        counted = "instances"
    among = _among(estimator, counted, n_before)
    if not getattr(estimator, "_certifies_choice", False):
        return "", f"weights of {among}" if among else "weights", "this fit"
    own = getattr(estimator, "class_support_ids_", None)
    count = len(estimator.support_ids_ if groups is None else groups)
    takes_all, n_included = _takes_all(estimator), n_named(getattr(estimator, "include", None))
    is_settled = n_before is not None if takes_all else n_included >= count
    if is_settled and own is None:
        return _settled(f"{count} {_named(count, counted)}", n_before)
    number = "single" if count == 1 else count
    many = f"{count} of {among}" if among else f"{number} {_named(count, counted)}"
    if own is not None:
        each, _ = class_or_label(estimator)
        wanted = _of_each_class(estimator, own)
        one = "single" if wanted == "1" and not among else wanted
        of = f"of {among}" if among else _named(1 if wanted == "1" else 2, counted)
        many = f"{one} {of} for each {each}"
    if n_included and not takes_all:
        many += ", the included ones among them,"
    return "", many, "this choice"


def _of_each_class(estimator: Any, own: Sequence[Any]) -> str:
    """Return how many features, or groups of them, a class may have: as many as were asked for, or as one has."""
    asked = getattr(estimator, "n_features_to_select", None)
    if getattr(estimator, "groups", None) is not None:
        return str(asked) if isinstance(asked, numbers.Integral) else "choice of as many"
    sizes = sorted({len(ids) for ids in own})
    return str(sizes[0]) if len(sizes) == 1 else f"choice of up to {sizes[-1]}"


def _settled(these: str, n_before: int | None) -> tuple[str, str, str]:
    """Return the words for a fit that had nothing to choose: its bound is of other weights."""
    of = "" if n_before is None else f" of {n_before:,}"
    first = f"This fit was given {these}{of} and had nothing to choose, so nothing is proved of the choice. "
    return first, "other weights of the same", "this fit"


def _among(estimator: Any, counted: str, n_before: int | None) -> str:
    """Return which features the fit could choose from; empty if that is all there are."""
    of_all = f"the {counted}"
    if n_before is not None:
        left = f"that steps before the selection left of {n_before:,}"
        n_seen = f"{estimator.n_features_in_:,}"
        are_columns = counted == "features" and not hasattr(estimator, "space_")
        of_all = (
            f"the {n_seen} features" if are_columns else f"the {counted} of the {n_seen} columns"
        )
        of_all += f" {left}"
    if n_named(getattr(estimator, "exclude", None)):
        return f"{of_all}{' and' if n_before is not None else ''} that may be chosen"
    return of_all if n_before is not None else ""


def _takes_all(estimator: Any) -> bool:
    """Whether every column that the fit saw is in the model."""
    if hasattr(estimator, "space_") or hasattr(estimator, "instance_scores"):
        return False
    return len(estimator.support_ids_) == estimator.n_features_in_


def _named(count: int, counted: str) -> str:
    return counted if count != 1 else counted.removesuffix("s")

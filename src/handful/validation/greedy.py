"""Checks and messages of greedy selection: alpha, costs, and targets that say nothing."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from handful.validation import (
    LARGEST,
    check_count,
    check_magnitude,
    check_n_features_to_select,
    check_positive,
    grid_of,
)

Array = np.ndarray
#: Times the alpha of a selection: what outputs may choose from where no grid is given.
AROUND = 10.0 ** np.arange(-3, 4)


def alphas(given: Any) -> Array:
    """Return the grid that is meant by a number or a list of numbers."""
    meant = "a number above 0 or a list of such numbers"
    return grid_of("alpha", given, check_positive, meant)


def output_grid(given: Any, alphas: Array) -> Array | None:
    """Return what each output may choose its own alpha from; None where all have the same.

    True is the grid of alphas, or, where that is one number, this number times powers of ten.
    """
    name, meant = "alpha_per_output", "True, False or a list of numbers above 0"
    if isinstance(given, bool | np.bool_):
        if not given:
            return None
        return alphas if len(alphas) > 1 else np.clip(alphas * AROUND, 1 / LARGEST, LARGEST)
    if isinstance(given, numbers.Real):
        raise ValueError(f"{name} must be {meant}; got {given!r}.")
    return grid_of(name, given, check_positive, meant)


def wanted_count(
    given: int | None,
    default: int,
    n_there: int,
    n_in: int,
    n_out: int,
    *,
    grouped: bool = False,
) -> int:
    """Return how many to select of those there are; ``n_in`` must and ``n_out`` must not be.

    None, and the default where there are fewer, are all.
    """
    if given is None or (given == default and n_there - n_out < default):
        return n_there - n_out
    check_n_features_to_select(given, n_there, n_in, n_out, grouped=grouped)
    return given


def check_cost_choices(max_cost: Any, feature_costs: Any, group_costs: Any, groups: Any) -> None:
    """Raise for a budget without prices, and for prices of groups without groups."""
    if max_cost is not None:
        check_positive("max_cost", max_cost)
        if feature_costs is None and group_costs is None:
            raise ValueError(
                "max_cost needs to know what features cost; give feature_costs or group_costs, or "
                "limit their number by n_features_to_select."
            )
    if group_costs is not None and groups is None:
        raise ValueError("group_costs needs groups; give those too, or leave it None.")


def buys_nothing(max_cost: float, cheapest: float, what: str) -> ValueError:
    """Return the error for a budget below every price."""
    return ValueError(
        f"max_cost={max_cost:g} buys nothing: the cheapest {what} costs {cheapest:g}; raise max_cost."
    )


def include_too_dear(max_cost: float, cost: float) -> ValueError:
    """Return the error for a budget below the price of what must be in."""
    return ValueError(
        f"include costs {cost:g}, which is more than max_cost={max_cost:g}; include less or raise "
        "max_cost."
    )


def shrunk_to_nothing(alpha: float, squares: float) -> str:
    """Return the warning for an alpha beside which the columns are nothing."""
    return (
        f"alpha={alpha:g} shrinks all predictions by more than 99 %, because the squared lengths of the columns that can be "
        f"selected sum to {squares:.2g} at most; scale the columns to a standard deviation of 1, or choose an alpha "
        f"of about {squares / 10:.0e} or less."
    )


def constant_outputs(Y: Array, weight: Array) -> str | None:
    """Return the warning for columns of Y that are constant; raise when all are.

    Samples of weight zero do not count. Numbers that cannot be squared are refused too.
    """
    Y = Y if (weight > 0).all() else Y[weight > 0]
    low, high = Y.min(axis=0), Y.max(axis=0)
    constant = np.flatnonzero(low == high)
    if len(constant) < Y.shape[1]:
        with np.errstate(over="ignore", under="ignore"):
            check_magnitude(len(Y) * np.square(high - low))
    if not len(constant):
        return None
    if len(constant) == Y.shape[1]:
        found = "y is constant" if Y.shape[1] == 1 else "every column of y is constant"
        raise ValueError(f"{found}, so no feature can say anything about it; check y.")
    if len(constant) == 1:
        which = f"Column {constant[0]} of y is constant and has"
    else:
        which = f"Column {constant[0]} of y and {len(constant) - 1} more are constant and have"
    return f"{which} no say in the selection; leave out what is not meant to be there."


def check_truncation(n: Any, most: int, n_include: int) -> None:
    """Raise unless a path has a model of n features."""
    check_count("n_features_to_select", n, least=max(1, n_include), most=most)


def path_not_there() -> ValueError:
    """Return the error for a model that was saved without what truncation needs."""
    return ValueError("truncate needs path_, which this model file does not hold; fit once more.")


def several_kinds_of_labels(kind: str) -> ValueError:
    """Return the error for several outputs that are not yes or no."""
    return ValueError(
        f"y must hold one class for each sample, or one column of 0 and 1 for each label; got {kind} "
        "targets."
    )


def check_no_class_weight(given: Any) -> None:
    """Raise for weights of classes where a sample has labels instead of a class."""
    if given is not None:
        raise ValueError(
            "class_weight is for y with one class for each sample; for a matrix of labels leave it None "
            f"and weigh samples by sample_weight; got {given!r}."
        )

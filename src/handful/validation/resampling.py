"""Checks of what is drawn, selected and counted many times over."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.validation import check_choice, check_count, check_positive, check_share
from handful.validation.indices import checked


def check_inner_share(name: str, got: Any) -> None:
    """Raise unless the parameter is a number above 0 and below 1."""
    is_number = isinstance(got, numbers.Real) and not isinstance(got, bool)
    if not is_number or not 0 < got < 1:
        raise ValueError(f"{name} must be a number above 0 and below 1; got {got!r}.")


def selection_table(selections: Any) -> sp.csr_array:
    """Return selections as a sparse table that holds ones only; at least two of them, of 0 and 1."""
    given = checked(selections, "selections") if sp.issparse(selections) else np.asarray(selections)
    if given.ndim != 2 or given.dtype.kind not in "biuf":
        raise ValueError(
            "selections must be a table of 0 and 1 with a row for each selection and a column for each "
            f"feature; got shape {given.shape} of {given.dtype}."
        )
    if given.shape[0] < 2 or given.shape[1] < 1:
        raise ValueError(
            f"selections must have at least two rows and one column; got shape {given.shape}."
        )
    table = sp.csr_array(given, copy=True)
    table.sum_duplicates()
    table.eliminate_zeros()
    wrong = table.data[table.data != 1]
    if len(wrong):
        raise ValueError(f"selections must hold 0 and 1 only; got {wrong[0]}.")
    return table


def check_bound_parameters(
    n_features: Any,
    threshold: Any,
    q: Any,
    pfer: Any,
    n_resamples: Any,
    assumption: Any,
    assumptions: Sequence[str],
    complementary: bool,
) -> None:
    """Raise unless two of threshold, q and pfer are there, and all that is there can be."""
    check_count("n_features", n_features)
    check_count("n_resamples", n_resamples)
    check_assumption(assumption, assumptions, complementary)
    if sum(given is not None for given in (threshold, q, pfer)) != 2:
        raise ValueError("give two of threshold, q and pfer; the third is what they ask for.")
    if threshold is not None:
        check_share("threshold", threshold)
    if pfer is not None:
        check_positive("pfer", pfer)
    if q is not None and not (isinstance(q, numbers.Real) and 0 < q <= n_features):
        raise ValueError(
            f"q must be a number above 0 and at most the {n_features} features; got {q!r}."
        )


def check_assumption(assumption: Any, assumptions: Sequence[str], complementary: bool) -> None:
    """Raise unless the assumption is known, and has a bound for halves as they are drawn."""
    check_choice("assumption", assumption, assumptions)
    if not complementary and assumption in ("unimodal", "r-concave"):
        raise ValueError(
            f"assumption={assumption!r} is for complementary pairs; leave complementary=True or assume "
            "'none'."
        )


def no_threshold(pfer: float, q: float, n_features: int, reached: float, count: int) -> ValueError:
    """Return the error for a bound that no threshold reaches."""
    fewer = f"select at most {count} in each half, or " if count else ""
    return ValueError(
        f"no threshold bounds the expected number of false features by pfer={pfer:g} when {q:g} of "
        f"{n_features} features are selected in each half; {fewer}accept pfer={_rounded_up(reached):g} or "
        "more."
    )


def no_wanted_count(pfer: float, threshold: float, reached: float) -> ValueError:
    """Return the error for a bound that not even one feature in each half reaches."""
    return ValueError(
        f"not even one feature in each half bounds the expected number of false ones by pfer={pfer:g} at a "
        f"threshold of {threshold:g}; accept pfer={_rounded_up(reached):g} or more, or a higher threshold."
    )


def _rounded_up(value: float) -> float:
    """Return three figures that are enough."""
    step = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.ceil(value / step) * step

"""Checks of what is drawn, selected and counted many times over."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.validation import check_choice, check_count, check_positive, check_share
from handful.validation.cells import is_missing
from handful.validation.counts import is_number
from handful.validation.groups import mixed_group_labels
from handful.validation.indices import checked
from handful.validation.weights import plain

#: So many groups of samples can be halved, as so many samples can.
FEWEST_GROUPS = 4


def check_inner_share(name: str, got: Any) -> None:
    """Raise unless the parameter is a number above 0 and below 1."""
    if not is_number(got) or not 0 < got < 1:
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
    if q is not None and not (isinstance(q, numbers.Real) and 0 < float(q) <= n_features):
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


def check_halves(n_samples: int, counts: np.ndarray, classes: np.ndarray | None) -> None:
    """Raise unless both halves can have samples, and samples of every class."""
    if n_samples < 4:
        raise ValueError(
            f"stability selection fits halves of the samples and needs at least 4; got {n_samples} "
            f"sample{'s' * (n_samples != 1)}."
        )
    if classes is not None and counts.min() < 2:
        lonely = plain(np.unique(classes)[int(np.argmin(counts))])
        raise ValueError(
            f"class {lonely!r} has one sample only; both halves need one, so leave the class out or "
            "add samples."
        )


def check_n_groups(n_groups: int) -> None:
    """Raise unless groups of samples can be halved."""
    if n_groups < FEWEST_GROUPS:
        raise ValueError(
            f"groups has {n_groups} different labels; halves of groups need at least {FEWEST_GROUPS}."
        )


def classes_in_few_groups() -> ValueError:
    """Return the error for groups of samples that no draw shares out with all classes in both halves."""
    return ValueError(
        "a class is in so few groups that one of two halves lacks it in every draw; merge groups, or "
        "leave the class out."
    )


def nothing_to_count(selector: Any) -> ValueError:
    """Return the error for selections of which no two can have anything in common."""
    return ValueError(
        f"what {type(selector).__name__} selects, instances of bags or atoms, is different in every "
        "half; stability selection needs features that several fits can choose."
    )


def columns_are_made(step: Any) -> ValueError:
    """Return the error for a step before the selector that makes columns of its own."""
    return ValueError(
        f"{type(step).__name__} stands before the selector and makes other columns than those of X; fit "
        "it beforehand, or give the selector a space."
    )


def no_stable_feature(threshold: float, best: float) -> str:
    """Return the warning for features of which none was selected often enough."""
    return (
        f"No feature was selected in {threshold:.0%} of the halves (the most often selected one in "
        f"{best:.0%}); lower the threshold, accept a larger pfer, or use aggregate=True."
    )


def unreached_after_interrupt(pfer: float, reached: float) -> str:
    """Return the warning for too few finished resamples for the bound that was asked for."""
    return (
        f"The resamples that were finished bound the expected number of false features by "
        f"{_rounded_up(reached):g}, not by pfer={pfer:g}."
    )


def check_threshold(got: Any) -> None:
    """Raise unless the threshold is a share or found by the bound."""
    if isinstance(got, str) and got == "pfer":
        return
    if not is_number(got) or not 0 < got <= 1:
        raise ValueError(
            f"threshold must be 'pfer' or a number above 0 and at most 1; got {got!r}."
        )


def sample_groups(groups: Any, n_samples: int) -> np.ndarray:
    """Return the labels of groups of samples, one for each."""
    labels = np.asarray(groups)
    if labels.shape != (n_samples,):
        raise ValueError(
            f"groups must hold one label for each of the {n_samples} samples; got shape {labels.shape}."
        )
    if labels.dtype.kind in "fO":
        nowhere = next((i for i, label in enumerate(labels) if is_missing(label)), None)
        if nowhere is not None:
            raise ValueError(
                f"groups has no label for sample {nowhere}; find out which it belongs to, give it a label of its own, or "
                "leave it out."
            )
    if labels.dtype.kind == "O":
        try:
            np.unique(labels)
        except TypeError as error:
            raise mixed_group_labels() from error
    return labels


def mask_too_large(n_features: int) -> ValueError:
    """Return the error for a mask of more features than anyone wants to look at."""
    return ValueError(
        f"a mask of the {n_features} features of the space would not fit; use "
        "get_support(indices=True) or support_ids_."
    )


def check_weighted_classes(classes: np.ndarray, some_left_out: bool) -> None:
    """Raise when there is nothing to tell apart among samples that have a weight."""
    if len(np.unique(classes)) > 1:
        return
    left_out = " once samples whose sample_weight is zero are left out" if some_left_out else ""
    raise ValueError(
        f"y has one class only ({plain(classes[0])!r}){left_out}; there is nothing to select for."
    )


def some_resamples(finished: int, wanted: int) -> str:
    """Return the warning for resamples that Ctrl-C cut short."""
    return f"Interrupted after {finished} of {wanted} resamples; the selection is by those."


def groups_cannot_agree() -> ValueError:
    """Return the error for exactly k columns of selections that are of groups."""
    return ValueError(
        "aggregate=True takes single features that fits agree on, and the estimator selects groups; set "
        "aggregate=False."
    )

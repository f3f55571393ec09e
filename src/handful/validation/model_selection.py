"""Checks of what chooses the number of features, and their messages."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any

from handful.validation import check_count, near, unknown_choice
from handful.validation.counts import is_number, is_share, n_wanted

RULES = ("one_se", "best")


def no_selector(estimator: Any) -> ValueError:
    """Return the error for an estimator that cannot be told how many features to select."""
    return ValueError(
        f"estimator must be a selector with n_features_to_select, or a Pipeline with such a step; "
        f"got {type(estimator).__name__}."
    )


def does_not_predict(estimator: Any) -> ValueError:
    """Return the error for a selector that held-out rows cannot judge."""
    return ValueError(
        f"{type(estimator).__name__} does not predict, so that nothing can be said of held-out rows; "
        "put it into a Pipeline with an estimator that does."
    )


def no_targets() -> ValueError:
    """Return the error for a choice without targets."""
    return ValueError(
        "requires y to be passed, but the target y is None: held-out rows are judged by it."
    )


def check_same_length(found: int, n_samples: int, name: str) -> None:
    """Raise unless there is one number for each sample."""
    if found != n_samples:
        raise ValueError(f"{name} has {found} entries for {n_samples} samples; give one for each.")


def numbers_on_path(ks: Any) -> list[int]:
    """Return the numbers of features that models are wanted of, rising, each once."""
    meant = "ks must be a list of numbers of features, such as [5, 10, 20]"
    return _counts(ks, meant, "none", "each of ks")


def numbers_of_features(k: Any, n_choices: int, n_there: int | None) -> list[int]:
    """Return the numbers to try, rising, each once.

    ``n_there`` is what a share is of, or None where folds, or features that are made of columns, differ in it.
    """
    given = [k] if is_number(k) else k
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        given = list(given)
        if n_there is None and any(map(is_share, given)):
            raise ValueError(
                "a share in k is of columns or groups, which are the same in all folds; give whole numbers of these "
                "features."
            )
        given = [n_wanted(one, n_there or 0) if is_share(one) else one for one in given]
    meant = "k must be 'auto' or a list of numbers of features, or of shares between 0 and 1"
    ks = _counts(given, meant, "an empty list", "each number in k")
    largest = max(ks)
    if largest > n_choices:
        raise ValueError(
            f"k has {largest}, more than the {n_choices} features there are to choose from; leave out "
            "what is larger."
        )
    return ks


def _counts(given: Any, meant: str, nothing: str, each: str) -> list[int]:
    """Return whole numbers of at least 1 from a list of them, rising, each once."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ValueError(f"{meant}; got {given!r}.")
    counts = list(given)
    if not counts:
        raise ValueError(f"{meant}; got {nothing}.")
    for count in counts:
        check_count(each, count)
    return sorted({int(count) for count in counts})


def check_cv(cv: Any, name: str = "cv") -> None:
    """Raise for a number of folds that leaves nothing to hold out; splitters are taken as they are."""
    is_few = isinstance(cv, numbers.Integral) and (isinstance(cv, bool) or cv < 2)
    can_be = cv is None or isinstance(cv, (numbers.Integral, Iterable)) or hasattr(cv, "split")
    if is_few or isinstance(cv, str) or not can_be:
        raise ValueError(
            f"{name} must be at least 2 folds, a splitter or a list of splits; got {cv!r}."
        )


def check_nesting(cv: Any, nested: Any) -> None:
    """Raise for outer folds that cannot be, and for inner ones that are made for other rows."""
    check_cv(nested, "nested")
    if isinstance(cv, Iterable) and not hasattr(cv, "split"):
        raise ValueError(
            "nested repeats the choice on part of the rows, and the splits in cv are made for all of them; "
            "give a number or a splitter as cv."
        )


def number_in_grid(count: str) -> ValueError:
    """Return the error for a grid that says how many features."""
    return ValueError(f"param_grid has {count}, the number that is chosen; give its values as k.")


def no_probabilities_to_judge(estimator: Any) -> ValueError:
    """Return the error for a scorer of probabilities where there are none."""
    of_loss = any(name.endswith("loss") for name in estimator.get_params())
    logistic = "loss='logistic', or " if of_loss else ""
    return ValueError(
        f"this scoring needs probabilities, and {type(estimator).__name__} gives scores only; use "
        f"{logistic}another scoring such as 'roc_auc' and calibrate the chosen model."
    )


def check_splits(splits: Sequence[Any]) -> None:
    """Raise unless there are several."""
    if len(splits) < 2:
        raise ValueError(f"cv gives {len(splits)} split(s); a choice by folds needs at least 2.")


def check_groups_for_folds(n_groups: int, n_folds: int) -> None:
    """Raise when some of so many folds would have no group to hold out."""
    if n_groups < n_folds:
        raise ValueError(
            f"groups has {n_groups} different labels, too few for {n_folds} folds of whole groups; use fewer folds."
        )


def one_class(fold: int, labels: Sequence[Any], *, is_weighted: bool) -> ValueError:
    """Return the error for a fold whose training rows have nothing to tell apart."""
    found = f"one class only ({labels[0]!r})" if len(labels) else "no class at all"
    without = ", samples whose sample_weight is zero left out" if is_weighted else ""
    return ValueError(
        f"fold {fold} would train on {found}{without}; use fewer folds, or a cv that stratifies."
    )


def check_table(shape: tuple[int, ...]) -> None:
    """Raise for X without columns."""
    if len(shape) != 2:
        raise ValueError(
            f"X must have rows and columns, and has {len(shape)} dimension(s); reshape your data, with "
            "X.reshape(-1, 1) if it is a single column."
        )
    if shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def check_rule(rule: Any) -> None:
    """Raise unless the rule is known or a function."""
    if not callable(rule) and not (isinstance(rule, str) and rule in RULES):
        raise unknown_choice(
            "rule", rule, RULES, "a function that takes the k_path_ and returns a k"
        )


def wrong_choice(chosen: Any, ks: Sequence[int]) -> ValueError:
    """Return the error for a rule of the user that returns no number of the path."""
    return ValueError(
        f"rule must return one of the numbers that were tried ({', '.join(map(str, ks))}); got {chosen!r}."
    )


def unknown_scoring(scoring: str, known: Iterable[str]) -> ValueError:
    """Return the error for a name that no scorer and no measure has."""
    hint = near(scoring, dict.fromkeys(known)) or "; sklearn.metrics.get_scorer_names() lists them."
    return ValueError(
        f"scoring={scoring!r} is neither a scorer of scikit-learn nor a measure{hint}"
    )


def several_scorers() -> ValueError:
    """Return the error for more than one scorer: a choice has one yardstick."""
    return ValueError(
        "scoring must be one name, one function or None: a choice needs one yardstick."
    )


def no_score(score: Any, fold: int, k: int) -> ValueError:
    """Return the error for a score that cannot be compared."""
    return ValueError(
        f"the score of fold {fold} with {k} features is {score!r}, which cannot be compared; use another "
        "scoring, or fewer folds."
    )


def with_checkpoint() -> ValueError:
    """Return the error for a checkpoint where many models are fitted."""
    return ValueError(
        "the estimator has a checkpoint, which is one file for one fit, and many are fitted here; set it "
        "to None."
    )


def not_columns() -> ValueError:
    """Return the error for a mask of what are no columns of X."""
    return ValueError(
        "a step before the selector makes columns of its own, so there is no mask of the columns of X; use "
        "get_feature_names_out."
    )


def fits_interrupted(n_done: int, n_folds: int) -> str:
    """Return the warning after Ctrl-C."""
    return (
        f"Interrupted after {n_done} of {n_folds} folds: k is chosen from those {n_done}; fit again for the "
        "others."
    )


def nesting_interrupted(n_done: int, n_folds: int) -> str:
    """Return the warning after Ctrl-C in the outer folds."""
    told = f"the nested score is that of those {n_done}" if n_done else "there is no nested score"
    return (
        f"Nesting was interrupted after {n_done} of {n_folds} outer folds: {told}; run it again for the "
        "others."
    )

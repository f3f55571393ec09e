"""Every input check of the library and its message."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from handful.files import check_place
from handful.validation.counts import check_n_features_to_select as check_n_features_to_select
from handful.validation.counts import check_wanted as check_wanted
from handful.validation.counts import is_number, is_whole
from handful.validation.counts import is_share as is_share
from handful.validation.counts import may_be_one as may_be_one
from handful.validation.counts import n_wanted as n_wanted
from handful.validation.names import check_in_order as check_in_order
from handful.validation.weights import LARGEST, plain
from handful.validation.weights import class_weights as class_weights
from handful.validation.weights import sample_weights as sample_weights

Array = np.ndarray
NEAR_NAMES = 3
#: Finds the features of a name, given what finds the columns of one.
Finder: TypeAlias = Callable[[str, Callable[[str], list[int]]], list[int]]


def unknown_choice(name: str, got: Any, known: Iterable[Any], hint: str = "") -> ValueError:
    """Return the error for a parameter that must be one of a few words."""
    choices = ", ".join(repr(choice) for choice in known)
    other = f", or {hint}" if hint else ""
    return ValueError(f"{name} must be one of {choices}{other}; got {got!r}.")


def check_choice(name: str, got: Any, known: Sequence[Any]) -> None:
    """Raise unless the parameter is one of a few words."""
    if not any(got is choice or (isinstance(got, str) and got == choice) for choice in known):
        raise unknown_choice(name, got, known)


def check_count(
    name: str, got: Any, *, least: int = 1, most: int | None = None, optional: bool = False
) -> None:
    """Raise unless the parameter is a whole number in range (or None)."""
    if optional and got is None:
        return
    if not is_whole(got) or got < least or (most is not None and got > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        also = " or None" if optional else ""
        raise ValueError(f"{name} must be a whole number {limits}{also}; got {got!r}.")


def solver_of_other_losses(solver: str, loss: Any) -> ValueError:
    """Return the error for a solver for smooth losses that is named for a measure."""
    return ValueError(
        f"solver={solver!r} is for smooth losses; leave it 'auto' for the measure of {loss!r}."
    )


def check_tuning(loss: Any, *, fit_intercept: bool, refit: bool) -> None:
    """Raise unless a threshold can be moved to where unseen rows want it."""
    if not loss.has_tunable_threshold:
        raise ValueError(
            "label_threshold='held_out' is for measures of how many labels are right, such as loss='f1' or "
            f"loss='accuracy'; leave it 'fitted' for {loss!r}."
        )
    if not (fit_intercept and refit):
        raise ValueError(
            "label_threshold='held_out' moves the intercept of the last fit: it needs fit_intercept=True and refit=True."
        )


def check_share(name: str, got: Any) -> None:
    """Raise unless the parameter is a share of the whole: above 0 and at most 1."""
    if not is_number(got) or not 0 < got <= 1:
        raise ValueError(f"{name} must be a number above 0 and at most 1; got {got!r}.")


def grid_of(name: str, given: Any, check: Callable[[str, Any], None], meant: str) -> Array:
    """Return the values of a parameter that may be a number or a list of numbers, each checked."""
    if isinstance(given, numbers.Real):
        check(name, given)
        return np.array([float(given)])
    try:
        grid = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or not grid.size:
        raise ValueError(f"{name} must be {meant}; got {given!r}.")
    for value in grid.tolist():
        check(name, value)
    return grid


def float_dtype(name: str, got: Any) -> np.dtype[Any]:
    """Return the type of entries that is meant: float64 or float32."""
    try:
        dtype = np.dtype(got)
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in (np.float64, np.float32):
        raise unknown_choice(name, got, ("float64", "float32"))
    return dtype


def check_positive(name: str, got: Any, *or_words: str) -> None:
    """Raise unless the parameter is a number above zero (or one of the words allowed)."""
    if isinstance(got, str) and got in or_words:
        return
    also = "".join(f" or {word!r}" for word in or_words)
    if not is_number(got) or not got > 0:
        raise ValueError(f"{name} must be a number above 0{also}; got {got!r}.")
    if not 1 / LARGEST <= got <= LARGEST:
        raise ValueError(
            f"{name} must lie between {1 / LARGEST:g} and {LARGEST:g}{also}; got {got!r}."
        )


def check_magnitude(scores: Array) -> None:
    """Raise when the best features' products with the targets leave the range of floats.

    Scores are squares of such products.
    """
    best = float(scores.max(initial=0.0))
    if len(scores) and not 1 / LARGEST <= best <= LARGEST:
        size = "small" if best < 1.0 else "large"
        raise ValueError(
            f"The numbers in X or y are too {size} to compute with; rescale them, for example with "
            "sklearn.preprocessing.StandardScaler, and weights of samples so that they are near 1."
        )


def check_flag(name: str, got: Any) -> None:
    """Raise unless the parameter is true or false."""
    if not isinstance(got, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {got!r}.")


def check_n_jobs(got: Any) -> None:
    """Raise unless n_jobs is a number of threads as joblib understands it."""
    if got is not None and (not is_whole(got) or got == 0):
        raise ValueError(
            f"n_jobs must be a whole number, -1 for all cores, or None, but not 0; got {got!r}."
        )


def check_checkpoint(got: Any) -> None:
    """Raise unless a file can be written there."""
    if got is None:
        return
    if not isinstance(got, (str, os.PathLike)):
        raise ValueError(f"checkpoint must be the path of a file or None; got {got!r}.")
    check_place(got)


def check_verbose(got: Any) -> None:
    """Raise unless verbose is a truth value, a number, "bar" or a function of a round."""
    is_bar = isinstance(got, str) and got == "bar"
    if not (is_bar or isinstance(got, (bool, np.bool_, numbers.Integral)) or callable(got)):
        raise ValueError(
            f'verbose must be True, False, "bar" or a function that takes a Round; got {got!r}.'
        )


def check_classes(classes: Array, codes: Array, weight: Array, owner: str) -> None:
    """Raise when there is nothing to tell apart; a class of weight zero is not there."""
    present = np.unique(codes[weight > 0])
    if len(present) > 1:
        return
    found = f"one class only ({plain(classes[present[0]])!r})" if len(present) else "none"
    unweighted = " once those of weight zero are left out" if len(classes) > len(present) else ""
    raise ValueError(f"{owner} needs samples of at least 2 classes; y has {found}{unweighted}.")


def feature_ids(
    name: str,
    given: Any,
    n_features: int,
    feature_names: Sequence[str] | None,
    find: Finder | None = None,
) -> Array:
    """Turn include/exclude (ids, names or a mask) into sorted int64 ids.

    Features that are made from columns have names that ``find`` understands, with what finds columns.
    """
    if given is None:
        return np.empty(0, dtype=np.int64)
    values = np.atleast_1d(np.asarray(given))
    if values.size == 0:
        return np.empty(0, dtype=np.int64)
    if values.ndim > 1:
        raise ValueError(f"{name} must be one list of features; got shape {values.shape}.")
    if values.dtype == bool:
        if values.shape != (n_features,):
            raise ValueError(
                f"{name} as a mask must have one entry for each of the {n_features} features; "
                f"got shape {values.shape}."
            )
        check_in_order(name, given, feature_names)
        return np.flatnonzero(values).astype(np.int64)
    if values.dtype.kind in "iu":
        wrong = values[(values < 0) | (values >= n_features)]
        if len(wrong):
            raise ValueError(
                f"{name} has the feature id {wrong[0]}; ids go from 0 to {n_features - 1}."
            )
        return np.unique(values).astype(np.int64)
    return _ids_of_names(name, values, feature_names, find)


def _ids_of_names(
    name: str, values: Array, feature_names: Sequence[str] | None, find: Finder | None
) -> Array:
    if values.dtype.kind not in "UOT" or not all(isinstance(value, str) for value in values):
        # A set is a single object to NumPy.
        is_one = len(values) == 1 and values.dtype == object
        got = f"a {type(values[0]).__name__}" if is_one else f"{values.dtype} values"
        raise ValueError(f"{name} must hold feature ids, feature names or be a mask; got {got}.")
    if feature_names is None:
        raise ValueError(f"{name} has feature names, but X has none; give ids instead.")
    positions: dict[str, list[int]] = {}
    for j, feature in enumerate(feature_names):
        positions.setdefault(str(feature), []).append(j)

    def columns(word: str) -> list[int]:
        return positions.get(word, [])

    ids = []
    for word in [str(value) for value in values]:
        found = columns(word) if find is None else find(word, columns)
        if not found:
            hint = near(word, positions) or "."
            raise ValueError(f"{name} has the unknown feature {word!r}{hint}")
        if len(found) > 1:
            raise ValueError(
                f"{name} has {word!r}, the name of two features; give their ids instead."
            )
        ids += found
    return np.unique(ids).astype(np.int64)


def near(word: str, known: Iterable[str]) -> str:
    """Say which known words look like a wrong one; empty when none does."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=NEAR_NAMES)
    return f"; did you mean {' or '.join(repr(match) for match in close)}?" if close else ""


def overlapping_choices(both: Sequence[Any] | Array) -> ValueError:
    """Return the error for features that are must-keep and must-not at once."""
    return ValueError(f"feature {both[0]} is in include and in exclude; take it out of one.")


def no_signal() -> ValueError:
    """Return the error for data in which no feature tells the targets apart."""
    return ValueError(
        "No feature carries any signal: every column of X that may be chosen is constant, zero, or "
        "uncorrelated with y; check that X and y belong together."
    )


def no_slope(loss: object) -> ValueError:
    """Return the error for a loss that no prediction changes."""
    return ValueError(
        f"loss='{loss}' is the same for these labels whatever is predicted: it looks at all samples. Ask for fewer of "
        "them, such as 'prec@p' for as many as are positive."
    )


def fewer_features(found: int, wanted: int) -> str:
    """Return the warning for fewer useful features than asked for."""
    carry, were = ("carries", "was") if found == 1 else ("carry", "were")
    return f"Only {found} of the {wanted} features asked for {carry} any signal; {found} {were} selected."


def foreign_checkpoint(path: str | os.PathLike[str]) -> ValueError:
    """Return the error for a checkpoint of another fit."""
    return ValueError(
        f"The checkpoint {os.fspath(path)} belongs to other data or other parameters; "
        "remove it or choose another path."
    )


def unreadable_checkpoint(path: str | os.PathLike[str]) -> ValueError:
    """Return the error for a file that is not a checkpoint."""
    return ValueError(
        f"The checkpoint {os.fspath(path)} cannot be read: it is damaged or not a checkpoint; "
        "remove it or choose another path."
    )

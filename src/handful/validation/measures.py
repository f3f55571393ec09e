"""Checks of measures: of their parameters, and of the labels and scores they are given."""

from __future__ import annotations

import math
import numbers
import re
from typing import Any

import numpy as np

from handful.validation import LARGEST
from handful.validation.weights import plain

Array = np.ndarray

_NUMBER_AND_UNIT = re.compile(r"(?P<number>\d+(?:\.\d+)?|\.\d+)?(?P<unit>[p%]?)")


def read_k(got: Any) -> tuple[float, str]:
    """Return k as a number and what it counts: "samples", "share" (of all) or "positives"."""
    if isinstance(got, str):
        read = _read_text_k(got)
    elif isinstance(got, numbers.Integral):
        read = (int(got), "samples") if not isinstance(got, bool) and int(got) >= 1 else None
    else:
        read = (
            (float(got), "share") if isinstance(got, numbers.Real) and 0 < float(got) < 1 else None
        )
    if read is None or not read[0] <= LARGEST:
        raise ValueError(
            "k must be a whole number of at least 1, a share of the samples (a number between 0 and "
            "1, or '10%'), or a multiple of the positives above 0 ('2p', 'p', '0.5p'); "
            f"got {got!r}."
        )
    return read


def _read_text_k(text: str) -> tuple[float, str] | None:
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or not text:
        return None
    number = float(match["number"] or "1")
    if match["unit"] == "p":
        return (number, "positives") if number > 0 else None
    if match["number"] is None:
        return None
    if match["unit"] == "%":
        return (number / 100, "share") if 0 < number < 100 else None
    if "." in match["number"]:
        return (number, "share") if 0 < number < 1 else None
    return (number, "samples") if number >= 1 else None


def samples_at_k(k: Any, n_samples: int, n_positive: int) -> int:
    """Return how many samples k means: the nearest whole number (a half goes up), at least 1."""
    number, unit = read_k(k)
    wholes = {"samples": 1, "share": n_samples, "positives": n_positive}
    count = max(1, math.floor(number * wholes[unit] + 0.5))
    if count > n_samples:
        means = f"means {count} samples here, which" if unit == "positives" else ""
        raise ValueError(
            f"k={k!r} {means}{' ' if means else ''}is more than the {n_samples} samples there are; "
            "choose a smaller k or a share of the samples such as 0.1."
        )
    return count


def positive_samples(
    y: Any, owner: object, *, needs_positives: bool = False, needs_negatives: bool = False
) -> Array:
    """Return which labels are +1, after a look at whether the measure is defined for them."""
    y = np.asarray(y)
    if y.ndim != 1 or len(y) == 0:
        raise ValueError(
            f"{owner} takes one label for each sample, at least one; got shape {y.shape}."
        )
    positive = np.asarray(y == 1)
    wrong = ~(positive | (y == -1))
    if wrong.any():
        where = int(np.argmax(wrong))
        raise ValueError(f"{owner} takes labels -1 and +1; sample {where} has {y[where].item()!r}.")
    if needs_positives and not positive.any():
        raise ValueError(f"{owner} is undefined without positive samples, and y has none.")
    if needs_negatives and positive.all():
        raise ValueError(f"{owner} is undefined without negative samples, and y has none.")
    return positive


def finite_scores(scores: Any, n_samples: int, owner: object) -> Array:
    """Return the scores as float64."""
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if scores.shape != (n_samples,):
        raise ValueError(
            f"{owner} takes one score for each of the {n_samples} samples; got shape {scores.shape}."
        )
    finite = np.isfinite(scores)
    if not finite.all():
        where = int(np.argmin(finite))
        raise ValueError(f"{owner} takes finite scores; sample {where} has {scores[where]:g}.")
    return scores


def check_class_weighs(kind: str, weight: Array, owner: object) -> None:
    """Raise when all samples of a class have weight zero; ``kind`` says which class it is."""
    if not weight.any():
        raise ValueError(
            f"{owner} is undefined without {kind} samples, and all those of y have weight zero."
        )


def check_every_class_weighs(classes: Array, signs: Array, weight: Array, owner: object) -> None:
    """Raise when all samples of one of several classes have weight zero; ``signs`` has a column for each."""
    if signs.shape[1] == 1:
        return
    weightless = np.flatnonzero(~(signs[weight > 0] > 0).any(axis=0))
    if len(weightless):
        raise ValueError(
            f"{owner} of class {plain(classes[weightless[0]])!r} against the rest is undefined, since all its samples "
            "have weight zero; leave them out of X and y."
        )


def weights_refused(owner: str, weighted: list[str]) -> ValueError:
    """Return the error for weights where the measure has no meaning for them; ``weighted`` are those that have."""
    *others, last = [repr(name) for name in weighted]
    return ValueError(
        f"{owner} is not defined for weighted samples; leave sample_weight and class_weight None, "
        f"or use {', '.join(others)} or {last}, which are."
    )


def wrong_count(owner: str, wanted: int, got: int) -> ValueError:
    """Return the error for a labeling that a measure of a fixed count does not know."""
    return ValueError(
        f"{owner} is defined for labelings with {wanted} positives here; this one has {got}."
    )


def check_score_columns(scores: Array, n_classes: int) -> None:
    """Raise unless there is a column of scores for each class."""
    if scores.ndim != 2 or scores.shape[1] != n_classes:
        raise ValueError(
            f"y_score must have one column for each of the {n_classes} classes; "
            f"got shape {scores.shape}."
        )


def as_signs(is_positive: Array) -> Array:
    """Return +1 where something is positive and -1 elsewhere: labels as losses and measures take them."""
    return np.where(is_positive, 1.0, -1.0)


def binary_labels(y_true: Any, pos_label: Any) -> Array:
    """Return any two labels as -1 and +1, where ``pos_label`` is +1."""
    y_true = np.asarray(y_true)
    if y_true.ndim != 1:
        raise ValueError(f"y_true must hold one label for each sample; got shape {y_true.shape}.")
    labels = np.unique(y_true)
    shown = ", ".join(repr(label) for label in labels[:5].tolist())
    if len(labels) > 2:
        raise ValueError(
            f"y_true must have two labels; it has {len(labels)}: {shown}"
            f"{', ...' if len(labels) > 5 else ''}."
        )
    implied = set(labels.tolist()) <= {0, 1} or set(labels.tolist()) <= {-1, 1}
    if pos_label not in labels.tolist() and not (implied and pos_label == 1):
        raise ValueError(
            f"pos_label={pos_label!r} is not a label of y_true, which has {shown}; "
            "name the positive one."
        )
    return as_signs(y_true == pos_label)

"""What a score is: a measure, which is the one selected for unless another is named, or a scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from handful.io import InputError
from handful.losses import measure_of
from handful.measures import Measure, measure_texts
from handful.metrics import multilabel_scorers
from handful.model_selection._scoring import judge_by_measure


@dataclass(frozen=True)
class Scoring:
    """A name to show, and a function of a fitted estimator, rows and classes 0, 1, ..."""

    name: str
    score: Callable[[Any, Any, np.ndarray], float]


def choose_scoring(
    wanted: str | None, loss: Any, n_classes: int | None, *, several_labels: bool = False
) -> Scoring:
    """Return what to report: what is asked for, or the measure of the loss, or what is usual.

    ``n_classes`` is None for regression. A measure of more than two classes is the mean over the
    classes, each against the rest; accuracy is that of the predicted class. A measure of several labels is
    the mean over them; they have measures of their own too.
    """
    if n_classes is None:
        return _scorer(wanted or "r2")
    own = multilabel_scorers() if several_labels else {}
    measure = measure_of(loss if wanted is None else wanted)
    if wanted in own or measure is None or (measure.is_of_classes and not several_labels):
        return _scorer(wanted or ("multilabel_accuracy" if several_labels else "accuracy"), own)
    name = name_of_score(measure, n_classes, several_labels=several_labels)
    return Scoring(name, partial(judge_by_measure, measure))


def positive_class(measure: Measure, y: np.ndarray, cases: str) -> str | None:
    """Say which of two classes a measure is about, where words do not tell, or where it is the common one; else None."""
    if measure.is_symmetric:
        return None
    (other, positive), counts = np.unique(y, return_counts=True)
    share = counts[1] / counts.sum()
    if share <= 0.5 and y.dtype.kind not in "OUS":
        return None
    said = f"{measure} is about class {positive!s}, the second in order"
    if share <= 0.5:
        return f"{said}, with {counts[1]} of {len(y)} {cases}"
    return (
        f"{said}, which {share:.0%} of the {cases} have; if {other!s} is to be found, rename the classes so that it comes "
        "second"
    )


def guessing(y: np.ndarray) -> str:
    """Say what accuracy there is without any feature: that of always guessing the commonest class."""
    classes, counts = np.unique(y, return_counts=True)
    return f"always guessing {classes[counts.argmax()]!s} has {counts.max() / counts.sum():.4f}"


def name_of_score(measure: Measure, n_classes: int, *, several_labels: bool) -> str:
    """Say what a measure is of: a class, or the mean over several classes or labels."""
    if n_classes == 2 and not several_labels:
        return str(measure)
    over = "the mean over labels" if several_labels else "each class against the rest"
    return f"macro {measure} ({over})"


def _scorer(name: str, own: Mapping[str, Any] | None = None) -> Scoring:
    """Return a scorer of labels' own, if they are, or of scikit-learn."""
    if own and name in own:
        return Scoring(name, own[name])
    if name not in get_scorer_names():
        texts = own or measure_texts()
        raise InputError(
            f"{name!r} is neither a scorer of scikit-learn nor a measure such as {', '.join(texts)}"
        )
    return Scoring(name, get_scorer(name))

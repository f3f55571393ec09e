"""What a score is: a measure, which is the one selected for unless another is named, or a scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from handful.io import InputError
from handful.losses import known_losses
from handful.measures import Measure, RocAuc, find_measure, known_measures
from handful.metrics import macro_measure_score, multilabel_scorers
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
    if several_labels:
        return _of_labels(wanted, loss)
    if n_classes is None:
        return _scorer(wanted or "r2")
    measure = measure_of_loss(loss if wanted is None else wanted)
    if measure is None or measure.is_of_classes:
        return _scorer(wanted or "accuracy")
    name = str(measure) if n_classes == 2 else _macro_name(measure)
    return Scoring(name, partial(judge_by_measure, measure))


def _of_labels(wanted: str | None, loss: Any) -> Scoring:
    known = multilabel_scorers()
    if wanted in known:
        return Scoring(wanted, known[wanted])
    measure = measure_of_loss(loss if wanted is None else wanted)
    if measure is not None:
        return Scoring(
            _macro_name(measure, several_labels=True), partial(judge_by_measure, measure)
        )
    usual = "multilabel_accuracy"
    return Scoring(usual, known[usual]) if wanted is None else _scorer(wanted, list(known))


def measure_of_loss(loss: Any) -> Measure | None:
    """Return the measure that a loss is, given by its text or as an instance; None for others."""
    if isinstance(loss, str) and loss in known_losses():
        return None
    return find_measure(getattr(loss, "measure", loss))


def positive_class(measure: Measure, y: np.ndarray, cases: str) -> str | None:
    """Say which of two classes a measure is about, where words do not tell, or where it is the common one; else None.

    Accuracy and the ROC area are about both alike.
    """
    if measure.is_of_classes or isinstance(measure, RocAuc):
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


def score_by_measure(
    measure: Measure, classes: np.ndarray, y: np.ndarray, decision: np.ndarray
) -> dict[str, float]:
    """Return the measure of some scores by its name; the second class is the positive one of two."""
    if y.ndim == 2:
        name = _macro_name(measure, several_labels=True)
        return {name: macro_measure_score(y, decision, measure)}
    if len(classes) == 2:
        y = np.where(y == classes[1], 1.0, -1.0)
        return {str(measure): measure.value(y, decision)}
    return {_macro_name(measure): macro_measure_score(y, decision, measure, labels=classes)}


def _macro_name(measure: Measure, *, several_labels: bool = False) -> str:
    over = "the mean over labels" if several_labels else "each class against the rest"
    return f"macro {measure} ({over})"


def _scorer(name: str, measures: list[str] | None = None) -> Scoring:
    if name not in get_scorer_names():
        texts = measures or [
            text for cls in known_measures().values() for text in cls.example_texts()
        ]
        raise InputError(
            f"{name!r} is neither a scorer of scikit-learn nor a measure such as {', '.join(texts)}"
        )
    return Scoring(name, get_scorer(name))

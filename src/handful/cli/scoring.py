"""What a score is: a measure, which is the one selected for unless another is named, or a scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from handful.io import InputError
from handful.losses import known_losses
from handful.measures import Accuracy, Measure, known_measures, resolve_measure
from handful.metrics import macro_measure_score, measure_scorer, multilabel_scorers

__all__ = ["Scoring", "choose_scoring", "measure_of_loss", "score_by_measure"]


@dataclass(frozen=True)
class Scoring:
    """A name to show, and a function of a fitted estimator, rows and classes 0, 1, ..."""

    name: str
    score: Callable[[Any, Any, np.ndarray], float]


def choose_scoring(
    wanted: str | None, loss: Any, n_classes: int | None, *, several_labels: bool = False
) -> Scoring:
    """Return what to report: what is asked for, or the measure of the loss, or accuracy or r2.

    ``n_classes`` is None for regression. A measure of more than two classes is the mean over the
    classes, each against the rest; accuracy is that of the predicted class. Several labels have
    measures of their own.
    """
    if several_labels:
        known = multilabel_scorers()
        name = wanted or "multilabel_accuracy"
        return Scoring(name, known[name]) if name in known else _scorer(name, list(known))
    if n_classes is None:
        return _scorer(wanted or "r2")
    measure = measure_of_loss(loss if wanted is None else wanted)
    if measure is None or isinstance(measure, Accuracy):
        return _scorer(wanted or "accuracy")
    if n_classes == 2:
        return Scoring(str(measure), measure_scorer(measure))
    return Scoring(_macro_name(measure), lambda *args: _macro(measure, *args))


def measure_of_loss(loss: Any) -> Measure | None:
    """Return the measure that a loss is, given by its text or as an instance; None for others."""
    if isinstance(loss, Measure):
        return loss
    if not isinstance(loss, str) or loss in known_losses():
        return None
    try:
        return resolve_measure(loss)
    except ValueError:  # what is no loss either is told by the estimator
        return None


def score_by_measure(
    measure: Measure, classes: np.ndarray, y: np.ndarray, decision: np.ndarray
) -> dict[str, float]:
    """Return the measure of some scores by its name; the second class is the positive one of two."""
    if len(classes) == 2:
        y = np.where(y == classes[1], 1.0, -1.0)
        return {str(measure): measure.value(y, decision)}
    return {_macro_name(measure): macro_measure_score(y, decision, measure, labels=classes)}


def _macro(measure: Measure, estimator: Any, X: Any, y: np.ndarray) -> float:
    decision = estimator.decision_function(X)
    return macro_measure_score(y, decision, measure, labels=estimator.classes_)


def _macro_name(measure: Measure) -> str:
    return f"macro {measure} (each class against the rest)"


def _scorer(name: str, measures: list[str] | None = None) -> Scoring:
    if name not in get_scorer_names():
        texts = measures or [
            text for cls in known_measures().values() for text in cls.example_texts()
        ]
        raise InputError(
            f"{name!r} is neither a scorer of scikit-learn nor a measure such as {', '.join(texts)}"
        )
    return Scoring(name, get_scorer(name))

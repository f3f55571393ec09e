"""Measures of a ranking of samples: positives should come first.

Tied scores count as the mean over all their orders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from handful.measures import PRBEP, Measure, PrecisionAtK, RecallAtK, resolve_measure
from handful.validation.measures import as_signs, binary_labels, check_score_columns
from handful.validation.multi_output import label_matrix, label_scores, no_label_of_both_kinds

Scorer = Callable[..., float]
#: Methods of an estimator whose answers put samples or labels in an order; the first there is.
RANKING_METHODS = ("decision_function", "predict_proba")


def scorer(function: Callable[..., float], method: Any, **arguments: Any) -> Scorer:
    """Return a scorer of a function, on what the estimator's method says."""
    made: Scorer = make_scorer(function, response_method=method, **arguments)
    return made


def precision_at_k(y_true: Any, y_score: Any, k: int | float | str, *, pos_label: Any = 1) -> float:
    """Share of positives among the k best-scoring samples: ``hits / k``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels of any type.
    y_score : array-like of shape (n_samples,)
        The higher, the more likely positive.
    k : int, float or str
        A number of samples, a share of them (a float between 0 and 1, or "10%"), or a multiple of the
        positives in y_true ("2p", "p", "0.5p").
    pos_label : label, default=1
        The label that is positive.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from handful.metrics import precision_at_k
    >>> precision_at_k(["ham", "spam", "spam", "ham"], [0.1, 0.4, 0.9, 0.6], 2, pos_label="spam")
    0.5
    """
    return measure_score(y_true, y_score, PrecisionAtK(k), pos_label=pos_label)


def recall_at_k(y_true: Any, y_score: Any, k: int | float | str, *, pos_label: Any = 1) -> float:
    """Share of the P positives that are among the k best-scoring samples: ``hits / P``.

    Parameters and return value are those of :func:`precision_at_k`.

    Examples
    --------
    >>> from handful.metrics import recall_at_k
    >>> recall_at_k([0, 1, 1, 0, 0], [0.1, 0.4, 0.9, 0.6, 0.5], "2p")
    1.0
    """
    return measure_score(y_true, y_score, RecallAtK(k), pos_label=pos_label)


def prbep(y_true: Any, y_score: Any, *, pos_label: Any = 1) -> float:
    """Precision, and recall, when as many samples are called positive as there are.

    Parameters and return value are those of :func:`precision_at_k`.

    Examples
    --------
    >>> from handful.metrics import prbep
    >>> prbep([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.6])
    0.5
    """
    return measure_score(y_true, y_score, PRBEP(), pos_label=pos_label)


def measure_score(
    y_true: Any, y_score: Any, measure: str | Measure, *, pos_label: Any = 1
) -> float:
    """Value of any of ``handful.measures``; a score above 0 predicts positive.

    Examples
    --------
    >>> from handful.metrics import measure_score
    >>> measure_score([0, 1, 1, 0], [0.1, -0.4, 0.9, -0.6], "f1")
    0.5
    """
    return resolve_measure(measure).value(binary_labels(y_true, pos_label), y_score)


def macro_measure_score(
    y_true: Any,
    y_score: Any,
    measure: str | Measure,
    *,
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Mean over classes of a measure of each class against the rest, or over labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or array-like or sparse matrix of shape (n_samples, n_labels)
        Classes, or labels of which a sample may have several. A class or label for which the measure is undefined, as F1
        is for one that no sample has, is left out of the mean.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples, n_labels)
        One column for each class, in the order of ``labels``, or for each label.
    measure : str or Measure
    labels : array-like of shape (n_classes,), default=None
        All classes; None takes those of y_true, sorted.
    sample_weight : array-like of shape (n_samples,), default=None
        For measures that are defined for weighted samples.

    Examples
    --------
    >>> from handful.metrics import macro_measure_score
    >>> scores = [[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0]]
    >>> round(macro_measure_score(["a", "b", "c"], scores, "f1"), 3)
    0.889
    >>> macro_measure_score([[1, 0], [1, 1]], [[1.0, -1.0], [-1.0, 2.0]], "accuracy")
    0.75
    """
    measure = resolve_measure(measure)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if len(getattr(y_true, "shape", None) or np.shape(y_true)) == 2:
        true, scores = label_matrix("y_true", y_true), label_scores(y_score, y_true)
        judged = _defined(measure, list(zip(true.T, scores.T, strict=True)), weight)
        if not judged:
            raise no_label_of_both_kinds(measure)
    else:
        y_true, scores = np.asarray(y_true), np.asarray(y_score)
        labels = np.unique(y_true) if labels is None else np.asarray(labels)
        check_score_columns(scores, len(labels))
        columns = [(y_true == label, own) for label, own in zip(labels, scores.T, strict=True)]
        # Where it is defined for none, what it says of them tells why.
        judged = _defined(measure, columns, weight) or columns
    # A measure of your own may know of no weights.
    weights = () if weight is None else (weight,)
    values = [measure.value(as_signs(own), column, *weights) for own, column in judged]
    return float(np.mean(values))


def _defined(
    measure: Measure, columns: list[tuple[np.ndarray, np.ndarray]], weight: np.ndarray | None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Those of some labels, each with its scores, for which a measure is defined; samples of weight zero are not there."""
    there = slice(None) if weight is None else weight > 0
    return [(own, scores) for own, scores in columns if measure.is_defined(own[there])]


def precision_at_k_scorer(k: int | float | str, *, pos_label: Any = 1) -> Scorer:
    """Return a scorer for :func:`precision_at_k`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from handful.metrics import precision_at_k_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"var_smoothing": [1e-9, 1e-3]}
    >>> search = GridSearchCV(GaussianNB(), grid, scoring=precision_at_k_scorer("10%")).fit(X, y)
    >>> float(search.best_score_)
    1.0
    """
    PrecisionAtK(k)  # a wrong k is noticed here, not in some fold
    return scorer(precision_at_k, RANKING_METHODS, k=k, pos_label=pos_label)


def recall_at_k_scorer(k: int | float | str, *, pos_label: Any = 1) -> Scorer:
    """Return a scorer for :func:`recall_at_k`."""
    RecallAtK(k)
    return scorer(recall_at_k, RANKING_METHODS, k=k, pos_label=pos_label)


def prbep_scorer(*, pos_label: Any = 1) -> Scorer:
    """Return a scorer for :func:`prbep`."""
    return scorer(prbep, RANKING_METHODS, pos_label=pos_label)


def measure_scorer(measure: str | Measure, *, pos_label: Any = 1) -> Scorer:
    """Return a scorer for any measure, on what ``decision_function`` says."""
    return scorer(
        measure_score, "decision_function", measure=resolve_measure(measure), pos_label=pos_label
    )

"""How well the rows of the fit itself are predicted: always too good, and said so."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.spaces.resolve import source_of

Array = np.ndarray


def remember_training_score(estimator: Any, X: Any, Y: Array, weight: Array) -> None:
    """Keep a sentence about the score of the rows that a selector was just fitted to, for its summary.

    X is checked and Y has a column for each output, so that only the chosen columns are gathered once more. Of data that are
    elsewhere they are not: that would read them again. Every row that has a weight counts once, as in ``score``.
    """
    estimator._training_score = ""
    if source_of(X) is not None:
        return
    counts = weight > 0
    with np.errstate(all="ignore"):  # numbers near the largest there are
        raw = np.asarray(estimator._make_columns(X) @ estimator.weights_.T) + estimator.intercept_
        if raw.shape == Y.shape:  # not where labels that all samples have were left out
            estimator._training_score = training_score(estimator, raw[counts], Y[counts])


def training_score(estimator: Any, raw: Array, Y: Array) -> str:
    """Return which share of classes or labels is right, or R2, in a sentence."""
    rows = "the rows it was fitted to, which is too good for others"
    if not hasattr(estimator, "classes_"):
        left, whole = ((Y - raw) ** 2).sum(axis=0), ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)
        share = (1 - left / whole).mean()
        return f"R² {share:.4g} on {rows}." if np.isfinite(share) else ""
    is_right = (raw > 0) == (Y > 0)
    if hasattr(estimator, "label_values_"):
        return f"{is_right.mean():.1%} of labels right on {rows}."
    if raw.shape[1] > 1:
        is_right = raw.argmax(axis=1) == Y.argmax(axis=1)
    return f"Accuracy {is_right.mean():.1%} on {rows}."

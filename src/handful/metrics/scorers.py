"""From a function of labels and predictions to what scikit-learn takes as ``scoring``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import make_scorer

Scorer = Callable[..., float]
#: Methods of an estimator whose answers put samples or labels in an order; the first there is.
RANKING_METHODS = ("decision_function", "predict_proba")


def scorer(function: Callable[..., float], method: Any, **arguments: Any) -> Scorer:
    """Return a scorer of a function, on what the estimator's method says."""
    made: Scorer = make_scorer(function, response_method=method, **arguments)
    return made

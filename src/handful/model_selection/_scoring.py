"""What judges held-out rows: a scorer of scikit-learn, a measure by its name, or what the estimator says."""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn.feature_selection import RFE, RFECV
from sklearn.metrics import check_scoring, get_scorer_names

from handful.measures import known_measures, resolve_measure
from handful.metrics import measure_scorer
from handful.validation import model_selection as checks


def resolve_scoring(estimator: Any, scoring: Any) -> Any:
    """Return a scorer, a function of a fitted estimator, X and y; ValueError for a name nobody knows."""
    if scoring is None or callable(scoring):
        return check_scoring(estimator, scoring)
    if not isinstance(scoring, str):
        raise checks.several_scorers()
    if scoring in get_scorer_names():
        return check_scoring(estimator, scoring)
    try:
        return measure_scorer(resolve_measure(scoring))
    except ValueError:
        texts = [text for cls in known_measures().values() for text in cls.example_texts()]
        raise checks.unknown_scoring(scoring, [*get_scorer_names(), *texts]) from None


def check_response(estimator: Any, scorer: Any) -> None:
    """Raise where a scorer asks for probabilities that the estimator does not give."""
    asked = getattr(scorer, "_response_method", ())
    methods = [asked] if isinstance(asked, str) else asked
    if "predict_proba" in methods and not any(hasattr(estimator, name) for name in methods):
        raise checks.no_probabilities_to_judge(estimator)


def takes_weights(scorer: Any) -> bool:
    """Whether a scorer can weigh samples."""
    estimator = getattr(scorer, "_estimator", None)
    if estimator is not None:  # what the estimator itself calls its score
        return _score_takes_weights(estimator)
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    # Before scikit-learn 1.7 a scorer is asked by the function that it calls.
    return "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters


def _score_takes_weights(estimator: Any) -> bool:
    """Whether ``score`` takes weights, or hands them on to one that does."""
    if isinstance(estimator, RFE) and not isinstance(estimator, RFECV):
        return _score_takes_weights(estimator.estimator)
    named = "sample_weight" in signature(estimator.score).parameters
    return named or bool(getattr(estimator, "_score_takes_weights", False))

"""What judges held-out rows, and which parameters of ``fit`` go to it, to the estimator and to the folds."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.feature_selection import RFE, RFECV
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import GroupKFold, check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _num_samples

from handful.measures import Measure, find_measure, measure_texts
from handful.metrics import macro_measure_score, measure_scorer
from handful.model_selection._folds import is_number_of_folds
from handful.validation import model_selection as checks
from handful.validation.weights import sample_weights

Array = np.ndarray


class MeasureScorer:
    """A scorer of a measure that means what the loss of that name means, whatever the labels are called.

    Of two classes the second is positive; of more, and of labels, it is the mean over them. Where labels are 0 and 1, or -1 and 1,
    that is what ``usual`` says, a scorer of scikit-learn's kind: elsewhere such a one refuses, or takes class 1 for positive.
    """

    def __init__(self, measure: Measure, usual: Any) -> None:
        self.measure = measure
        self.usual = usual
        self._response_method = getattr(usual, "_response_method", ())

    def __call__(self, estimator: Any, X: Any, y: Any, **params: Any) -> float:
        if _has_plain_signs(estimator, y) or not hasattr(estimator, "decision_function"):
            return float(self.usual(estimator, X, y, **params))
        return judge_by_measure(self.measure, estimator, X, y, **params)

    def __repr__(self) -> str:
        return f"MeasureScorer({str(self.measure)!r})"

    def _accept_sample_weight(self) -> bool:
        return takes_weights(self.usual)

    def get_metadata_routing(self) -> Any:
        """Return what the usual scorer requests."""
        return self.usual.get_metadata_routing()


def judge_by_measure(
    measure: Measure, estimator: Any, X: Any, y: Any, sample_weight: Any = None
) -> float:
    """Return a measure of what ``decision_function`` says: of more than two classes, and of labels, the mean."""
    decision, classes = estimator.decision_function(X), getattr(estimator, "classes_", ())
    return value_of(measure, y, np.asarray(decision), np.asarray(classes), sample_weight)


def value_of(
    measure: Measure, y: Any, decision: Array, classes: Array, sample_weight: Any = None
) -> float:
    """Return a measure of some scores: of two classes the second is positive; of others, and of labels, the mean."""
    if len(getattr(y, "shape", None) or np.shape(y)) == 2:
        decision = decision.reshape(y.shape)
    elif len(classes) == 2:
        decision, classes = decision[:, None], classes[1:]
    return macro_measure_score(y, decision, measure, labels=classes, sample_weight=sample_weight)


def _has_plain_signs(estimator: Any, y: Any) -> bool:
    """Whether the classes are 0 and 1, or -1 and 1; a fold may lack one of them."""
    if sp.issparse(y) or np.ndim(y) != 1:
        return False
    classes = set(np.asarray(getattr(estimator, "classes_", y)).tolist())
    return classes <= {0, 1} or classes <= {-1, 1}


def resolve_scoring(estimator: Any, scoring: Any) -> Any:
    """Return a scorer, a function of a fitted estimator, X and y; ValueError for a name nobody knows."""
    if isinstance(scoring, Measure):
        return MeasureScorer(scoring, measure_scorer(scoring))
    if scoring is None or callable(scoring):
        return check_scoring(estimator, scoring)
    if not isinstance(scoring, str):
        raise checks.several_scorers()
    measure = find_measure(scoring)
    if scoring in get_scorer_names():
        usual = check_scoring(estimator, scoring)
        if measure is None or measure.is_of_classes:
            return usual
        return MeasureScorer(measure, usual)
    if measure is None:
        raise checks.unknown_scoring(scoring, [*get_scorer_names(), *measure_texts()])
    return MeasureScorer(measure, measure_scorer(measure))


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


def is_routing() -> bool:
    """Whether scikit-learn's metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])


def check_rows_of_params(params: Mapping[str, Any], n_samples: int) -> None:
    """Raise unless groups and weights have one entry for each sample, and weights are such."""
    for name in ("groups", "sample_weight"):
        if params.get(name) is not None:
            checks.check_same_length(_num_samples(params[name]), n_samples, name)
    sample_weights(params.get("sample_weight"), n_samples)


def routed(search: Any, scorer: Any, params: dict[str, Any]) -> Bunch:
    """Return what goes to ``estimator.fit``, ``splitter.split`` and ``scorer.score`` of a search."""
    if is_routing():
        return process_routing(search, "fit", **params)
    own = {name: value for name, value in params.items() if value is not None}
    split = {"groups": own.pop("groups", None)}
    score = {}
    if "sample_weight" in own and takes_weights(scorer):
        score = {"sample_weight": own["sample_weight"]}
    return Bunch(estimator=Bunch(fit=own), splitter=Bunch(split=split), scorer=Bunch(score=score))


def router_of_search(search: Any, scorer: Any) -> MetadataRouter:
    """Return who requests what: the estimator, the scorer and the splitter."""
    maps = MethodMapping
    router = MetadataRouter(owner=search)
    router.add(estimator=search.estimator, method_mapping=maps().add(caller="fit", callee="fit"))
    to_scorer = maps().add(caller="fit", callee="score").add(caller="score", callee="score")
    router.add(scorer=scorer, method_mapping=to_scorer)
    # Folds that are given as a number keep groups together, if someone gives any.
    splitter = GroupKFold() if is_number_of_folds(search.cv) else check_cv(search.cv)
    router.add(splitter=splitter, method_mapping=maps().add(caller="fit", callee="split"))
    return router

"""What judges held-out rows, and which parameters of ``fit`` go to it, to the estimator and to the folds."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sklearn import get_config
from sklearn.feature_selection import RFE, RFECV
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _num_samples

from handful.measures import known_measures, resolve_measure
from handful.metrics import measure_scorer
from handful.validation import model_selection as checks
from handful.validation.weights import sample_weights


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
    splitter = check_cv(search.cv)
    router.add(splitter=splitter, method_mapping=maps().add(caller="fit", callee="split"))
    return router

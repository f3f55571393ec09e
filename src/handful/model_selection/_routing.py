"""Which of the parameters of ``fit`` go to the estimator, to the folds and to what judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _num_samples

from handful.model_selection._scoring import takes_weights
from handful.validation import model_selection as checks
from handful.validation.weights import sample_weights


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

"""handful's own ways to select, each with its defaults or as its page says, and all methods by name."""

from __future__ import annotations

from typing import Any

import numpy as np

import handful
from handful.model_selection import StabilitySelection
from harness.cells import LIBRARY

from .method import Array, Chosen, Data, Method, NotForThisTaskError, best_first
from .models import MODELS
from .rivals import FILTERS, TREE_METHODS

FGM, FAST, BEFORE, AGREED = "FGM", "FGM fast", "FGM before", "FGM, agreed"
GREEDY, DIRECT, RFS = "greedy RLS", "direct sparsity", "RFS"
ALPHAS = [0.1, 1.0, 10.0, 100.0, 1000.0]
PENALTIES = [0.1, 1.0, 10.0]
#: Pairs of halves of which "agreed" takes what they agree on.
PAIRS = 15
#: The commit whose library is "before".
COMMIT_BEFORE = "ed64568"


def _fgm(**settings: Any) -> Any:
    def select(data: Data, nothing: None, k: int) -> Chosen:
        kind = handful.FGMRegressor if data.is_numbers else handful.FGMClassifier
        model = kind(n_features_to_select=k, n_jobs=1, **settings).fit(data.X, data.y)
        if model.status_ is handful.Status.INTERRUPTED:  # its features are not what was asked for
            raise KeyboardInterrupt
        return Chosen(np.asarray(model.support_ids_), model.predict)

    return select


def _agreed(data: Data, nothing: None, k: int) -> Chosen:
    kind = handful.FGMRegressor if data.is_numbers else handful.FGMClassifier
    model = StabilitySelection(
        kind(k, C="fast", n_jobs=1), PAIRS, aggregate=True, random_state=0
    ).fit(data.X, data.y)
    return Chosen(np.asarray(model.support_ids_), model.predict)


def _greedy_path(data: Data) -> Any:
    kind = handful.GreedyRLSRegressor if data.is_numbers else handful.GreedyRLSClassifier
    return kind(data.most, alpha=ALPHAS, n_jobs=1).fit(data.X, data.y)


def _truncated(data: Data, path: Any, k: int) -> Chosen:
    model = path.truncate(min(k, len(path.selection_order_)))
    return Chosen(np.asarray(model.support_ids_), model.predict)


def _direct(data: Data) -> Any:
    if data.is_numbers:
        raise NotForThisTaskError("classes only")
    return handful.DirectSparsityClassifier(data.most).fit(data.X, data.y)


def _robust(data: Data) -> Any:
    kind = handful.RFSRegressor if data.is_numbers else handful.RFSClassifier
    return kind(data.most, alpha=PENALTIES).fit(data.X, data.y)


def _of_scores(data: Data, model: Any, k: int) -> Chosen:
    """Its k highest scores; the model itself is one of the largest k."""
    scores: Array = model.scores_
    own = model.predict if k == data.most else None
    return Chosen(best_first(scores, k), own)


OURS: tuple[Method, ...] = (
    Method(FGM, _fgm(), packages=LIBRARY),
    Method(FAST, _fgm(C="fast"), packages=LIBRARY),
    Method(AGREED, _agreed, packages=LIBRARY),
    Method(BEFORE, _fgm(), packages=(COMMIT_BEFORE,)),
    Method(GREEDY, _truncated, _greedy_path, packages=LIBRARY),
    Method(DIRECT, _of_scores, _direct, packages=LIBRARY),
    Method(RFS, _of_scores, _robust, packages=LIBRARY),
)
RIVALS = tuple(method.name for method in (*FILTERS, *TREE_METHODS, *MODELS))
OWN = tuple(method.name for method in OURS)
METHODS = {method.name: method for method in (*OURS, *FILTERS, *TREE_METHODS, *MODELS)}

"""Models of several sizes by the feature generating machine, as fitted estimators."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from handful import validation
from handful.estimators._callbacks import NoTasks
from handful.estimators._per_class import together
from handful.estimators._progress import Monitor
from handful.estimators._selected import assign
from handful.methods import fgm
from handful.methods.problem import Selected
from handful.spaces.resolve import threads_for

Array = np.ndarray


def fit_path(
    estimator: Any, X: Any, y: Any, ks: Sequence[int], sample_weight: Any
) -> dict[int, Any]:
    """Return a fitted clone for each number of features; see :meth:`BaseFGM.fit_path`."""
    for k in ks:
        validation.check_count("each of ks", k)
    largest = _with_count(estimator, max(ks, default=1))
    rising = sorted({int(k) for k in ks})
    if largest.solver != "auto":  # a solver of the convex problem has no candidates to eliminate
        return {k: _with_count(estimator, k).fit(X, y, sample_weight) for k in rising}
    X, _, targets, weight, loss = largest._prepared(X, y, sample_weight)
    if targets.shape[1] == 1 or not getattr(largest, "per_class", False):
        return _models(estimator, largest, X, targets, weight, loss, rising)
    one_label = copy(largest)
    one_label._constant_signs = None  # labels that were left out are put back into all together
    parts = [
        _models(estimator, one_label, X, targets[:, [output]], weight, loss, rising)
        for output in range(targets.shape[1])
    ]
    models = {k: _empty(estimator, largest, k) for k in rising}
    for k, model in models.items():
        attributes = together(model, [part[k] for part in parts], X, weight)
        assign(model, model._of_all_labels(attributes))
    return models


def _models(
    estimator: Any,
    largest: Any,
    X: Any,
    targets: Array,
    weight: Array,
    loss: Any,
    ks: Sequence[int],
) -> dict[int, Any]:
    """Return the models of one selection."""
    models = {k: _empty(estimator, largest, k) for k in ks}
    with threads_for(estimator.n_jobs):
        problem = largest._problem(X, targets, weight, loss)
        validation.check_n_features_to_select(
            ks[0], problem.space.n_features, len(problem.include), len(problem.exclude)
        )
        options = replace(largest._options(problem), candidates=None)

        def attributes(selected: Selected) -> dict[str, Any]:
            own = largest._space_attributes(problem.space, selected.ids)
            return dict(largest._attributes(selected) | own)

        monitor = Monitor(estimator.verbose, None, NoTasks(), attributes, type(estimator).__name__)
        with monitor.listening():
            found = fgm.fit_path(problem, options, ks, monitor)
            for k, selected in zip(reversed(ks), found, strict=True):
                assign(models[k], attributes(selected))
    return models


def _with_count(estimator: Any, k: int) -> Any:
    return clone(estimator).set_params(n_features_to_select=int(k), checkpoint=None)


def _empty(estimator: Any, largest: Any, k: int) -> Any:
    """Return a clone that knows what the largest does of the data, and has no model yet."""
    model = _with_count(estimator, k)
    known = vars(largest).keys() - model.get_params(deep=False).keys()
    assign(model, {name: vars(largest)[name] for name in known})
    return model

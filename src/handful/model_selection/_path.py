"""Models of several sizes on the same rows: out of one fit where the selector can, else one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.pipeline import Pipeline

from handful.model_selection._samples import Samples
from handful.model_selection._wrapped import judged, raise_if_interrupted, selector_in, with_k


def models_of_sizes(
    estimator: Any, ks: Sequence[int], samples: Samples
) -> Iterator[tuple[int, Any, float]]:
    """Yield each of rising numbers of features with a fitted model that predicts, and its share of the seconds.

    All come from one fit

    - of a selector of ours that has ``fit_path``, alone or as a step of a Pipeline;
    - of RFE that drops one feature at a time: it passes every number on its way to the smallest.

    Otherwise each is fitted by itself.
    """
    start = time.perf_counter()
    models = _shared(estimator, ks, samples)
    if models is not None:
        seconds = (time.perf_counter() - start) / len(ks)
        yield from ((k, models[k], seconds) for k in ks)
        return
    for k in ks:
        start = time.perf_counter()
        model = samples.fit(judged(with_k(estimator, k)))
        yield k, model, time.perf_counter() - start


def _shared(estimator: Any, ks: Sequence[int], samples: Samples) -> dict[int, Any] | None:
    """Return the models by their number; None where each needs a fit of its own."""
    if len(ks) == 1:
        return None
    if isinstance(estimator, Pipeline):
        return _through_pipeline(estimator, ks, samples)
    if hasattr(estimator, "fit_path") and hasattr(estimator, "predict"):
        models: dict[int, Any] = estimator.fit_path(samples.X, samples.y, ks, **samples.more)
        for model in models.values():
            raise_if_interrupted(model)
        return models
    if type(estimator) is RFE and _drops_one(estimator, samples):
        # On its way to the smallest number it had exactly what larger ones end with.
        smallest = samples.fit(with_k(estimator, ks[0]))
        longer = {k: _longer(estimator, smallest, k, samples) for k in ks[1:]}
        return {ks[0]: smallest} | longer
    return None


def _through_pipeline(
    pipeline: Pipeline, ks: Sequence[int], samples: Samples
) -> dict[int, Any] | None:
    """Fit the steps before the selector once, and those behind it for each model.

    What is given to the fit of single steps is a matter of the Pipeline, which then fits one by one.
    """
    selector = selector_in(pipeline)
    names = [name for name, step in pipeline.steps if step is selector]
    if samples.more or not names or not hasattr(judged(pipeline), "predict"):
        return None
    place = [name for name, _ in pipeline.steps].index(names[0])
    before, after = clone(pipeline[:place]), judged(pipeline)[place + 1 :]
    X = before.fit_transform(samples.X, samples.y) if place else samples.X
    models = _shared(clone(selector), ks, Samples(X, samples.y))
    if models is None:
        return None
    whole = {}
    for k, model in models.items():
        behind = clone(after)
        if len(after.steps):
            behind.fit(model.transform(X), samples.y)
        steps = [*before.steps, (names[0], model), *behind.steps]
        whole[k] = Pipeline(steps, verbose=pipeline.verbose)
    return whole


def _drops_one(rfe: RFE, samples: Samples) -> bool:
    """Whether RFE drops one feature at a time, and starts from more than one number would show."""
    n_features = getattr(samples.X, "shape", (0, 0))[1]
    step = rfe.step
    return bool((int(max(1, step * n_features)) if 0 < step < 1 else int(step)) == 1)


def _longer(rfe: RFE, smallest: RFE, k: int, samples: Samples) -> RFE:
    """Return the RFE that ends with k features: those that were dropped last are in it."""
    model = with_k(rfe, k)
    n_more = k - smallest.n_features_
    model.ranking_ = np.maximum(smallest.ranking_ - n_more, 1)
    model.support_ = model.ranking_ == 1
    model.n_features_ = int(model.support_.sum())
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(smallest, name):
            setattr(model, name, getattr(smallest, name))
    model.estimator_ = clone(rfe.estimator)
    model.estimator_.fit(model.transform(samples.X), samples.y, **samples.more)
    return model

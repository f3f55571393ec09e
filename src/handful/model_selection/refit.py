"""A model of exactly the features that were agreed upon."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from handful.estimators._columns import IdsMixin
from handful.estimators._inputs import check_source, checked_data
from handful.estimators._narrow import facing
from handful.model_selection._samples import Samples
from handful.model_selection._wrapped import (
    count_parameter,
    is_of_space,
    pass_columns,
    predicting,
    selector_in,
    steps_before,
    takes_strings,
    with_k,
)
from handful.spaces.resolve import columns_of, is_table, source_of
from handful.spaces.source import Source
from handful.validation.cells import check_finite
from handful.validation.resampling import columns_are_made

Array = np.ndarray
#: Parameters that say what to select, and from what: nothing is selected any more.
CHOICES = (
    *("groups", "group_weights", "include", "exclude"),
    *("feature_costs", "group_costs", "max_cost"),
)


class ColumnPicker(IdsMixin, BaseEstimator):
    """Takes some columns of X, wherever X is.

    Parameters
    ----------
    ids : array of int64
        The columns, ascending.
    """

    def __init__(self, ids: Any) -> None:
        self.ids = ids

    def fit(self, X: Any, y: Any = None) -> ColumnPicker:
        """Remember how many columns X has, and their names."""
        self._looked_at(X, reset=True)
        self.support_ids_ = np.asarray(self.ids, dtype=np.int64)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns; those of a matrix that is elsewhere are brought here.

        A table may lack the others.
        """
        check_is_fitted(self, "n_features_in_")
        model, X = facing(self, X)
        return model._picked(model._looked_at(X, reset=False))

    def _picked(self, X: Any) -> Any:
        if isinstance(X, Source):
            columns = columns_of(X, self.support_ids_)
            check_finite(columns, self.support_ids_)
            return columns
        return _safe_indexing(X, self.support_ids_, axis=1)

    def _looked_at(self, X: Any, *, reset: bool) -> Any:
        away = source_of(X)
        if away is None:
            formats = {"accept_sparse": ("csr", "csc"), "dtype": [np.float64, np.float32]}
            checked = checked_data(self, X, reset=reset, **formats)
            return X if is_table(X) else checked  # tables have names
        if not reset:
            return check_source(self, away, reset=False)
        self.n_features_in_ = away.shape[1]
        if away.feature_names is not None:
            self.feature_names_in_ = np.asarray(away.feature_names, dtype=object)
        return away


def check_columns_are_kept(estimator: Any) -> None:
    """Raise where a step before the selector makes other columns: ids would not be those of X."""
    for step in steps_before(estimator):
        if not pass_columns([step]):
            raise columns_are_made(step)


def refitted(estimator: Any, samples: Samples, ids: Array) -> Any:
    """Return a model of exactly these features that predicts from all columns of X.

    The estimator is fitted to their columns alone. Of features that are made from X it is told to include
    them. Without any feature, the commonest class or the mean is predicted. None where the estimator cannot
    predict.
    """
    estimator = predicting(estimator)
    if estimator is None:
        return None
    if len(ids) and is_of_space(estimator):
        included = {_beside_count(estimator, "include"): ids}
        return samples.fit(with_k(estimator, len(ids), **included))
    if takes_strings(estimator):
        return _constant(estimator, samples)
    picker = ColumnPicker(ids).fit(samples.X)
    if len(ids):
        columns = Samples(picker.transform(samples.X), samples.y, samples.more)
        model = columns.fit(_on_these_alone(estimator, len(ids)))
    else:
        model = _constant(estimator, samples)
    return Pipeline([("columns", picker), ("model", model)])


def _on_these_alone(estimator: Any, n_columns: int) -> Any:
    """Return the estimator for a matrix of which every column is wanted."""
    selector = selector_in(estimator)
    inner = getattr(selector, "estimator", None)
    if hasattr(inner, "fit"):  # it selects for another estimator, which is enough now
        step = count_parameter(estimator).rpartition("__")[0]
        if not step:
            return clone(inner)
        is_last = "__" not in step and estimator.steps[-1][1] is selector
        return clone(estimator).set_params(**{step: clone(inner) if is_last else "passthrough"})
    known = selector.get_params(deep=False)
    nothing = {_beside_count(estimator, name): None for name in CHOICES if name in known}
    return with_k(estimator, n_columns, **nothing)


def _beside_count(estimator: Any, name: str) -> str:
    """Return how ``set_params`` calls another parameter of the selector."""
    step, dashes, _ = count_parameter(estimator).rpartition("__")
    return step + dashes + name


class _PriorClassifier(DummyClassifier):
    """Predicts the commonest class; its scores are what the shares of the classes say."""

    def decision_function(self, X: Any) -> Array:
        """Return the logarithm of the shares; for two classes, and for labels, that of the odds."""
        n_samples, priors = _num_samples(X), self.class_prior_
        if isinstance(priors, list):
            return np.tile([_odds(prior) for prior in priors], (n_samples, 1))
        if len(priors) == 2:
            return np.full(n_samples, _odds(priors))
        return np.tile(np.log(priors), (n_samples, 1))


def _odds(prior: Array) -> float:
    """Return the logarithm of the odds of the second class; a label that all or none have is certain."""
    no, yes = prior if len(prior) == 2 else (0.5, 0.5)
    return float(np.log(yes) - np.log(no))


def _constant(estimator: Any, samples: Samples) -> Any:
    guess = _PriorClassifier(strategy="prior") if is_classifier(estimator) else DummyRegressor()
    weight = samples.more.get("sample_weight")
    return guess.fit(np.zeros((len(samples), 1)), samples.y, sample_weight=weight)

"""The k features that many fits agree on, where near-copies vote for each other, and a model of exactly these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from handful.estimators._columns import IdsMixin
from handful.estimators._inputs import check_source, checked_data
from handful.estimators._narrow import facing
from handful.model_selection._samples import Samples, as_matrix
from handful.model_selection._wrapped import (
    count_parameter,
    is_of_space,
    pass_columns,
    predicting,
    selector_in,
    steps_before,
    takes_bags,
    takes_strings,
    with_k,
)
from handful.spaces.resolve import USED_IN_PLACE, columns_of, source_of
from handful.spaces.source import Source
from handful.validation import resampling as checks
from handful.validation.cells import check_finite, is_table

Array = np.ndarray
#: Power of a correlation that says how much of the votes for one feature another may stand for.
POWER = 4
#: Features, the most often chosen ones, that are compared with each other.
MOST_COMPARED = 1000
#: What the votes of a feature that others stand for are still worth.
REST = 1e-6
#: Parameters that say what to select, and from what: of a model of what is agreed nothing is selected any more.
CHOICES = (
    *("groups", "group_weights", "include", "exclude"),
    *("feature_costs", "group_costs", "max_cost"),
)


def check_can_agree(estimator: Any) -> None:
    """Raise where features cannot be counted one by one, or are not those of X."""
    if takes_bags(estimator):
        raise checks.nothing_to_count(selector_in(estimator))
    if getattr(selector_in(estimator), "groups", None) is not None:
        raise checks.groups_cannot_agree()
    check_columns_are_kept(estimator)


def columns_for(estimator: Any, X: Any) -> Callable[[Array], Any]:
    """Return what gives the columns of ids: those of X, or of the features that are made from it."""
    X = as_matrix(X)
    if not is_of_space(estimator):
        return lambda ids: columns_of(X, ids)
    made: Callable[[Array], Any] = selector_in(estimator).space.on(X).columns
    return made


def agreed_ids(ids: Array, votes: Array, k: int, columns: Callable[[Array], Any]) -> Array:
    """Return the k features that stand for the most votes, ascending.

    ``max over S of  sum_i v_i max_{j in S} |r_ij|^4``  with k features in S, where ``v_i`` is how often
    feature i was chosen and ``r_ij`` the correlation of two columns.

    Without correlations these are the k most often chosen. Of columns that are nearly copies each fit
    chooses another one, so that all have few votes: here one of them is chosen and has the votes of
    all, and then the others are worth nothing. The sum is submodular, and taking the best feature
    again and again reaches at least 63 % of its maximum.

    ``ids`` are the features that were ever chosen, ascending, and ``votes`` say how often each was; fewer than k are
    returned only if fewer were ever chosen. ``columns`` gives the columns of ids, dense or sparse.
    """
    order = np.sort(np.argsort(-votes, kind="stable")[: max(2 * k, MOST_COMPARED)])
    stands_for = _correlations(columns(ids[order]), len(order)) ** POWER
    chosen = _best_covering(votes[order], stands_for, min(k, len(order)))
    found: Array = np.sort(ids[order[chosen]])
    return found


def _best_covering(worth: Array, stands_for: Array, k: int) -> list[int]:
    """Take what adds most to the votes that are stood for, k times; of equal ones the first."""
    covered = np.zeros(len(worth))
    chosen: list[int] = []
    for _ in range(k):
        gains = worth @ np.maximum(stands_for - covered[:, None], 0.0)
        gains += REST * worth  # what is covered entirely still ranks by its own votes
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        covered = np.maximum(covered, stands_for[:, best])
    return chosen


def _correlations(columns: Any, n_features: int) -> Array:
    """Return the sizes of the correlations; of features that have several columns each, none."""
    if columns.shape[1] != n_features:
        return np.eye(n_features)
    n_samples = columns.shape[0]
    means = np.asarray(columns.mean(axis=0)).ravel()
    if sp.issparse(columns):
        products = (columns.T @ columns).toarray() / n_samples - np.outer(means, means)
    else:
        centred = np.asarray(columns, dtype=np.float64) - means
        products = centred.T @ centred / n_samples
    deviations = np.sqrt(np.maximum(np.diag(products), 0.0))
    scale = np.outer(deviations, deviations)
    found = np.divide(np.abs(products), scale, out=np.zeros_like(products), where=scale > 0)
    np.fill_diagonal(found, 1.0)
    return np.minimum(found, 1.0)


class ColumnPicker(IdsMixin, BaseEstimator):
    """Takes some columns of X, wherever X is; their ids ascend."""

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
            checked = checked_data(self, X, reset=reset, **USED_IN_PLACE)
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
            raise checks.columns_are_made(step)


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

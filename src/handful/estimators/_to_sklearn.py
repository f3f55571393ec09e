"""A fitted model as an estimator of scikit-learn on the few columns that it looks at."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, PolynomialFeatures
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from handful.estimators._labels import scores_are_log_odds
from handful.estimators._narrow import narrowed
from handful.spaces.base import Array, FeatureSpace
from handful.spaces.pairs.polynomial import Polynomial
from handful.spaces.pairs.search import ALONE
from handful.spaces.resolve import with_small_indices
from handful.validation.exports import nothing_selected, strings_are_no_columns


class ToSklearnMixin:
    """:meth:`to_sklearn`, for estimators with ``weights_`` and ``intercept_``."""

    #: Whether scores are fitted by least squares, as those of scikit-learn's RidgeClassifier.
    _is_least_squares = False

    def to_sklearn(self) -> Any:
        """Return a fitted estimator of scikit-learn that decides the same from the chosen columns alone.

        It is a LogisticRegression for ``loss="logistic"`` (for several classes one against the rest, so that
        probabilities agree too), a RidgeClassifier for least squares and for labels of a matrix y (which are 0 and 1
        there), otherwise a LinearSVC; a Ridge for quantities; and what was given as ``refit``, if that was an estimator. Pairs are made by a Pipeline of
        ColumnTransformer and PolynomialFeatures; kernels and spaces of your own by a FunctionTransformer, which
        needs handful where it is loaded.

        The columns are those of ``get_support``, ascending (of pairs all columns that occur in them), and
        ``feature_names_in_`` are their names. Parameters are scikit-learn's defaults: it is for predicting. A
        calibration is not taken along.

        Returns
        -------
        estimator : estimator of scikit-learn
        """
        check_is_fitted(self)
        if getattr(getattr(self, "space_", None), "takes_strings", False):
            raise strings_are_no_columns(self)
        model: Any = narrowed(self)
        if not model.weights_.size:
            raise nothing_selected(self)
        names = getattr(model, "feature_names_in_", None)
        if not hasattr(model, "space_"):
            return _named(_linear(model, model.weights_), names)
        features, factors = _features(model)
        steps = [_named(features.fit(np.zeros((2, model.n_features_in_))), names)]
        if hasattr(model, "estimator_"):  # which has no weights that could take the factors
            steps.append(_multiplying(factors))
        return make_pipeline(*steps, _linear(model, model.weights_ * factors))


def _linear(model: Any, weights: Array) -> Any:
    """Return a linear estimator with the model's weights.

    It is fitted to rows of zeros first, so that it has all that scikit-learn sets in a fit.
    """
    if hasattr(model, "estimator_"):
        return copy.deepcopy(model.estimator_)
    intercept, n_outputs = np.atleast_1d(model.intercept_), len(weights)
    if not hasattr(model, "classes_"):
        is_single = np.ndim(model.intercept_) == 0
        Y = np.zeros(2) if is_single else np.zeros((2, n_outputs))
        return _with(_blank(Ridge(), weights, Y), weights[0] if is_single else weights, intercept)
    labels = model.classes_
    if hasattr(model, "label_values_"):
        labels = np.repeat([[0], [1]], n_outputs, axis=1)
    if not scores_are_log_odds(model):
        is_ridge = model._is_least_squares or labels.ndim == 2
        kind = RidgeClassifier if is_ridge else LinearSVC
        return _with(_blank(kind(), weights, labels), weights, intercept)
    if n_outputs == 1:
        return _with(_blank(LogisticRegression(), weights, labels), weights, intercept)
    several = _blank(OneVsRestClassifier(LogisticRegression()), weights, labels)
    for j, one in enumerate(several.estimators_):
        _with(one, weights[[j]], intercept[[j]])
    return several


def _multiplying(factors: Array) -> Any:
    """Return what multiplies columns, dense or sparse."""
    scaler = MaxAbsScaler().fit(np.ones((2, len(factors))))
    scaler.scale_ = 1.0 / factors
    return scaler


def _blank(estimator: Any, weights: Array, y: Array) -> Any:
    return estimator.fit(np.zeros((len(y), weights.shape[1])), y)


def _with(estimator: Any, weights: Array, intercept: Array) -> Any:
    estimator.coef_ = np.ascontiguousarray(weights)
    is_single = np.ndim(estimator.intercept_) == 0
    estimator.intercept_ = float(intercept[0]) if is_single else intercept.copy()
    return estimator


def _named(estimator: Any, names: Array | None) -> Any:
    """Let an estimator, and those inside that see columns, know them by name, where it can."""
    if names is None:
        return estimator
    parts = [(estimator, names)]
    parts += [(one, names) for one in getattr(estimator, "estimators_", ())]
    parts += [(one, names[own]) for _, one, own in getattr(estimator, "transformers_", ())]
    for one, own in parts:
        if hasattr(one, "n_features_in_") and not hasattr(type(one), "feature_names_in_"):
            one.feature_names_in_ = own
    return estimator


def _features(model: Any) -> tuple[Any, Array]:
    """Return what makes the columns that go with the weights, and factors that it leaves to these."""
    space = model.space_.sized(model.n_features_in_)
    if type(space) is Polynomial:
        return _products(*space.pairs(model.support_ids_)), space.factors(model.support_ids_)
    make = partial(made_columns, space=model.space_, ids=model.support_ids_)
    names = partial(made_names, space=space, ids=model.support_ids_)
    made = FunctionTransformer(make, validate=True, accept_sparse=True, feature_names_out=names)
    return made, np.ones(model.weights_.shape[1])


def _products(left: Array, right: Array) -> ColumnTransformer:
    """Return what makes columns, squares and products of two, in this order."""
    alone = right == ALONE
    parts: list[Any] = [("columns", "passthrough", left[alone].tolist())] if alone.any() else []
    for i, j in zip(left[~alone].tolist(), right[~alone].tolist(), strict=True):
        product = PolynomialFeatures((2, 2), interaction_only=i != j, include_bias=False)
        parts.append((f"{i} times {j}", product, [i, j] if i != j else [i]))
    return ColumnTransformer(parts, sparse_threshold=1.0, verbose_feature_names_out=False)


def made_columns(X: Any, space: FeatureSpace, ids: Array) -> Any:
    """Return the columns of features of a space, made from X."""
    return with_small_indices(space.on(X).columns(ids))


def made_names(_: Any, names: Any, space: FeatureSpace, ids: Array) -> Array:
    """Return their names, as FunctionTransformer asks for them."""
    return np.asarray(space.names(ids, names), dtype=object)

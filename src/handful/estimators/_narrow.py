"""The columns that a fitted model looks at, and the same model on rows that have no others."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from handful.spaces.resolve import names_of_table, source_of
from handful.validation.names import first_repeated, lacking_columns, repeated_column

Array = np.ndarray


def used_columns(estimator: Any) -> Array:
    """Return the columns of X that predictions need, ascending."""
    if hasattr(estimator, "dictionary_"):  # nothing was selected, atoms were learned
        return np.arange(estimator.n_features_in_)
    if not hasattr(estimator, "space_"):
        return np.asarray(estimator.support_ids_)
    used = _space(estimator).inputs(estimator.support_ids_)
    return np.arange(estimator.n_features_in_) if used is None else np.asarray(used)


def narrowed(estimator: Any) -> Any:
    """Return a model that predicts the same from rows that have the :func:`used_columns` only, in that order.

    It is for predicting: what else the fit has found is as it was.
    """
    used = used_columns(estimator)
    if len(used) == estimator.n_features_in_:
        return estimator
    model = copy.copy(estimator)
    model.n_features_in_ = len(used)
    if hasattr(estimator, "feature_names_in_"):
        model.feature_names_in_ = estimator.feature_names_in_[used]
    if not hasattr(estimator, "space_"):
        model.support_ids_ = np.arange(len(used))
    else:
        model.space_, model.support_ids_ = _space(estimator).narrowed(estimator.support_ids_, used)
    return model


def facing(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the model that looks at X, and X.

    A table that has all used columns by name, in any order, and lacks others of the fit goes to the model
    of the used ones; anything else is left to scikit-learn's checks.
    """
    names = getattr(estimator, "feature_names_in_", None)
    there = None if names is None or source_of(X) is not None else names_of_table(X)
    if names is None or there is None or set(names) <= set(there):
        return estimator, X
    used = names[used_columns(estimator)].tolist()
    found = set(used) & set(there)
    if not 0 < len(used) < len(names) or not found:
        return estimator, X
    if len(found) < len(set(used)):
        missing = [name for name in used if name not in found]
        try:
            validate_data(estimator, X, reset=False, skip_check_array=True)
        except ValueError as error:
            raise lacking_columns(missing, len(used), error) from None
    for some in (names, there):
        twice = first_repeated(some, used)
        if twice is not None:
            raise repeated_column(twice)
    return narrowed(estimator), X[used]


def _space(estimator: Any) -> Any:
    return estimator.space_.sized(estimator.n_features_in_)

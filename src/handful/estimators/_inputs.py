"""What scikit-learn's ``validate_data`` does for arrays, also for sparse indices, for a matrix that is elsewhere and for strings."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from handful.spaces.resolve import as_documents
from handful.spaces.source import Source
from handful.validation import sources as checks
from handful.validation.cells import validated
from handful.validation.indices import checked
from handful.validation.strings import check_rows


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what :func:`~handful.validation.cells.validated` returns; ValueError also for indices outside of a sparse X.

    Dense arrays are scikit-learn's matter alone. A sparse matrix gets one pass, before compiled code
    that trusts its indices converts it.
    """
    return validated(estimator, checked(X) if issparse(X) else X, **options)


def check_source(
    estimator: Any,
    X: Source,
    y: Any = None,
    *,
    reset: bool = True,
    ensure_min_samples: int = 1,
    **options: Any,
) -> Any:
    """Check X where it is, and y as usual; set the attributes that describe X, or compare with them.

    Returns X, or X and y where y is given. ``options`` are those for y.
    """
    checks.check_shape(X.shape, ensure_min_samples)
    checks.check_dtype(X.dtype)
    if not reset:
        compare_columns(estimator, X.shape[1], X.feature_names)
        return X
    y = validated(estimator, "no_validation", y=X.targets(y), **options)
    checks.check_n_rows(X.shape[0], y)
    X.check()
    describe_columns(estimator, X.shape[1], X.feature_names)
    return X, y


def compare_columns(estimator: Any, n_features: int, names: Any) -> None:
    """Raise ValueError where X has other columns than those that the estimator was fitted to."""
    checks.check_n_features(n_features, estimator.n_features_in_, type(estimator).__name__)
    checks.check_names(names, getattr(estimator, "feature_names_in_", None))


def describe_columns(estimator: Any, n_features: int, names: Any) -> None:
    """Set the attributes that describe the columns of X; those of an earlier fit are gone once y is validated."""
    estimator.n_features_in_ = n_features
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)


def check_documents(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    reset: bool = True,
    ensure_min_samples: int = 1,
    **options: Any,
) -> Any:
    """Return X as documents, with y where the estimator is fitted; strings are one column.

    ``options`` are those for y.
    """
    documents = as_documents(X)
    check_rows(len(documents), ensure_min_samples)
    if not reset:
        return documents
    y = validated(estimator, "no_validation", y=y, **options)
    checks.check_n_rows(len(documents), y)
    describe_columns(estimator, 1, None)
    return documents, y

"""What ``validate_data`` does for arrays, for a matrix that is somewhere else."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.spaces.source import Source
from handful.validation import sources as checks
from handful.validation.cells import validated


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
        checks.check_n_features(X.shape[1], estimator.n_features_in_, type(estimator).__name__)
        checks.check_names(X.feature_names, getattr(estimator, "feature_names_in_", None))
        return X
    y = validated(estimator, "no_validation", y=X.targets(y), **options)
    checks.check_n_rows(X.shape[0], y)
    X.check()
    estimator.n_features_in_ = X.shape[1]
    if X.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(X.feature_names, dtype=object)
    return X, y

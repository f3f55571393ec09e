"""scikit-learn's checks, and a look at the indices of a sparse matrix, which scikit-learn leaves alone."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse

from handful.validation.cells import validated
from handful.validation.indices import LOOKED_AT, check_indices


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what :func:`~handful.validation.cells.validated` returns; ValueError also for indices outside of a sparse X.

    Dense arrays are scikit-learn's matter alone. A sparse matrix gets one pass: before it is converted, which
    compiled code does that trusts its indices, or after, where Python makes them.
    """
    if not issparse(X):
        return validated(estimator, X, **options)
    check_indices(X)
    made = validated(estimator, X, **options)
    if X.format not in LOOKED_AT:
        check_indices(made[0] if isinstance(made, tuple) else made)
    return made

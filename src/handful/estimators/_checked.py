"""scikit-learn's checks, and a look at the indices of a sparse matrix, which scikit-learn leaves alone."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse

from handful.validation.cells import validated
from handful.validation.indices import checked


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what :func:`~handful.validation.cells.validated` returns; ValueError also for indices outside of a sparse X.

    Dense arrays are scikit-learn's matter alone. A sparse matrix gets one pass, before compiled code
    that trusts its indices converts it.
    """
    return validated(estimator, checked(X) if issparse(X) else X, **options)

"""``validate_data``, and a look at the indices of a sparse matrix, which scikit-learn leaves alone."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from handful.validation.indices import checked


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what ``validate_data`` returns; ValueError also for indices outside of a sparse X.

    Dense arrays are scikit-learn's matter alone. A sparse matrix gets one pass, before compiled code
    that trusts its indices converts it.
    """
    return validate_data(estimator, checked(X) if issparse(X) else X, **options)

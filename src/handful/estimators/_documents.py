"""What ``validate_data`` does for arrays, for strings."""

from __future__ import annotations

from typing import Any

from handful.spaces.resolve import as_documents
from handful.validation import sources as checks
from handful.validation.cells import validated
from handful.validation.strings import check_rows


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
    estimator.n_features_in_ = 1
    vars(estimator).pop("feature_names_in_", None)
    return documents, y

"""What is said of models that cannot be given to others in the form that was asked for."""

from __future__ import annotations

from typing import Any


def nothing_selected(model: Any) -> ValueError:
    """Return the error for a model without columns."""
    return ValueError(
        f"the {type(model).__name__} has selected no feature, and scikit-learn has no estimators without columns; "
        "fit it so that it selects some."
    )


def bags_have_no_columns(model: Any) -> ValueError:
    """Return the error for a model that looks at bags."""
    return ValueError(
        f"a {type(model).__name__} looks at bags of rows, for which scikit-learn has no estimators; "
        "transform(bags) gives a matrix that all of them take."
    )


def strings_are_no_columns(model: Any) -> ValueError:
    """Return the error for a model of strings, which scikit-learn has no columns for."""
    return ValueError(
        f"this {type(model).__name__} reads strings, for which scikit-learn has no estimator; use it as a step of a Pipeline, "
        "or save it with save_model."
    )
